// The market process: books, trades and lifecycles of every simulated market, as a pure function of (seed, start, options).
// Time comes in through advance(); however it is cut into steps, the same events come out in the same order.

import type { Venue } from '@ladderlog/core';
import { GRIDS, bestPrice, createBook, levelsOf, regrid, setLevel, type Side, type SimBook } from './book.ts';
import { createDueQueue } from './due-queue.ts';
import { fill, orderSize, quote } from './order-flow.ts';
import { createRandom, hashText, mix, type Random } from './random.ts';
import { listSeries, marketsOf, phaseAt, type Series, type SeriesOptions, type SimMarket } from './series.ts';
import { SIGMA_PER_ROOT_SECOND, createUnderlying, normalCdf, type Underlying } from './underlying.ts';

export type ProcessOptions = SeriesOptions & {
  readonly seed: number;
  readonly startMs: number;
  /** Levels a side aimed at; the price grid may leave room for fewer. */
  readonly levels: number;
  /** Mean book updates a second of a live market. */
  readonly updatesPerSecond: number;
  readonly prelisted: number;
  /** Past windows of each series kept in the catalogue. */
  readonly history: number;
};

export type ProcessEvent =
  | {
      readonly kind: 'change';
      readonly at: number;
      readonly state: MarketState;
      readonly side: Side;
      /** Integers of 1e-6; `size` is the new total, `delta` the change. */
      readonly price: number;
      readonly size: number;
      readonly delta: number;
    }
  | {
      readonly kind: 'trade';
      readonly at: number;
      readonly state: MarketState;
      readonly price: number;
      readonly size: number;
      readonly taker: 'buy' | 'sell';
    }
  /** The last event of one update of a book. */
  | { readonly kind: 'updated'; readonly at: number; readonly state: MarketState; readonly traded: boolean }
  | {
      readonly kind: 'tick';
      readonly at: number;
      readonly state: MarketState;
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly kind: 'listed' | 'opened' | 'ended' | 'stopped' | 'resolved';
      readonly at: number;
      readonly state: MarketState;
    };

export type Emit = (event: ProcessEvent) => void;

export type MarketState = {
  readonly market: SimMarket;
  /** Null for markets that were over before this process began. */
  readonly book: SimBook | null;
  readonly random: Random;
  /** Time of the newest change of the book. */
  updatedMs: number;
  /** Updates so far: the seed of everything optional in the wire text. */
  updates: number;
  lastTrade: number | null;
  /** Shares traded, 1e-6. */
  volume: number;
  trades: number;
  crossedUntilMs: number;
  sideless: Side | null;
};

export type Winner = 0 | 1 | 'split';

export type MarketProcess = {
  readonly options: ProcessOptions;
  readonly series: readonly Series[];
  /** Emits everything that happens up to and including this time. */
  advance(toMs: number, emit: Emit): void;
  now(): number;
  state(venue: Venue, id: string): MarketState | undefined;
  /** Every market of the catalogue, by window start. */
  states(venue: Venue): MarketState[];
  price(asset: string, atMs: number): number;
  /** The strike: fixed for a ladder, else the price when the window began; null before that. */
  strike(market: SimMarket): number | null;
  /** 0: first outcome (Up, YES) won; 1: the other; `split`: a tie on venue A; null before the window ended. */
  winner(market: SimMarket): Winner | null;
  /** Crosses the book by one order, and takes it back after `durationMs`. False when there is no book to cross. */
  cross(state: MarketState, durationMs: number, emit: Emit): boolean;
};

const SHARE = 1_000_000;

export function createMarketProcess(options: ProcessOptions): MarketProcess {
  const { seed, startMs, scale, prelisted } = options;
  const series = listSeries(options);
  const underlying: Underlying = createUnderlying(seed);
  const states = new Map<Venue, Map<string, MarketState>>();
  for (const { venue } of series) if (!states.has(venue)) states.set(venue, new Map());
  let now = startMs;
  const heap = createDueQueue<(emit: Emit) => void>();
  const at = heap.push;

  const strike = (market: SimMarket): number | null =>
    market.strike ?? (now < market.startMs ? null : cents(underlying(market.series.asset, market.startMs)));
  function winner(market: SimMarket): Winner | null {
    if (now < market.endMs) return null;
    const end = cents(underlying(market.series.asset, market.endMs));
    const goal = strike(market) ?? 0;
    if (end === goal && market.venue === 'venuea') return 'split';
    return end >= goal ? 0 : 1;
  }

  /** Probability of the first outcome, from the underlying's distance to the strike and the time left. */
  function fair(market: SimMarket, time: number): number {
    if (time < market.startMs && market.strike === null)
      return 0.5 + 0.06 * (((underlying(market.series.asset, time) * 7) % 1) - 0.5);
    const goal = strike(market) ?? 1;
    const left = Math.max(market.endMs - time, 0) / 1_000 + 0.5 / scale;
    const distance = Math.log(underlying(market.series.asset, Math.min(time, market.endMs)) / goal);
    return Math.min(0.998, Math.max(0.002, normalCdf(distance / (SIGMA_PER_ROOT_SECOND * Math.sqrt(left)))));
  }

  function addWindow(of: Series, windowStart: number, emit: Emit | null): void {
    const reference = underlying(of.asset, windowStart - prelisted * of.durationMs);
    for (const market of marketsOf(seed, of, windowStart, reference, options)) {
      const random = createRandom(mix(seed, hashText(`${market.venue}:${market.id}`)));
      const over = market.stopMs <= now;
      const state: MarketState = {
        market,
        book: over ? null : createBook(GRIDS[of.grid]),
        random,
        updatedMs: now,
        updates: 0,
        lastTrade: null,
        volume: over ? (20_000 + random.int(400_000)) * SHARE : random.int(900) * SHARE,
        trades: 0,
        crossedUntilMs: 0,
        sideless: null,
      };
      states.get(market.venue)!.set(market.id, state);
      // Venue B's books are empty until the window opens; the others trade a listed window.
      const unopened = market.venue === 'venueb' && now < market.startMs;
      if (state.book && !unopened) fill(state, fair(market, now), options.levels);
      if (unopened) at(market.startMs, (emitNow) => open(state, emitNow));
      emit?.({ kind: 'listed', at: now, state });
      const milestone = (time: number, kind: 'opened' | 'ended' | 'stopped' | 'resolved'): void => {
        if (time > now) at(time, (emitNow) => emitNow({ kind, at: time, state }));
      };
      milestone(market.startMs, 'opened');
      milestone(market.endMs, 'ended');
      milestone(market.stopMs, 'stopped');
      milestone(market.resolveMs, 'resolved');
      if (!over) schedule(state, now);
    }
  }

  function forget(of: Series, windowStart: number): void {
    const known = states.get(of.venue)!;
    for (const [id, state] of known)
      if (state.market.series === of && state.market.startMs < windowStart) known.delete(id);
  }

  /** Lists the window that begins `prelisted` windows from here, then waits for the next boundary. */
  function roll(of: Series, boundary: number): void {
    at(boundary, (emit) => {
      addWindow(of, boundary + prelisted * of.durationMs, emit);
      forget(of, boundary - options.history * of.durationMs);
      roll(of, boundary + of.durationMs);
    });
  }

  function schedule(state: MarketState, from: number): void {
    const { market, random } = state;
    const phase = phaseAt(market, from);
    const quiet = phase === 'live' ? (market.series.kind === 'ladder' ? 4 : 1) : phase === 'listed' ? 6 : 3;
    const mean = (1_000 * quiet) / options.updatesPerSecond;
    let next = from + Math.max(1, Math.round(random.exponential(mean)));
    if (market.venue === 'venueb' && next < market.startMs) next = market.startMs + random.int(200) + 1;
    if (next >= market.stopMs) return;
    at(next, (emit) => {
      update(state, next, emit);
      schedule(state, next);
    });
  }

  function update(state: MarketState, time: number, emit: Emit): void {
    const { market, random } = state;
    const book = state.book!;
    if (time <= state.crossedUntilMs) return;
    state.updates++;
    state.updatedMs = time;
    const apply = (side: Side, index: number, size: number): void => {
      const delta = setLevel(book, side, index, size);
      if (delta !== 0)
        emit({ kind: 'change', at: time, state, side, price: book.grid.prices[index]!, size, delta });
    };
    const p = fair(market, time);
    let traded = false;
    const take = (taker: 'buy' | 'sell', wanted: number): void => {
      const side: Side = taker === 'buy' ? 'ask' : 'bid';
      const index = side === 'ask' ? book.bestAsk : book.bestBid;
      if (index < 0) return;
      const there = (side === 'ask' ? book.asks : book.bids)[index]!;
      const size = Math.min(there, wanted);
      const price = book.grid.prices[index]!;
      traded = true;
      state.lastTrade = price;
      state.volume += size;
      state.trades++;
      apply(side, index, there - size);
      emit({ kind: 'trade', at: time, state, price, size, taker });
    };
    const fairPrice = p * SHARE;
    const slack = 8_000;
    for (let n = 0; n < 4 && (bestPrice(book, 'ask') ?? SHARE) < fairPrice - slack; n++)
      take('buy', Number.MAX_SAFE_INTEGER);
    for (let n = 0; n < 4 && (bestPrice(book, 'bid') ?? 0) > fairPrice + slack; n++)
      take('sell', Number.MAX_SAFE_INTEGER);

    // Near the end nobody sells the winner or buys the loser: that side empties and stays so.
    const late = time > market.endMs - market.series.durationMs * 0.15;
    if (late && state.sideless === null && (p > 0.985 || p < 0.015)) state.sideless = p > 0.5 ? 'ask' : 'bid';
    if (state.sideless === 'ask')
      for (let n = 0; n < 6 && book.bestAsk >= 0; n++) apply('ask', book.bestAsk, 0);
    if (state.sideless === 'bid')
      for (let n = 0; n < 6 && book.bestBid >= 0; n++) apply('bid', book.bestBid, 0);

    quote(state, options.levels, fairPrice, apply);
    if (random.chance(0.12)) take(random.chance(0.5) ? 'buy' : 'sell', orderSize(state, 1));
    const best = bestPrice(book, 'bid') ?? bestPrice(book, 'ask');
    if (
      market.venue === 'venuec' &&
      book.grid.name === 'cent' &&
      best !== null &&
      (best > 960_000 || best < 40_000)
    ) {
      regrid(book, GRIDS.deci);
      emit({ kind: 'tick', at: time, state, from: 10_000, to: 1_000 });
    }
    emit({ kind: 'updated', at: time, state, traded });
  }

  /** The first orders of a book that was empty, as changes. */
  function open(state: MarketState, emit: Emit): void {
    const time = state.market.startMs;
    fill(state, fair(state.market, time), options.levels);
    state.updates++;
    state.updatedMs = time;
    for (const side of ['bid', 'ask'] as const)
      for (const [price, size] of levelsOf(state.book!, side))
        emit({ kind: 'change', at: time, state, side, price, size, delta: size });
    emit({ kind: 'updated', at: time, state, traded: false });
  }

  function cross(state: MarketState, durationMs: number, emit: Emit): boolean {
    const book = state.book;
    if (!book || book.bestAsk < 0 || now < state.crossedUntilMs || now >= state.market.stopMs) return false;
    const index = Math.min(book.bestAsk + 1, book.grid.prices.length - 1);
    const price = book.grid.prices[index]!;
    const size = 25 * SHARE;
    state.updates++;
    state.updatedMs = now;
    const before = book.bids[index]!;
    setLevel(book, 'bid', index, before + size);
    emit({ kind: 'change', at: now, state, side: 'bid', price, size: before + size, delta: size });
    emit({ kind: 'updated', at: now, state, traded: false });
    const until = Math.min(now + Math.max(1, Math.round(durationMs)), state.market.stopMs - 1);
    state.crossedUntilMs = until;
    at(until, (emitNow) => {
      state.updates++;
      state.updatedMs = until;
      setLevel(book, 'bid', index, before);
      emitNow({ kind: 'change', at: until, state, side: 'bid', price, size: before, delta: -size });
      emitNow({ kind: 'updated', at: until, state, traded: false });
    });
    return true;
  }

  for (const of of series) {
    const current = Math.floor(startMs / of.durationMs) * of.durationMs;
    for (let n = -options.history; n <= prelisted; n++) addWindow(of, current + n * of.durationMs, null);
    roll(of, current + of.durationMs);
  }

  return {
    options,
    series,
    advance(toMs, emit) {
      for (let due = heap.peek(); due && due.at <= toMs; due = heap.peek()) {
        heap.pop();
        now = due.at;
        due.run(emit);
      }
      now = Math.max(now, toMs);
    },
    now: () => now,
    state: (venue, id) => states.get(venue)?.get(id),
    states: (venue) => [...(states.get(venue)?.values() ?? [])],
    price: (asset, atMs) => cents(underlying(asset, atMs)),
    strike,
    winner,
    cross,
  };
}

const cents = (price: number): number => Math.round(price * 100) / 100;
