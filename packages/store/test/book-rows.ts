// Books for the store's tests: events, and the rows the projections give for them.

import type { BookObserved, MarketIdentity, Position, TableRow, Venue } from '@ladderlog/core';
import { bookState, PROJECTIONS } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { createRowEncoder } from '@ladderlog/store';

export const T0 = 1_794_700_800_000_000;

export function book(fields: Partial<BookObserved> = {}): BookObserved {
  const ladders = {
    bidPrices: fields.bidPrices ?? [530_000, 520_000],
    bidSizes: fields.bidSizes ?? [212_500_000, 1_000_000],
    askPrices: fields.askPrices ?? [550_000, 560_001],
    askSizes: fields.askSizes ?? [3_000_000, 30_000_000_000_000],
  };
  return {
    type: 'BookObserved',
    venue: 'venueb',
    market: 'KXBTC15M-26NOV150015-15',
    outcome: 'yes',
    observedAt: T0,
    sourceTs: null,
    session: 'b-1',
    ordinal: 0,
    provenance: 'captured',
    entry: 0,
    kind: 'snapshot',
    state: bookState(ladders),
    flags: [],
    nativeBid: 'yes',
    nativeAsk: 'no',
    askComplement: true,
    priceFormat: '4',
    sizeFormat: '2',
    exceptions: [],
    hash: null,
    sequence: null,
    nativeIds: {},
    ...ladders,
    ...fields,
  };
}

export const identity: MarketIdentity = {
  eventId: 'KXBTC15M-26NOV150015',
  seriesId: 'KXBTC15M',
  conditionId: null,
  outcomes: [{ id: 'yes', label: 'Yes', index: 0, tokenId: null, winner: null }],
};

export const position = (venue: Venue, offset: number): Position => ({ topic: venue, partition: 1, offset });

const bookSnapshots = PROJECTIONS.find(({ name }) => name === 'book_snapshots')!;

export function bookRow(event: BookObserved, offset: number): TableRow<'book_snapshots'> {
  return bookSnapshots.project(
    event,
    position(event.venue, offset),
  )[0] as unknown as TableRow<'book_snapshots'>;
}

/** Inserts the events as rows at offsets from `first`, into history and latest. */
export async function insertBooks(
  store: Store,
  events: readonly BookObserved[],
  first = 0,
  generation = 1,
): Promise<void> {
  for (const table of ['book_snapshots', 'latest_books'] as const) {
    const encoder = createRowEncoder(table, generation);
    events.forEach((event, at) => encoder.add(bookRow(event, first + at)));
    await store.insertRowBinary(table, encoder.columns, encoder.take(), {
      token: `test:${table}:${generation}:${first}-${first + events.length - 1}`,
    });
  }
}
