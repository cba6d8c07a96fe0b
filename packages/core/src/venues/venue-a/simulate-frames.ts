// Simulated venue A: the market as pushes.

import type { Level } from '../serving/sim-book.ts';
import type { SimMarketState } from '../serving/simulate.ts';
import type { FrameA } from './server-socket.ts';
import { precisionOf, priceA, sizeA } from './simulate-objects.ts';

/** Both sides of the first outcome's book as pairs. */
export function pushFrame(state: SimMarketState, updateTimestampMs: number): FrameA {
  const precision = precisionOf(state.market);
  const pair = ([price, size]: Level): [string, string] => [priceA(price, precision), sizeA(size, price)];
  const data = {
    msgType: 'orderbook',
    marketId: Number(state.market.id),
    updateTimestampMs,
    asks: state.book!.levels('ask').map(pair),
    bids: state.book!.levels('bid').map(pair),
  };
  return { market: state.market.id, data: JSON.stringify(data) };
}

/** A whole book whose best bid has the size -1. */
export function negativeSize(state: SimMarketState, at: number): FrameA {
  const { market, data } = pushFrame(state, at);
  const book = JSON.parse(data) as { bids: [string, string][] };
  book.bids[0]![1] = '-1';
  return { market, data: JSON.stringify(book) };
}
