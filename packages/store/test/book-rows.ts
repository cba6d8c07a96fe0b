// Events for the store's tests, and the rows the projections give for them.

import type {
  BookObserved,
  LadderEvent,
  MarketIdentity,
  MetricSampled,
  Position,
  TableName,
  TableRow,
  Venue,
} from '@ladderlog/core';
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

/** What every sample of these tests is, but for its envelope. */
export const SAMPLE = {
  type: 'MetricSampled',
  outcome: '0',
  entry: 0,
  metric: 'chance',
  value: 520_000,
  text: '0.52',
  exact: true,
  size: null,
  takerSide: null,
} as const satisfies Partial<MetricSampled>;

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

/** Inserts the events at offsets from `first`, into every table that a projection gives rows of them for. */
export async function insertEvents(store: Store, events: readonly LadderEvent[], first = 0): Promise<void> {
  for (const projection of PROJECTIONS) {
    const encoder = createRowEncoder<TableName>(projection.table, 1);
    events.forEach((event, at) => {
      if (!projection.handles.includes(event.type)) return;
      const topic = 'venue' in event ? event.venue : 'control';
      for (const row of projection.project(event, { topic, partition: 0, offset: first + at }))
        encoder.add(row);
    });
    await store.insertRowBinary(projection.table, encoder.columns, encoder.take(), {
      token: `${projection.name}:${first}`,
    });
  }
}
