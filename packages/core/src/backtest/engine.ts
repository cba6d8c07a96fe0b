// The backtest: recorded events in, what a strategy would have done with them out. Pure and deterministic in (options,
// events in order). An order sent at t reaches the venue at t + latency and meets the newest observation at or before that
// moment; never inside a gap, never on a book older than a limit, never more than was shown. Not modelled: see report.ts.

import type { Micro } from '../decimal.ts';
import { complement } from '../decimal.ts';
import { LadderlogError } from '../errors.ts';
import type { BookObserved, GapClosed, GapOpened, MarketObserved, Venue, VenueEvent } from '../events.ts';
import type { Micros } from '../time.ts';
import type { Position } from '../topics.ts';
import { formatPosition } from '../topics.ts';
import { Account } from './account.ts';
import { times } from './amounts.ts';
import type { Quote } from './curve.ts';
import { Curve } from './curve.ts';
import { feeOf } from './fees.ts';
import type { Walk } from './fill.ts';
import { DepthTaken, isSuspect, tradesThrough, walk } from './fill.ts';
import { Holes } from './holes.ts';
import type { Market, Track } from './market-state.ts';
import { MIRRORS, bookOf } from './market-state.ts';
import type { MutableOrder } from './orders.ts';
import { Orders } from './orders.ts';
import { seeded } from './random.ts';
import { refusal } from './rules.ts';
import type { CrossedGap, EngineOptions, EngineResult } from './run.ts';
import { payoutOf } from './settle.ts';
import type { Fill, OrderEnd, Settlement, Strategy, StrategyContext } from './strategy.ts';

/** An order sent in answer to an order, at once, without end is a fault of the strategy. */
const MAX_ARRIVALS_AT_ONCE = 10_000;

export class BacktestEngine {
  private readonly strategy: Strategy;
  private readonly options: EngineOptions;
  private readonly account: Account;
  private readonly holes: Holes;
  private readonly orders: Orders;
  private readonly markets = new Map<string, Market>();
  private readonly fills: Fill[] = [];
  private readonly settlements: Settlement[] = [];
  private readonly crossed: CrossedGap[] = [];
  private readonly openGaps = new Set<string>();
  private readonly curve: Curve<Micro>;
  private readonly positions = new Map<string, [number, number]>();
  private readonly context: StrategyContext;
  private readonly clock: { now: Micros };
  private peak: Micro;
  private maxDrawdown: Micro = 0;
  private events = 0;
  private books = 0;

  constructor(strategy: Strategy, options: EngineOptions) {
    this.strategy = strategy;
    this.options = options;
    this.account = new Account(options.cash);
    this.holes = new Holes(options.gaps);
    const clock = { now: options.from };
    this.clock = clock;
    const { account } = this;
    this.peak = options.cash;
    this.curve = new Curve();
    const random = seeded(options.seed);
    const delay = (): Micros =>
      options.latency + (options.jitter > 0 ? random.below(Math.min(options.jitter + 1, 2 ** 32)) : 0);
    this.orders = new Orders(delay);
    this.context = {
      get now() {
        return clock.now;
      },
      get cash() {
        return account.cash;
      },
      random,
      params: options.params,
      position: (market, outcome) => this.account.holding(market, outcome)?.size ?? 0,
      book: (market, outcome) => this.markets.get(market)?.tracks.get(outcome)?.book ?? null,
      market: (market) => this.markets.get(market)?.meta ?? null,
      orders: (market) => this.orders.open(market),
      send: (request) =>
        this.orders.send({ ...request }, this.markets.get(request.market)?.venue ?? null, this.clock.now),
      cancel: (order) => this.orders.cancel(order, this.clock.now),
    };
    for (const meta of options.markets) this.marketOf(meta.venue, meta.market).meta = meta;
    this.curve.add(options.from, options.cash);
    this.tell('onStart', () => strategy.onStart?.(this.context));
  }

  /** In replay order. Events before `from` or at `to` and after do not belong here. */
  feed(event: VenueEvent, position: Position): void {
    this.events++;
    this.used(position);
    // Only now is it known that nothing more was observed at an earlier moment.
    this.arrive(event.observedAt - 1);
    if (event.observedAt > this.clock.now) this.clock.now = event.observedAt;
    switch (event.type) {
      case 'BookObserved':
        this.books++;
        this.observed(event, position);
        break;
      case 'MarketObserved':
        this.described(event, position);
        break;
      case 'GapOpened':
        if (event.dataset === 'books') this.gapOpened(event);
        break;
      case 'GapClosed':
        if (event.dataset === 'books') this.gapClosed(event);
        break;
      case 'CaptureStopped':
        if (event.dataset === 'books') {
          const market = this.markets.get(event.market);
          if (market) this.lose(market, event.outcome, 'not_covered');
        }
        break;
      default:
    }
  }

  /** `resolutions`: what the log says of markets after the range, for what is still held. */
  finish(
    resolutions: readonly { readonly event: MarketObserved; readonly position: Position }[] = [],
  ): EngineResult {
    this.arrive(this.options.to - 1);
    this.clock.now = Math.max(this.clock.now, this.options.to);
    for (const order of this.orders.unfinished()) this.end(order, 'end_of_range');
    for (const { event, position } of resolutions) {
      if (event.observedAt > this.clock.now) this.clock.now = event.observedAt;
      this.described(event, position, true);
    }
    this.mark();
    return {
      cash: this.account.cash,
      equity: this.account.equity(),
      fees: this.account.fees,
      realized: this.account.realized,
      maxDrawdown: this.maxDrawdown,
      fills: this.fills,
      orders: this.orders.list(),
      settlements: this.settlements,
      open: [...this.account.all()].map(({ ...held }) => held),
      crossed: this.crossed,
      curve: this.curve.list(),
      paths: new Map(
        [...this.markets.values()].flatMap(({ id, tracks }) =>
          [...tracks.values()].map(({ outcome, path }) => [`${id}\u0000${outcome}`, path.list()] as const),
        ),
      ),
      events: this.events,
      books: this.books,
      positions: this.positions,
    };
  }

  private used({ topic, partition, offset }: Position): void {
    const key = `${topic}/${partition}`;
    const range = this.positions.get(key);
    if (!range) this.positions.set(key, [offset, offset]);
    else if (offset > range[1]) range[1] = offset;
    else if (offset < range[0]) range[0] = offset;
  }

  private tell(name: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      if (error instanceof LadderlogError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new LadderlogError(
        'BAD_STRATEGY',
        `strategy ${this.strategy.name} failed in ${name}: ${message}`,
        {
          cause: error,
        },
      );
    }
  }

  private marketOf(venue: Venue, id: string): Market {
    let market = this.markets.get(id);
    if (!market)
      this.markets.set(id, (market = { id, venue, tracks: new Map(), meta: null, settled: false }));
    return market;
  }

  private observed(event: BookObserved, position: Position): void {
    const market = this.marketOf(event.venue, event.market);
    let track = market.tracks.get(event.outcome);
    if (!track) {
      const path = new Curve<Quote>();
      track = { outcome: event.outcome, depth: new DepthTaken(), path, book: null, position: '' };
      market.tracks.set(event.outcome, track);
    }
    track.book = event;
    track.position = formatPosition(position);
    track.depth.observe(event);
    track.path.add(this.clock.now, { bid: event.bidPrices[0] ?? null, ask: event.askPrices[0] ?? null });
    this.tradeThrough(market, track, event);
    this.revalue(market, track);
    this.tell('onBook', () => this.strategy.onBook?.(event, this.context));
  }

  private described(event: MarketObserved, position: Position, afterRange = false): void {
    const market = this.marketOf(event.venue, event.market);
    market.meta = event;
    if (!afterRange) this.tell('onMarket', () => this.strategy.onMarket?.(event, this.context));
    if (event.status !== 'closed' && event.status !== 'resolved' && event.status !== 'voided') return;
    for (const order of this.orders.resting(event.market)) this.end(order, 'market_closed');
    if (!market.settled) this.settle(market, event, position, afterRange);
  }

  private settle(market: Market, event: MarketObserved, position: Position, afterRange: boolean): void {
    const { voidRule } = this.options;
    const known = event.outcomes[0]?.id ?? event.winningOutcome ?? '';
    if (payoutOf(event, known, voidRule) === null) return;
    market.settled = true;
    const settled: Settlement[] = [];
    for (const held of this.account.all()) {
      if (held.market !== event.market) continue;
      const paid = payoutOf(event, held.outcome, voidRule);
      if (!paid) continue;
      const { size, outcome } = held;
      const amount = paid.payout === null ? held.cost : times(paid.payout, size, 'down');
      settled.push({
        venue: event.venue,
        market: event.market,
        outcome,
        at: this.clock.now,
        size,
        amount,
        ...paid,
        afterRange,
        position: formatPosition(position),
      });
      this.account.sell(event.market, outcome, size, amount, 0);
    }
    this.settlements.push(...settled);
    this.mark();
    this.tell('onResolve', () => this.strategy.onResolve?.(event, settled, this.context));
  }

  private gapOpened(event: GapOpened): void {
    // A recorder says open gaps again now and then, under the same id.
    if (this.openGaps.has(event.gapId)) return;
    this.openGaps.add(event.gapId);
    const market = this.marketOf(event.venue, event.market);
    const { gapId, cause, from, outcome } = event;
    const concerns = (held: { market: string; outcome: string }): boolean =>
      held.market === event.market &&
      (outcome === null || bookOf(market.venue, held.outcome).name === outcome);
    const held = [...this.account.all()].filter(concerns).map(({ outcome, size }) => ({ outcome, size }));
    const ordersCancelled = this.lose(market, outcome, 'gap');
    if (held.length > 0 || ordersCancelled > 0)
      this.crossed.push({ gapId, market: event.market, outcome, cause, from, held, ordersCancelled });
    this.tell('onGap', () =>
      this.strategy.onGap?.(
        { venue: event.venue, market: event.market, outcome, change: 'opened', cause, from, to: null },
        this.context,
      ),
    );
  }

  private gapClosed(event: GapClosed): void {
    this.openGaps.delete(event.gapId);
    const { venue, market, outcome, cause, from, to } = event;
    this.tell('onGap', () =>
      this.strategy.onGap?.({ venue, market, outcome, change: 'closed', cause, from, to }, this.context),
    );
  }

  /** The book is not known from here on: what rests on it can be neither filled nor kept. */
  private lose(market: Market, outcome: string | null, why: OrderEnd): number {
    let cancelled = 0;
    for (const track of market.tracks.values()) {
      if (outcome !== null && track.outcome !== outcome) continue;
      if (track.book) track.path.add(this.clock.now, { bid: null, ask: null });
      track.book = null;
      for (const order of this.orders.resting(market.id)) {
        if (bookOf(market.venue, order.request.outcome).name !== track.outcome) continue;
        this.end(order, why);
        cancelled++;
      }
    }
    return cancelled;
  }

  /** Everything that reaches the venue until `until`, in order of arrival. */
  private arrive(until: Micros): void {
    for (let count = 0; ; count++) {
      const next = this.orders.nextArrival(until);
      if (!next) return;
      if (count >= MAX_ARRIVALS_AT_ONCE)
        throw new LadderlogError('BAD_STRATEGY', `strategy ${this.strategy.name} sends orders without end`);
      if (next.at > this.clock.now) this.clock.now = next.at;
      const { order } = next;
      if (order.state === 'done') continue;
      if (next.kind === 'cancel') this.end(order, 'cancelled');
      else this.execute(order);
    }
  }

  private execute(order: MutableOrder): void {
    const { request } = order;
    const { market: id, size, limit = null } = request;
    const market = this.markets.get(id);
    if (!market) return this.end(order, 'unknown_market');
    order.venue = market.venue;
    if (request.side !== 'buy' && request.side !== 'sell') return this.end(order, 'bad_request');
    const refused = refusal(market.meta, this.options.rules[market.venue], size, limit);
    if (refused) return this.end(order, refused);
    const { name, mirrored } = bookOf(market.venue, request.outcome);
    const track = market.tracks.get(name);
    if (this.holes.has(id, name, this.clock.now)) return this.end(order, 'in_gap');
    const book = track?.book;
    if (!track || !book || this.clock.now > (this.options.coveredUntil.get(id) ?? -Infinity))
      return this.end(order, 'not_covered');
    if (this.clock.now - book.observedAt > this.options.maxBookAge) return this.end(order, 'stale_book');
    if (isSuspect(book)) return this.end(order, 'suspect_book');
    const stopped = this.take(order, market, track, book, { mirrored, limit, through: false });
    if (stopped) this.end(order, stopped);
    else if (order.filled === size) this.end(order, 'filled');
    else if (limit === null) this.end(order, 'insufficient_depth');
    else if (request.remainder === 'now')
      this.end(order, order.filled > 0 ? 'insufficient_depth' : 'not_marketable');
    else this.orders.rest(order);
  }

  private tradeThrough(market: Market, track: Track, book: BookObserved): void {
    const resting = this.orders.resting(market.id);
    if (resting.length === 0 || isSuspect(book)) return;
    for (const order of resting) {
      const { name, mirrored } = bookOf(market.venue, order.request.outcome);
      if (name !== track.outcome || order.state !== 'resting') continue;
      if (!tradesThrough(book, order.request, mirrored)) continue;
      if (this.holes.has(market.id, name, this.clock.now)) continue;
      const limit = order.request.limit ?? null;
      const stopped = this.take(order, market, track, book, { mirrored, limit, through: true });
      if (stopped) this.end(order, stopped);
      else if (order.filled === order.request.size) this.end(order, 'filled');
    }
  }

  /** Fills what the book has. The text says why the order cannot go on; null: it was not stopped. */
  private take(
    order: MutableOrder,
    market: Market,
    track: Track,
    book: BookObserved,
    how: Pick<Walk, 'mirrored' | 'limit' | 'through'>,
  ): OrderEnd | null {
    const { side, outcome } = order.request;
    let left = order.request.size - order.filled;
    if (side === 'sell') {
      const held = this.account.holding(market.id, outcome)?.size ?? 0;
      if (held === 0) return 'insufficient_position';
      left = Math.min(left, held);
    }
    const short = side === 'sell' && left < order.request.size - order.filled;
    const liquidity = how.through ? 'maker' : 'taker';
    const marketBps = market.meta?.feeBps ?? null;
    let filled = 0;
    for (const { price: shown, size, recorded } of walk(book, track.depth, { ...how, side, size: left })) {
      // A resting order was there first: it trades at its own price, not at the one that ran into it.
      const price = how.through ? how.limit! : shown;
      const amount = times(price, size, side === 'buy' ? 'up' : 'down');
      const fee = feeOf(this.options.fees[market.venue], { price, size, liquidity, marketBps });
      if (side === 'buy' && amount + fee > this.account.cash) return 'insufficient_cash';
      track.depth.take(recorded.side, recorded.price, size);
      if (side === 'buy') this.account.buy(market.id, outcome, size, amount, fee);
      else this.account.sell(market.id, outcome, size, amount, fee);
      order.filled += size;
      filled += size;
      const fill: Fill = {
        order: order.id,
        venue: market.venue,
        market: market.id,
        outcome,
        side,
        liquidity,
        at: this.clock.now,
        price,
        size,
        amount,
        fee,
        book: track.position,
        bookAge: Math.max(0, this.clock.now - book.observedAt),
      };
      this.fills.push(fill);
      this.revalue(market, track);
      this.tell('onFill', () => this.strategy.onFill?.(fill, this.context));
    }
    return short && filled === left ? 'insufficient_position' : null;
  }

  private end(order: MutableOrder, why: OrderEnd): void {
    if (order.state === 'done') return;
    this.orders.end(order, why);
    this.tell('onEnd', () => this.strategy.onEnd?.(order, this.context));
  }

  /** Holdings are worth what the best recorded bid would have paid for them; nothing where there is none. */
  private revalue(market: Market, track: Track): void {
    const { book } = track;
    if (!book) return;
    let held = this.account.holding(market.id, track.outcome);
    if (held) held.mark = book.bidPrices[0] ?? 0;
    const mirror = MIRRORS[market.venue];
    const mirrored =
      mirror?.first === track.outcome ? this.account.holding(market.id, mirror.second) : undefined;
    if (mirrored) {
      const ask = book.askPrices[0];
      mirrored.mark = ask === undefined ? 0 : complement(ask);
    }
    held ??= mirrored;
    if (held) this.mark();
  }

  private mark(): void {
    const equity = this.account.equity();
    this.curve.add(this.clock.now, equity);
    if (equity > this.peak) this.peak = equity;
    else if (this.peak - equity > this.maxDrawdown) this.maxDrawdown = this.peak - equity;
  }
}
