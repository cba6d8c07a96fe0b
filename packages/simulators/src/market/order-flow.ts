// Who trades in a simulated book: market makers that keep levels around the fair price.

import { indexAtOrBelow, type BookSide as Side } from '@ladderlog/core';

import { SHARE, type LiveMarket } from './live-market.ts';
import { simulateOf } from './series.ts';

/** The first orders of a book: `levels` a side around the fair probability, with a few holes. */
export function fill(state: LiveMarket, p: number, levels: number): void {
  const book = state.book!;
  const { random } = state;
  const below = indexAtOrBelow(book.grid, p * SHARE - 2_000);
  const place = (side: Side, from: number, step: -1 | 1): void => {
    let placed = 0;
    let depth = 0;
    for (let index = from; index >= 0 && index < book.grid.prices.length && placed < levels; index += step) {
      depth++;
      if (depth > 3 && random.chance(0.2)) continue;
      book.set(side, index, orderSize(state, 1 + depth / 8));
      placed++;
    }
  };
  place('bid', below, -1);
  place('ask', below + 1 + random.int(2), 1);
}

/** Closes a wide spread, then moves a level or two somewhere in the book. */
export function quote(
  state: LiveMarket,
  levels: number,
  fairPrice: number,
  apply: (side: Side, index: number, size: number) => void,
): void {
  const { random } = state;
  const book = state.book!;
  const below = indexAtOrBelow(book.grid, fairPrice - 2_000);
  const top = book.grid.prices.length - 1;
  const bidGoal = Math.min(below, (book.best('ask') < 0 ? top + 1 : book.best('ask')) - 1);
  if (state.sideless !== 'bid' && bidGoal >= 0 && book.best('bid') < bidGoal)
    apply('bid', bidGoal - (bidGoal > 2 && random.chance(0.3) ? 1 : 0), orderSize(state, 1));
  const askGoal = Math.max(below + 1 + (random.chance(0.3) ? 1 : 0), book.best('bid') + 1);
  if (state.sideless !== 'ask' && askGoal <= top && (book.best('ask') < 0 || book.best('ask') > askGoal))
    apply('ask', askGoal, orderSize(state, 1));
  for (const side of ['bid', 'ask'] as const) {
    if (state.sideless === side || random.chance(0.35)) continue;
    const best = book.best(side);
    if (best < 0) continue;
    const depth = Math.floor(random.exponential(levels / 3));
    const index = side === 'bid' ? best - depth : best + depth;
    if (index < 0 || index > top) continue;
    const count = book.count(side);
    const there = book.size(side, index);
    if (there > 0 && (count > levels || random.chance(0.3)) && count > 1 && depth > 0) apply(side, index, 0);
    else apply(side, index, orderSize(state, 1 + depth / 8));
  }
}

/** Log-normal, larger away from the touch, in the venue's own granularity. */
export function orderSize({ market, random }: LiveMarket, factor: number): number {
  const shares = Math.exp(3.4 + random.gaussian() * 1.2) * factor + 1;
  const { sixDecimals, twoDecimals } = simulateOf(market.venue).sizes;
  if (sixDecimals > 0 && random.chance(sixDecimals)) return Math.round(shares * SHARE);
  return random.chance(twoDecimals) ? Math.round(shares * 100) * 10_000 : Math.round(shares) * SHARE;
}
