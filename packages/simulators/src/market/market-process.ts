// The market process: books, trades and lifecycles of every simulated market, as a pure function of (seed, start, options).
// Time comes in through advance(); however it is cut into steps, the same events come out in the same order.

import type { SimMarketState, Series, SimMarket, SimulatedMarkets, Venue } from '@ladderlog/core';
import { GRIDS, SimBook, mix, numberOf, phaseAt } from '@ladderlog/core';
import { nodePrimitives } from '@ladderlog/servers';

import { DueQueue } from './due-queue.ts';
import { SHARE, type Emit, type LiveMarket } from './live-market.ts';
import { fill } from './order-flow.ts';
import { createRandom } from './random.ts';
import { listSeries, marketsOf, simulateOf, type SeriesOptions } from './series.ts';
import { crossBook, openBook, update } from './trading.ts';
import { createValuation, type Valuation } from './valuation.ts';

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

export class MarketProcess {
  readonly series: readonly Series[];
  private readonly options: ProcessOptions;
  private readonly valuation: Valuation;
  private readonly known = new Map<Venue, Map<string, LiveMarket>>();
  private readonly due = new DueQueue<(emit: Emit) => void>();
  private at: number;

  constructor(options: ProcessOptions) {
    this.options = options;
    this.at = options.startMs;
    this.series = listSeries(options);
    this.valuation = createValuation(options.seed, options.scale, () => this.at);
    for (const { venue } of this.series) this.known.set(venue, new Map());
    for (const series of this.series) {
      const { durationMs } = series;
      const current = Math.floor(options.startMs / durationMs) * durationMs;
      for (let n = -options.history; n <= options.prelisted; n++)
        this.addWindow(series, current + n * durationMs, null);
      this.roll(series, current + durationMs);
    }
  }

  /** Emits everything that happens up to and including this time. */
  advance(toMs: number, emit: Emit): void {
    for (let next = this.due.peek(); next && next.at <= toMs; next = this.due.peek()) {
      this.due.pop();
      this.at = next.at;
      next.run(emit);
    }
    this.at = Math.max(this.at, toMs);
  }

  now(): number {
    return this.at;
  }

  state(venue: Venue, id: string): SimMarketState | undefined {
    return this.known.get(venue)?.get(id);
  }

  /** Every market of the catalogue, by window start. */
  states(venue: Venue): SimMarketState[] {
    return [...(this.known.get(venue)?.values() ?? [])];
  }

  /** The markets of one venue, as its own code sees them. */
  marketsOf(venue: Venue, stamp: SimulatedMarkets['stamp'] = (ms) => ms): SimulatedMarkets {
    const { price, strike, winner } = this.valuation;
    return {
      scale: this.options.scale,
      primitives: nodePrimitives,
      stamp,
      series: this.series.filter((series) => series.venue === venue),
      now: () => this.at,
      state: (id) => this.state(venue, id),
      states: () => this.states(venue),
      listed: () => this.states(venue).filter(({ market }) => market.listMs <= this.at),
      price,
      strike,
      winner,
    };
  }

  /** Crosses a book by one order, and takes it back after `durationMs`. False when there is no book to cross. */
  cross({ market }: SimMarketState, durationMs: number, emit: Emit): boolean {
    const state = this.known.get(market.venue)?.get(market.id);
    const until = Math.min(this.at + Math.max(1, Math.round(durationMs)), market.stopMs - 1);
    const takeBack = state && crossBook(state, this.at, until, emit);
    if (takeBack) this.due.push(until, takeBack);
    return Boolean(takeBack);
  }

  private addWindow(series: Series, startMs: number, emit: Emit | null): void {
    const { seed, prelisted } = this.options;
    const reference = this.valuation.underlying(series.asset, startMs - prelisted * series.durationMs);
    for (const market of marketsOf(seed, series, startMs, reference, this.options))
      this.addMarket(market, emit);
  }

  private addMarket(market: SimMarket, emit: Emit | null): void {
    const { seed, levels } = this.options;
    const random = createRandom(mix(seed, numberOf(`${market.venue}:${market.id}`)));
    const isOver = market.stopMs <= this.at;
    const state: LiveMarket = {
      market,
      book: isOver ? null : new SimBook(GRIDS[market.series.grid]),
      random,
      updatedMs: this.at,
      updates: 0,
      lastTrade: null,
      volume: (isOver ? 20_000 + random.int(400_000) : random.int(900)) * SHARE,
      trades: 0,
      crossedUntilMs: 0,
      sideless: null,
    };
    this.known.get(market.venue)!.set(market.id, state);
    const isUnopened = !simulateOf(market.venue).tradesBeforeStart && this.at < market.startMs;
    const fair = (atMs: number): number => this.valuation.fair(market, atMs);
    if (isUnopened)
      this.due.push(market.startMs, (emitNow) =>
        openBook(state, market.startMs, fair(market.startMs), levels, emitNow),
      );
    else if (state.book) fill(state, fair(this.at), levels);
    emit?.({ kind: 'listed', at: this.at, state });
    for (const [kind, at] of [
      ['opened', market.startMs],
      ['ended', market.endMs],
      ['stopped', market.stopMs],
      ['resolved', market.resolveMs],
    ] as const)
      if (at > this.at) this.due.push(at, (emitNow) => emitNow({ kind, at, state }));
    if (!isOver) this.schedule(state, this.at);
  }

  /** At each boundary lists the window that begins `prelisted` windows later, and forgets the oldest. */
  private roll(series: Series, boundary: number): void {
    const { durationMs, venue } = series;
    const { prelisted, history } = this.options;
    this.due.push(boundary, (emit) => {
      this.addWindow(series, boundary + prelisted * durationMs, emit);
      const known = this.known.get(venue)!;
      for (const [id, { market }] of known)
        if (market.series === series && market.startMs < boundary - history * durationMs) known.delete(id);
      this.roll(series, boundary + durationMs);
    });
  }

  /** Plans the next update of a book, and after it the one that follows. */
  private schedule(state: LiveMarket, from: number): void {
    const { market, random } = state;
    const phase = phaseAt(market, from);
    const quiet = phase === 'live' ? (market.series.kind === 'ladder' ? 4 : 1) : phase === 'listed' ? 6 : 3;
    const meanMs = (1_000 * quiet) / this.options.updatesPerSecond;
    let next = from + Math.max(1, Math.round(random.exponential(meanMs)));
    if (!simulateOf(market.venue).tradesBeforeStart && next < market.startMs)
      next = market.startMs + random.int(200) + 1;
    if (next >= market.stopMs) return;
    this.due.push(next, (emit) => {
      update(state, next, this.valuation.fair(market, next), this.options.levels, emit);
      this.schedule(state, next);
    });
  }
}
