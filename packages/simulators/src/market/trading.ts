// What happens in a simulated book: updates by makers and takers, the first orders, and the crossing that a fault asks for.

import { GRIDS, type BookSide as Side } from '@ladderlog/core';

import { SHARE, type Emit, type LiveMarket } from './live-market.ts';
import { fill, orderSize, quote } from './order-flow.ts';
import { simulateOf } from './series.ts';

/** A book price may be this far from the fair one before takers sweep it. */
const SLACK = 8_000;
/** Where the venue's price grid becomes finer, as a distance from 0 and from 1. */
const FINE_BELOW = 40_000;
const FINE_ABOVE = 960_000;

function begin(state: LiveMarket, at: number): void {
  state.updates++;
  state.updatedMs = at;
}

/** One update: takers sweep what the fair price has passed, makers quote around it, now and then someone trades. */
export function update(state: LiveMarket, at: number, fair: number, levels: number, emit: Emit): void {
  if (at <= state.crossedUntilMs) return;
  const { market, random } = state;
  const book = state.book!;
  begin(state, at);
  const apply = (side: Side, index: number, size: number): void => {
    const delta = book.set(side, index, size);
    if (delta !== 0) emit({ kind: 'change', at, state, side, price: book.grid.prices[index]!, size, delta });
  };
  let traded = false;
  const take = (taker: 'buy' | 'sell', wanted: number): void => {
    const side: Side = taker === 'buy' ? 'ask' : 'bid';
    const index = book.best(side);
    if (index < 0) return;
    const there = book.size(side, index);
    const size = Math.min(there, wanted);
    const price = book.grid.prices[index]!;
    traded = true;
    state.lastTrade = price;
    state.volume += size;
    state.trades++;
    apply(side, index, there - size);
    emit({ kind: 'trade', at, state, price, size, taker });
  };
  const fairPrice = fair * SHARE;
  for (let n = 0; n < 4 && (book.bestPrice('ask') ?? SHARE) < fairPrice - SLACK; n++) take('buy', Infinity);
  for (let n = 0; n < 4 && (book.bestPrice('bid') ?? 0) > fairPrice + SLACK; n++) take('sell', Infinity);

  // Near the end nobody sells the winner or buys the loser: that side empties and stays so.
  const isLate = at > market.endMs - market.series.durationMs * 0.15;
  if (isLate && state.sideless === null && (fair > 0.985 || fair < 0.015))
    state.sideless = fair > 0.5 ? 'ask' : 'bid';
  if (state.sideless !== null)
    for (let n = 0; n < 6; n++) {
      const best = book.best(state.sideless);
      if (best >= 0) apply(state.sideless, best, 0);
    }

  quote(state, levels, fairPrice, apply);
  if (random.chance(0.12)) take(random.chance(0.5) ? 'buy' : 'sell', orderSize(state, 1));
  refineTick(state, at, emit);
  emit({ kind: 'updated', at, state, traded });
}

function refineTick(state: LiveMarket, at: number, emit: Emit): void {
  const book = state.book!;
  if (!simulateOf(state.market.venue).refinesTick || book.grid.name !== 'cent') return;
  const best = book.bestPrice('bid') ?? book.bestPrice('ask');
  if (best === null || (best <= FINE_ABOVE && best >= FINE_BELOW)) return;
  book.refine(GRIDS.deci);
  emit({ kind: 'tick', at, state, from: 10_000, to: 1_000 });
}

/** The first orders of a book that was empty, as changes. */
export function openBook(state: LiveMarket, at: number, fair: number, levels: number, emit: Emit): void {
  fill(state, fair, levels);
  begin(state, at);
  for (const side of ['bid', 'ask'] as const)
    for (const [price, size] of state.book!.levels(side))
      emit({ kind: 'change', at, state, side, price, size, delta: size });
  emit({ kind: 'updated', at, state, traded: false });
}

/** Crosses the book by one order until a time. Returns what takes it back then; null when there is no book to cross. */
export function crossBook(
  state: LiveMarket,
  now: number,
  until: number,
  emit: Emit,
): ((emit: Emit) => void) | null {
  const { book } = state;
  if (!book || book.best('ask') < 0 || now < state.crossedUntilMs || now >= state.market.stopMs) return null;
  const index = Math.min(book.best('ask') + 1, book.grid.prices.length - 1);
  const price = book.grid.prices[index]!;
  const before = book.size('bid', index);
  const set = (at: number, size: number, emitNow: Emit): void => {
    begin(state, at);
    const delta = book.set('bid', index, size);
    emitNow({ kind: 'change', at, state, side: 'bid', price, size, delta });
    emitNow({ kind: 'updated', at, state, traded: false });
  };
  set(now, before + 25 * SHARE, emit);
  state.crossedUntilMs = until;
  return (emitNow) => set(until, before, emitNow);
}
