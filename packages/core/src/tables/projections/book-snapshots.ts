// Every observation as a full ladder. The event's arrays become the row's arrays: no work per level.

import type { BookObserved } from '../../events/events.ts';
import { defineProjection } from '../projection.ts';
import type { StoredRow, TableRow } from '../tables.ts';
import type { Placed } from '../../market/state.ts';
import { envelopeOf, positionOf } from './envelope-columns.ts';
import type { Position } from '../../events/topics.ts';

export type BookRow = TableRow<'book_snapshots'>;

const NONE: readonly never[] = [];

export function bookRow(event: BookObserved, position: Position, version: number): BookRow {
  const { exceptions } = event;
  const plain = exceptions.length === 0;
  // One literal, not a spread: this runs once per observation.
  return {
    version,
    topic: position.topic,
    partition: position.partition,
    offset: position.offset,
    venue: event.venue,
    market: event.market,
    observed_at: event.observedAt,
    source_ts: event.sourceTs,
    session: event.session,
    ordinal: event.ordinal,
    provenance: event.provenance,
    outcome: event.outcome,
    entry: event.entry,
    kind: event.kind,
    state: event.state,
    flags: event.flags,
    best_bid: event.bidPrices[0] ?? null,
    best_ask: event.askPrices[0] ?? null,
    bid_levels: event.bidPrices.length,
    ask_levels: event.askPrices.length,
    bid_prices: event.bidPrices,
    bid_sizes: event.bidSizes,
    ask_prices: event.askPrices,
    ask_sizes: event.askSizes,
    native_bid: event.nativeBid,
    native_ask: event.nativeAsk,
    ask_complement: event.askComplement,
    price_format: event.priceFormat,
    size_format: event.sizeFormat,
    exception_sides: plain ? NONE : exceptions.map(({ side }) => side),
    exception_levels: plain ? NONE : exceptions.map(({ level }) => level),
    exception_prices: plain ? NONE : exceptions.map(({ price }) => price),
    exception_sizes: plain ? NONE : exceptions.map(({ size }) => size),
    hash: event.hash ?? '',
    sequence: event.sequence,
    native_ids: event.nativeIds,
  };
}

/** The event that a row was made of. */
export const bookFromRow = (row: StoredRow<'book_snapshots'>): Placed<BookObserved> => ({
  position: positionOf(row),
  event: {
    type: 'BookObserved',
    ...envelopeOf(row),
    sourceTs: row.source_ts,
    ordinal: row.ordinal,
    outcome: row.outcome,
    entry: row.entry,
    kind: row.kind as BookObserved['kind'],
    bidPrices: row.bid_prices,
    bidSizes: row.bid_sizes,
    askPrices: row.ask_prices,
    askSizes: row.ask_sizes,
    state: row.state as BookObserved['state'],
    flags: row.flags as BookObserved['flags'],
    nativeBid: row.native_bid,
    nativeAsk: row.native_ask,
    askComplement: row.ask_complement,
    priceFormat: row.price_format as BookObserved['priceFormat'],
    sizeFormat: row.size_format as BookObserved['sizeFormat'],
    exceptions: row.exception_sides.map((side, at) => ({
      side: side as 'bid' | 'ask',
      level: row.exception_levels[at] ?? 0,
      price: row.exception_prices[at] ?? '',
      size: row.exception_sizes[at] ?? '',
    })),
    hash: row.hash === '' ? null : row.hash,
    sequence: row.sequence,
    nativeIds: row.native_ids,
  },
});

const VERSION = 1;

export const bookSnapshots = defineProjection('book_snapshots', {
  version: VERSION,
  handles: ['BookObserved'],
  project: (event, position) => [bookRow(event, position, VERSION)],
});
