// Messages of venue C, invented values in the true shape, for its tests.

import type { Normalizer } from '../../../src/capture/finding.ts';
import { venueC } from '../../../src/venues/venue-c/index.ts';
import { feed } from '../frames.ts';

export const MARKET = '0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344';
export const UP = '71183960810705820955071415844881728181970340514894896943812046065452395013351';
export const DOWN = '10423960810705820955071415844881728181970340514894896943812046065452395073875';

export const level = (price: string, size: string) => ({ price, size });
export const bookMessage = (over: Record<string, unknown> = {}) => ({
  event_type: 'book',
  market: MARKET,
  asset_id: UP,
  timestamp: '1794700801300',
  hash: '0a1b',
  bids: [level('.50', '310.4'), level('.51', '42')],
  asks: [level('.54', '120'), level('.53', '18.75')],
  ...over,
});
export const change = (over: Record<string, unknown> = {}) => ({
  asset_id: UP,
  price: '0.52',
  size: '75',
  side: 'BUY',
  hash: 'aa',
  best_bid: '0.52',
  best_ask: '0.53',
  ...over,
});
export const changes = (...entries: unknown[]) => ({
  event_type: 'price_change',
  market: MARKET,
  timestamp: '1794700802011',
  price_changes: entries,
});
/** A normalizer that holds the book of UP. */
export const started = (): Normalizer => {
  const normalizer = venueC.capture.createNormalizer();
  feed(normalizer, [bookMessage()]);
  return normalizer;
};
