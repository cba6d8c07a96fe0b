// What the tables have of markets, as the rows that a market's state takes in.

import type { MarketRows, Micros, Placed, StoredRow, Venue } from '@ladderlog/core';
import { VENUES, bookFromRow, gapFromRow, marketFromRow, marketKey } from '@ladderlog/core';
import { readingTurns } from '@ladderlog/log';
import type { LastSeenRow, Store } from '@ladderlog/store';
import { lastSeenRows, latestRows, marketById, marketRows, openGapRows } from '@ladderlog/store';

const AT_START = { name: 'live.start', deadlineMs: 120_000 };
const OF_ONE = { name: 'live.market' };

type Gathered = {
  -readonly [K in keyof MarketRows]: MarketRows[K] extends readonly (infer T)[] ? T[] : MarketRows[K];
};
export type FoundMarket = { readonly venue: Venue; readonly market: string; readonly rows: MarketRows };

/** All markets that had a book since then or are in the catalogue since then, and all open gaps. */
export async function readMarkets(store: Store, generation: number, since: Micros): Promise<FoundMarket[]> {
  const found = new Map<string, FoundMarket & { readonly rows: Gathered }>();
  const rowsOf = (venue: Venue, market: string): Gathered => {
    const key = marketKey(venue, market);
    let known = found.get(key);
    if (!known) found.set(key, (known = { venue, market, rows: noRows() }));
    return known.rows;
  };
  for (const row of await store.query<StoredRow<'markets'>>(marketRows({ generation, since }), AT_START)) {
    if (readingTurns.isOver) await readingTurns.next();
    rowsOf(row.venue as Venue, row.market).metadata = marketFromRow(row);
  }
  for (const venue of VENUES) {
    const request = { generation, venue, since };
    for (const row of await store.query<StoredRow<'latest_books'>>(latestRows(request), AT_START)) {
      if (readingTurns.isOver) await readingTurns.next();
      rowsOf(venue, row.market).books.push(bookFromRow(row));
    }
    for (const row of await store.query<LastSeenRow>(lastSeenRows(request), AT_START))
      rowsOf(venue, row.market).lastSeen.push(lastSeenOf(row));
  }
  for (const row of await store.query<StoredRow<'gaps'>>(openGapRows({ generation }), AT_START))
    rowsOf(row.venue as Venue, row.market).gaps.push(gapFromRow(row));
  return [...found.values()];
}

export async function readMarket(
  store: Store,
  request: { readonly generation: number; readonly venue: Venue; readonly market: string },
): Promise<MarketRows> {
  const [books, lastSeen, gaps] = [
    await store.query<StoredRow<'latest_books'>>(latestRows(request), OF_ONE),
    await store.query<LastSeenRow>(lastSeenRows(request), OF_ONE),
    await store.query<StoredRow<'gaps'>>(openGapRows(request), OF_ONE),
  ];
  return {
    books: books.map(bookFromRow),
    metadata: null,
    gaps: gaps.map(gapFromRow),
    lastSeen: lastSeen.map(lastSeenOf),
  };
}

/** Metadata of a market that is not in memory any more. */
export async function readMetadata(
  store: Store,
  venue: Venue,
  market: string,
  signal?: AbortSignal,
): Promise<Placed<ReturnType<typeof marketFromRow>['event']> | null> {
  const [row] = await store.query<StoredRow<'markets'>>(
    marketById({ generation: await store.generation(), venue, market }),
    { name: 'live.metadata', deadlineMs: 5_000, signal },
  );
  return row ? marketFromRow(row) : null;
}

const noRows = (): Gathered => ({ books: [], metadata: null, gaps: [], lastSeen: [] });

const lastSeenOf = ({ outcome, newest_at: at, ended }: LastSeenRow): MarketRows['lastSeen'][number] => ({
  outcome: outcome === '' ? null : outcome,
  at,
  ended: Boolean(ended),
});
