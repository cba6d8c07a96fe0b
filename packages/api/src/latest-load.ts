// Fills the memory of newest books from the store: rows back to events.

import type {
  BookObserved,
  BookState,
  CheckFlag,
  GapRow,
  Micros,
  Provenance,
  TableRow,
  TextFormat,
  Venue,
} from '@ladderlog/core';
import { VENUES } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { gapsPage, latestRows, marketRows } from '@ladderlog/store';
import type { LatestMemory } from './latest.ts';
import type { CatalogueRow } from './market-view.ts';
import { identityOf } from './market-view.ts';

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

/** Newest books of markets seen since `since`, their identities, and the gaps that are open. */
export async function loadLatest(
  store: Store,
  memory: LatestMemory,
  request: { readonly generation: number; readonly since: Micros; readonly now: Micros },
): Promise<void> {
  const options = { name: 'api.load-latest', deadlineMs: 120_000 };
  const { generation, since } = request;
  for (const row of await store.query<CatalogueRow>(marketRows({ generation, since }), options))
    memory.identify(row.venue as Venue, row.market, identityOf(row));
  for (const venue of VENUES)
    for (const row of await store.query<LatestRow>(latestRows({ generation, since, venue }), options))
      memory.put(fromBookRow(row), {
        topic: String(row.topic),
        partition: row.partition,
        offset: row.offset,
      });
  let after: { fromAt: Micros; gapId: string } | null = null;
  do {
    const page: GapRow[] = await store.query<GapRow>(
      gapsPage({
        generation,
        dataset: 'books',
        from: request.now,
        to: request.now + 1,
        after,
        limit: OPEN_GAPS_A_PAGE,
      }),
      options,
    );
    for (const gap of page)
      if (gap.to_at === null)
        memory.openGap({
          gapId: gap.gap_id,
          venue: gap.venue,
          market: gap.market,
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
