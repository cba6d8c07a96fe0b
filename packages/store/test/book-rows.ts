// Events for the store's tests, and the rows the projections give for them.

import type {
  BookObserved,
  LadderEvent,
  MarketIdentity,
  Position,
  TableName,
  TableRow,
  Venue,
} from '@ladderlog/core';
import { PROJECTIONS } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { createRowEncoder } from '@ladderlog/store';

export { T0, book, sample } from '../../../test/builders/events.ts';

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
