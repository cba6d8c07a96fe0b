// Tables against the log: the same rows, each once. The log is read and projected again, in memory and without the store; the
// tables are summed up by the engine; the two must agree for every table and market.

import type { Position, TableName } from '@ladderlog/core';
import { EVENT_TABLES, partitionName } from '@ladderlog/core';

import { readBefore } from '../ranges/log-bounds.ts';
import { createRangeProjector } from '../ranges/range-projection.ts';
import type { Sums, TableSums } from './sums.ts';
import { SummingSink, sumTables } from './sums.ts';
import type { Places } from '../ranges/places.ts';

export type VerifyOptions = Places & {
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

/** Beyond this many, differences are counted in the rows but not listed. */
const MAX_DIFFERENCES = 1_000;

export async function verify(options: VerifyOptions): Promise<VerifyResult> {
  const { projections, generation, cursors, store, hold = (work) => work() } = options;
  const { at, tables } = await hold(async () => ({
    at: await cursors.list(generation),
    tables: await sumTables(store, projections, generation),
  }));
  const upTo = at.map(({ topic, partition, hwm }) => ({ topic, partition, offset: hwm + 1 }));
  const { sums, events } = await sumLog(options, upTo);

  const differences: Difference[] = [];
  for (const { topic, partition, pending } of at)
    if (pending)
      differences.push({
        table: partitionName({ topic, partition }),
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

async function sumLog(
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

function compareTable(table: TableName, inLog: Sums, inTable: TableSums): Difference[] {
  const differences: Difference[] = [];
  const each = (EVENT_TABLES as readonly string[]).includes(table);
  if (each && inTable.rows !== inTable.positions)
    differences.push({
      table,
      venue: null,
      market: null,
      kind: 'repeated_positions',
      inLog: inTable.positions,
      inTable: inTable.rows,
    });
  for (const key of new Set([...inLog.keys(), ...inTable.sums.keys()])) {
    const ours = inLog.get(key) ?? { rows: 0, sum: 0n };
    const theirs = inTable.sums.get(key) ?? { rows: 0, sum: 0n };
    if (ours.rows === theirs.rows && ours.sum === theirs.sum) continue;
    const [venue = '', market = ''] = key.split('\n');
    const kind =
      ours.rows > theirs.rows ? 'missing_rows' : ours.rows < theirs.rows ? 'extra_rows' : 'other_content';
    differences.push({ table, venue, market, kind, inLog: ours.rows, inTable: theirs.rows });
  }
  return differences;
}

export function summaryOf(table: string, inTable: TableSums): TableSummary {
  let sum = 0n;
  for (const market of inTable.sums.values()) sum += market.sum;
  return { table, rows: inTable.rows, markets: inTable.sums.size, checksum: sum.toString(16) };
}
