// Rows and checksums of every market, as the tables have them and as the log gives them.

import type { Projection, TableName, TableRow } from '@ladderlog/core';
import { isNewer } from '@ladderlog/core';
import type { MarketSums, Store } from '@ladderlog/store';
import { createRowChecksum, createRowEncoder, marketSums } from '@ladderlog/store';

import type { RowSink } from '../ranges/range-projection.ts';

/** By venue and market. */
export type Sums = Map<string, { rows: number; sum: bigint }>;

export type TableSums = {
  readonly sums: Sums;
  readonly rows: number;
  /** How many places in the log the rows come from. */
  readonly positions: number;
};

const DEADLINE_MS = 30 * 60_000;

export async function sumTables(
  store: Pick<Store, 'query'>,
  projections: readonly Projection[],
  generation: number,
): Promise<Map<TableName, TableSums>> {
  const tables = new Map<TableName, TableSums>();
  for (const { table, newestBy, merging } of projections) {
    const found = await store.query<MarketSums>(
      marketSums(table, generation, newestBy !== null || merging !== null),
      { name: 'verify', deadlineMs: DEADLINE_MS },
    );
    const sums: Sums = new Map();
    let rows = 0;
    let positions = 0;
    for (const market of found) {
      sums.set(marketOf(market), { rows: market.rows, sum: BigInt(market.checksum) });
      rows += market.rows;
      // One market is in one partition: positions of two markets never coincide.
      positions += market.positions;
    }
    tables.set(table, { sums, rows, positions });
  }
  return tables;
}

/** Takes what the projector would send, refuses what it would refuse, and keeps checksums. */
export class SummingSink implements RowSink {
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

const marketOf = (row: { readonly venue?: unknown; readonly market?: unknown }): string =>
  `${row.venue as string}\n${row.market as string}`;
