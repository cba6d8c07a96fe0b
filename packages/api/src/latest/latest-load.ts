// Fills the memory of newest books from the store: rows back to events.

import type {
  BookObserved,
  BookState,
  CheckFlag,
  GapRow,
  MarketIdentity,
  Micros,
  Provenance,
  TableRow,
  TextFormat,
  Venue,
} from '@ladderlog/core';
import { VENUES, marketFromRow } from '@ladderlog/core';
import type { MarketRecord, SignRow, Store } from '@ladderlog/store';
import { gapsPage, latestRows, marketRows, signRows } from '@ladderlog/store';
import type { LatestMemory, MarketMemory } from './latest.ts';

export type LatestRow = TableRow<'latest_books'>;

export function fromBookRow(row: LatestRow): BookObserved {
  return {
    type: 'BookObserved',
    venue: row.venue as Venue,
    market: String(row.market),
    outcome: String(row.outcome),
    observedAt: row.observed_at,
    sourceTs: row.source_ts,
    session: String(row.session),
    ordinal: row.ordinal,
    provenance: row.provenance as Provenance,
    entry: row.entry,
    kind: row.kind as 'snapshot' | 'delta',
    bidPrices: row.bid_prices,
    bidSizes: row.bid_sizes,
    askPrices: row.ask_prices,
    askSizes: row.ask_sizes,
    state: row.state as BookState,
    flags: row.flags as readonly CheckFlag[],
    nativeBid: String(row.native_bid),
    nativeAsk: String(row.native_ask),
    askComplement: row.ask_complement,
    priceFormat: row.price_format as TextFormat,
    sizeFormat: row.size_format as TextFormat,
    exceptions: row.exception_sides.map((side, at) => ({
      side: side as 'bid' | 'ask',
      level: row.exception_levels[at] ?? 0,
      price: String(row.exception_prices[at] ?? ''),
      size: String(row.exception_sizes[at] ?? ''),
    })),
    hash: row.hash === '' ? null : String(row.hash),
    sequence: row.sequence,
    nativeIds: row.native_ids,
  };
}

const OPEN_GAPS_A_PAGE = 1_000;
const OF_ALL = { name: 'api.load-latest', deadlineMs: 120_000 };
const OF_ONE = { name: 'api.load-market' };

type Rows = {
  readonly generation: number;
  readonly now: Micros;
  /** Of every market that had a book since then, or of one. */
  readonly of: { readonly since: Micros } | { readonly venue: Venue; readonly market: string };
};

/** Newest books, identities, signs of capture and open gaps of the markets that had a book since then. */
export async function loadLatest(
  store: Store,
  memory: LatestMemory,
  request: { readonly generation: number; readonly since: Micros; readonly now: Micros },
): Promise<void> {
  const { generation, since, now } = request;
  // The tail begins with what these rows lack: memory goes back to the first event.
  const open = (venue: Venue, market: string): MarketMemory => memory.open(venue, market, 0);
  for (const row of await store.query<MarketRecord>(marketRows({ generation, since }), OF_ALL))
    open(row.venue as Venue, row.market).identity = marketFromRow(row).event;
  await fill(store, { generation, now, of: { since } }, open);
}

/**
 * One market that memory does not have, or only from some event on. It is whole when the tables reach to that event; until
 * then it is read again when asked for.
 */
export async function loadMarket(
  store: Store,
  entry: MarketMemory,
  request: Rows & { readonly identity: MarketIdentity | null; readonly projected: number | null },
): Promise<MarketMemory> {
  await fill(store, request, () => entry);
  entry.identity ??= request.identity;
  entry.whole = request.projected !== null && request.projected >= entry.since;
  return entry;
}

async function fill(
  store: Store,
  { generation, now, of }: Rows,
  open: (venue: Venue, market: string) => MarketMemory,
): Promise<void> {
  const options = 'venue' in of ? OF_ONE : OF_ALL;
  for (const venue of 'venue' in of ? [of.venue] : VENUES) {
    const request = { generation, venue, ...of };
    for (const row of await store.query<LatestRow>(latestRows(request), options)) {
      const market = open(venue, String(row.market));
      market.put(fromBookRow(row), {
        topic: String(row.topic),
        partition: row.partition,
        offset: row.offset,
      });
      if ('since' in of) market.whole = true;
    }
    for (const { market, outcome, newest_at, kind } of await store.query<SignRow>(signRows(request), options))
      open(venue, market).sign(outcome, { at: newest_at, farewell: kind === 'stopped' });
  }
  let after: { fromAt: Micros; gapId: string } | null = null;
  do {
    const page: GapRow[] = await store.query<GapRow>(
      gapsPage({
        generation,
        ...('venue' in of ? of : {}),
        dataset: 'books',
        from: now,
        to: now + 1,
        after,
        limit: OPEN_GAPS_A_PAGE,
      }),
      options,
    );
    for (const gap of page)
      if (gap.to_at === null)
        open(gap.venue, gap.market).openGap({
          gapId: gap.gap_id,
          outcome: gap.outcome === '' ? null : gap.outcome,
          cause: gap.cause,
          scope: gap.scope,
          from: gap.from_at,
          lastBefore: gap.last_before_at,
        });
    const last = page.at(-1);
    after = page.length === OPEN_GAPS_A_PAGE && last ? { fromAt: last.from_at, gapId: last.gap_id } : null;
  } while (after);
}
