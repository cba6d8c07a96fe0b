// The backtest: recorded events in, what a strategy would have done with them out. Pure and deterministic in (options,
// events in order). An order sent at t reaches the venue at t + latency and meets the newest observation at or before that
// moment (matching.ts). Not modelled: see report.ts.

import { LadderlogError } from '../kernel/errors.ts';
import type {
  BookObserved,
  GapClosed,
  GapOpened,
  MarketObserved,
  Venue,
  VenueEvent,
} from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import type { Position } from '../events/topics.ts';
import { formatPosition } from '../events/topics.ts';
import { Account } from './account.ts';
import { callStrategy, contextOf } from './context.ts';
import type { Quote } from './curve.ts';
import { Curve } from './curve.ts';
import { Equity } from './equity.ts';
import { DepthTaken } from './fill.ts';
import { Matching } from './matching.ts';
import { Orders } from './orders.ts';
import { seeded } from './random.ts';
import { closeOf, isClosed } from './rules.ts';
import type { CrossedGap, EngineOptions, EngineResult } from './run.ts';
import { settlementsOf } from './settle.ts';
import type { Fill, OrderEnd, Settlement, Strategy, StrategyContext } from './strategy.ts';
import type { TradedMarket } from './traded-market.ts';
import { bookOf } from './traded-market.ts';

/** An order sent in answer to an order, at once, without end is a fault of the strategy. */
const MAX_ARRIVALS_AT_ONCE = 10_000;

export class BacktestEngine {
  private readonly strategy: Strategy;
  private readonly options: EngineOptions;
  private readonly account: Account;
  private readonly equity: Equity;
  private readonly orders: Orders;
  private readonly matching: Matching;
  private readonly markets = new Map<string, TradedMarket>();
  private readonly fills: Fill[] = [];
  private readonly settlements: Settlement[] = [];
  private readonly crossed: CrossedGap[] = [];
  private readonly openGaps = new Set<string>();
  private readonly positions = new Map<string, [number, number]>();
  private readonly context: StrategyContext;
  private readonly clock: { now: Micros };
  private events = 0;
  private books = 0;

  constructor(strategy: Strategy, options: EngineOptions) {
    this.strategy = strategy;
    this.options = options;
    this.account = new Account(options.cash);
    this.equity = new Equity(this.account, options.from);
    const clock = { now: options.from };
    this.clock = clock;
    const { account, equity, markets } = this;
    const random = seeded(options.seed);
    const delay = (): Micros =>
      options.latency + (options.jitter > 0 ? random.below(Math.min(options.jitter + 1, 2 ** 32)) : 0);
    this.orders = new Orders(delay);
    this.matching = new Matching({
      options,
      clock,
      account,
      equity,
      orders: this.orders,
      markets,
      onFill: (fill) => {
        this.fills.push(fill);
        this.tell('onFill', () => strategy.onFill?.(fill, this.context));
      },
      onEnd: (order) => this.tell('onEnd', () => strategy.onEnd?.(order, this.context)),
    });
    this.context = contextOf({
      clock,
      account,
      orders: this.orders,
      markets,
      random,
      params: options.params,
    });
    for (const meta of options.markets) this.learn(this.marketOf(meta.venue, meta.market), meta);
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
        return this.observed(event, position);
      case 'MarketObserved':
        return this.described(event, position);
      case 'GapOpened':
        return event.dataset === 'books' ? this.gapOpened(event) : undefined;
      case 'GapClosed':
        return event.dataset === 'books' ? this.gapClosed(event) : undefined;
      case 'CaptureStopped': {
        const market = event.dataset === 'books' ? this.markets.get(event.market) : undefined;
        if (market) this.lose(market, event.outcome, 'not_covered');
        return;
      }
      default:
    }
  }

  /** `resolutions`: what the log says of markets after the range, for what is still held. */
  finish(
    resolutions: readonly { readonly event: MarketObserved; readonly position: Position }[] = [],
  ): EngineResult {
    this.arrive(this.options.to - 1);
    this.clock.now = Math.max(this.clock.now, this.options.to);
    for (const order of this.orders.unfinished()) this.matching.end(order, 'end_of_range');
    for (const { event, position } of resolutions) {
      if (event.observedAt > this.clock.now) this.clock.now = event.observedAt;
      this.described(event, position, true);
    }
    this.equity.mark(this.clock.now);
    return {
      cash: this.account.cash,
      equity: this.account.equity(),
      fees: this.account.fees,
      realized: this.account.realized,
      maxDrawdown: this.equity.maxDrawdown,
      fills: this.fills,
      orders: this.orders.list(),
      settlements: this.settlements,
      open: [...this.account.all()].map(({ ...held }) => held),
      crossed: this.crossed,
      curve: this.equity.curve.list(),
      paths: new Map(
        [...this.markets.values()].flatMap(({ id, books }) =>
          [...books.values()].map(({ outcome, path }) => [`${id}\u0000${outcome}`, path.list()] as const),
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
    callStrategy(this.strategy, name, call);
  }

  private marketOf(venue: Venue, id: string): TradedMarket {
    let market = this.markets.get(id);
    if (!market) this.markets.set(id, (market = { id, venue, books: new Map(), meta: null, settled: false }));
    return market;
  }

  private observed(event: BookObserved, position: Position): void {
    const market = this.marketOf(event.venue, event.market);
    let traded = market.books.get(event.outcome);
    if (!traded) {
      const path = new Curve<Quote>();
      traded = { outcome: event.outcome, depth: new DepthTaken(), path, book: null, position: '' };
      market.books.set(event.outcome, traded);
    }
    traded.book = event;
    traded.position = formatPosition(position);
    traded.depth.observe(event);
    traded.path.add(this.clock.now, { bid: event.bidPrices[0] ?? null, ask: event.askPrices[0] ?? null });
    this.matching.tradeThrough(market, traded, event);
    this.equity.revalue(market, traded, this.clock.now);
    this.tell('onBook', () => this.strategy.onBook?.(event, this.context));
  }

  private learn(market: TradedMarket, meta: MarketObserved): void {
    const close = closeOf(meta);
    if (close !== null && close !== (market.meta && closeOf(market.meta)))
      this.orders.closeAt(market.id, close);
    market.meta = meta;
  }

  private described(event: MarketObserved, position: Position, afterRange = false): void {
    const market = this.marketOf(event.venue, event.market);
    this.learn(market, event);
    if (!afterRange) this.tell('onMarket', () => this.strategy.onMarket?.(event, this.context));
    this.endIfClosed(market);
    if (!market.settled) this.settle(market, event, position, afterRange);
  }

  private endIfClosed(market: TradedMarket): void {
    if (!market.meta || !isClosed(market.meta, this.clock.now)) return;
    for (const order of this.orders.resting(market.id)) this.matching.end(order, 'market_closed');
  }

  private settle(market: TradedMarket, event: MarketObserved, position: Position, afterRange: boolean): void {
    const settled = settlementsOf(event, this.account.all(), this.options.voidRule, {
      at: this.clock.now,
      afterRange,
      position: formatPosition(position),
    });
    if (!settled) return;
    market.settled = true;
    for (const { outcome, size, amount } of settled)
      this.account.sell(event.market, outcome, size, amount, 0);
    this.settlements.push(...settled);
    this.equity.mark(this.clock.now);
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
    this.tellGap(event);
  }

  private gapClosed(event: GapClosed): void {
    this.openGaps.delete(event.gapId);
    this.tellGap(event);
  }

  private tellGap(event: GapOpened | GapClosed): void {
    const { venue, market, outcome, cause, from } = event;
    const ended =
      event.type === 'GapClosed'
        ? ({ change: 'closed', to: event.to } as const)
        : ({ change: 'opened', to: null } as const);
    this.tell('onGap', () =>
      this.strategy.onGap?.({ venue, market, outcome, cause, from, ...ended }, this.context),
    );
  }

  /** The book is not known from here on: what rests on it can be neither filled nor kept. */
  private lose(market: TradedMarket, outcome: string | null, why: OrderEnd): number {
    let cancelled = 0;
    for (const traded of market.books.values()) {
      if (outcome !== null && traded.outcome !== outcome) continue;
      if (traded.book) traded.path.add(this.clock.now, { bid: null, ask: null });
      traded.book = null;
      for (const order of this.orders.resting(market.id)) {
        if (bookOf(market.venue, order.request.outcome).name !== traded.outcome) continue;
        this.matching.end(order, why);
        cancelled++;
      }
    }
    return cancelled;
  }

  /** Everything that reaches the venue until `until`, in order of arrival. */
  private arrive(until: Micros): void {
    let at = -Infinity;
    let atOnce = 0;
    for (;;) {
      const next = this.orders.nextArrival(until);
      if (!next) return;
      if (next.at > this.clock.now) this.clock.now = next.at;
      if (next.kind === 'close') {
        // The close may have been put off since.
        const market = this.markets.get(next.market);
        if (market) this.endIfClosed(market);
        continue;
      }
      atOnce = next.at === at ? atOnce + 1 : 1;
      at = next.at;
      if (atOnce > MAX_ARRIVALS_AT_ONCE)
        throw new LadderlogError('BAD_STRATEGY', `strategy ${this.strategy.name} sends orders without end`);
      const { order } = next;
      if (order.state === 'done') continue;
      if (next.kind === 'cancel') this.matching.end(order, 'cancelled');
      else this.matching.execute(order);
    }
  }
}
