// Tables against the log: the same rows, each once. The log is read and projected again, in memory and without the store; the
// tables are summed up by the engine; the two must agree for every table and market.

import type { Position, Projection, TableName, TableRow } from '@ladderlog/core';
import { EVENT_TABLES, isNewer } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { createRowEncoder } from '@ladderlog/store';

import { readBefore } from '../ranges/log-bounds.ts';
import { createRangeProjector } from '../ranges/range-projection.ts';
import type { RowSink } from '../ranges/range-projection.ts';
import { checksumSql, createRowChecksum } from './checksum.ts';
import type { CursorStore } from '../ranges/cursor.ts';

export type VerifyOptions = {
  readonly log: Pick<EventLog, 'read' | 'topics'>;
  readonly store: Pick<Store, 'query'>;
  readonly cursors: Pick<CursorStore, 'list'>;
  readonly projections: readonly Projection[];
  readonly generation: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly events: number; readonly total: number }) => void;
  /**
   * Runs the work while nothing writes this generation (Projector.quiesced); tables that keep the newest or merged row cannot
   * be asked about the past. Default: nothing writes it.
   */
  readonly hold?: <T>(work: () => Promise<T>) => Promise<T>;
};

export type Difference = {
  readonly table: string;
  /** Null: of the table as a whole. */
  readonly venue: string | null;
  readonly market: string | null;
  readonly kind: 'missing_rows' | 'extra_rows' | 'other_content' | 'repeated_positions' | 'unfinished_range';
  readonly inLog: number;
  readonly inTable: number;
};

export type TableSummary = {
  readonly table: string;
  readonly rows: number;
  readonly markets: number;
  /** Of all rows; the same for two builds of one log. */
  readonly checksum: string;
};

export type VerifyResult = {
  readonly ok: boolean;
  readonly generation: number;
  /** Log positions compared, exclusive. */
  readonly upTo: readonly Position[];
  readonly events: number;
  readonly tables: readonly TableSummary[];
  readonly differences: readonly Difference[];
};

/** Rows and summed checksums per market. */
type Sums = Map<string, { rows: number; sum: bigint }>;
type Side = { readonly sums: Sums; readonly rows: number; readonly unique: number };

const DEADLINE_MS = 30 * 60_000;
/** Beyond this many, differences are counted in the rows but not listed. */
const MAX_DIFFERENCES = 1_000;

export async function verify(options: VerifyOptions): Promise<VerifyResult> {
  const { projections, generation, cursors, store, hold = (work) => work() } = options;
  const { at, tables } = await hold(async () => ({
    at: await cursors.list(generation),
    tables: await summarizeTables(store, projections, generation),
  }));
  const upTo = at.map(({ topic, partition, hwm }) => ({ topic, partition, offset: hwm + 1 }));
  const { sums, events } = await summarizeLog(options, upTo);

  const differences: Difference[] = [];
  for (const { topic, partition, pending } of at)
    if (pending)
      differences.push({
        table: `${topic}/${partition}`,
        venue: null,
        market: null,
        kind: 'unfinished_range',
        inLog: pending.last - pending.first + 1,
        inTable: 0,
      });
  projections.forEach(({ table }, index) => {
    differences.push(...compareTable(table, sums[index]!, tables.get(table)!));
  });
  return {
    ok: differences.length === 0,
    generation,
    upTo,
    events,
    tables: projections.map(({ table }) => summaryOf(table, tables.get(table)!)),
    differences: differences.slice(0, MAX_DIFFERENCES),
  };
}

/** What the tables hold, without the log: enough to hold two builds against each other. */
export async function tableChecksums(
  store: Pick<Store, 'query'>,
  projections: readonly Projection[],
  generation: number,
): Promise<TableSummary[]> {
  const tables = await summarizeTables(store, projections, generation);
  return projections.map(({ table }) => summaryOf(table, tables.get(table)!));
}

async function summarizeTables(
  store: Pick<Store, 'query'>,
  projections: readonly Projection[],
  generation: number,
): Promise<Map<TableName, Side>> {
  const tables = new Map<TableName, Side>();
  for (const { table, newestBy, merging } of projections) {
    const final = newestBy || merging ? 'FINAL' : '';
    const rows = await store.query<{
      venue: string;
      market: string;
      rows: number;
      checksum: string;
      positions: number;
    }>(
      {
        sql: `SELECT venue, market, count() AS rows, toString(sum(${checksumSql(table)})) AS checksum,
                uniqExact(topic, partition, offset) AS positions
              FROM ${table} ${final} WHERE generation = {generation:UInt32} GROUP BY venue, market`,
        params: { generation },
      },
      { name: 'verify', deadlineMs: DEADLINE_MS },
    );
    const sums: Sums = new Map();
    let count = 0;
    let unique = 0;
    for (const row of rows) {
      sums.set(`${row.venue}\n${row.market}`, { rows: row.rows, sum: BigInt(row.checksum) });
      count += row.rows;
      // One market is in one partition: positions of two markets never coincide.
      unique += row.positions;
    }
    tables.set(table, { sums, rows: count, unique });
  }
  return tables;
}

async function summarizeLog(
  options: VerifyOptions,
  upTo: readonly Position[],
): Promise<{ sums: Sums[]; events: number }> {
  const { log, projections, generation, signal, onProgress } = options;
  const project = createRangeProjector(projections);
  const sinks = projections.map((projection) => new SummingSink(projection, generation));
  const { total, batches } = await readBefore(log, upTo, signal);
  let events = 0;
  for await (const { topic, partition, records } of batches) {
    project(topic, partition, records, sinks);
    events += records.length;
    onProgress?.({ events, total });
  }
  signal?.throwIfAborted();
  return { sums: sinks.map((sink) => sink.finish()), events };
}

/** Takes what the projector would send, refuses what it would refuse, and keeps checksums. */
class SummingSink implements RowSink {
  private readonly projection: Projection;
  private readonly checksum: (row: TableRow<TableName>) => number;
  private readonly encoder;
  private readonly sums: Sums = new Map();
  private readonly newest = new Map<
    string,
    {
      readonly market: string;
      readonly observedAt: number;
      readonly offset: number;
      readonly checksum: number;
    }
  >();
  private readonly merged = new Map<string, TableRow<TableName>>();

  constructor(projection: Projection, generation: number) {
    this.projection = projection;
    this.checksum = createRowChecksum(projection.table);
    this.encoder = createRowEncoder(projection.table, generation);
  }

  add(row: TableRow<TableName>, newestKey: string | null): void {
    this.encoder.add(row);
    if (this.encoder.bytes > 1 << 20) this.encoder.take();
    const { merging } = this.projection;
    if (merging) {
      const key = merging.key(row);
      const held = this.merged.get(key);
      this.merged.set(key, held ? merging.merge(held, row) : row);
      return;
    }
    const market = marketOf(row);
    const checksum = this.checksum(row);
    if (newestKey === null) return this.sum(market, checksum);
    const { observed_at: observedAt, offset } = row as TableRow<'latest_books'>;
    const held = this.newest.get(newestKey);
    if (!held || isNewer(observedAt, offset, held.observedAt, held.offset))
      this.newest.set(newestKey, { market, observedAt, offset, checksum });
  }

  finish(): Sums {
    for (const { market, checksum } of this.newest.values()) this.sum(market, checksum);
    for (const row of this.merged.values()) this.sum(marketOf(row), this.checksum(row));
    return this.sums;
  }

  private sum(market: string, checksum: number): void {
    const held = this.sums.get(market);
    if (held) {
      held.rows++;
      held.sum += BigInt(checksum);
    } else this.sums.set(market, { rows: 1, sum: BigInt(checksum) });
  }
}

const marketOf = (row: TableRow<TableName>): string => `${row.venue as string}\n${row.market as string}`;

function compareTable(table: TableName, inLog: Sums, side: Side): Difference[] {
  const differences: Difference[] = [];
  const each = (EVENT_TABLES as readonly string[]).includes(table);
  if (each && side.rows !== side.unique)
    differences.push({
      table,
      venue: null,
      market: null,
      kind: 'repeated_positions',
      inLog: side.unique,
      inTable: side.rows,
    });
  for (const key of new Set([...inLog.keys(), ...side.sums.keys()])) {
    const ours = inLog.get(key) ?? { rows: 0, sum: 0n };
    const theirs = side.sums.get(key) ?? { rows: 0, sum: 0n };
    if (ours.rows === theirs.rows && ours.sum === theirs.sum) continue;
    const [venue = '', market = ''] = key.split('\n');
    const kind =
      ours.rows > theirs.rows ? 'missing_rows' : ours.rows < theirs.rows ? 'extra_rows' : 'other_content';
    differences.push({ table, venue, market, kind, inLog: ours.rows, inTable: theirs.rows });
  }
  return differences;
}

function summaryOf(table: string, side: Side): TableSummary {
  let sum = 0n;
  for (const market of side.sums.values()) sum += market.sum;
  return { table, rows: side.rows, markets: side.sums.size, checksum: sum.toString(16) };
}
