// Orders at the venue: an order that arrives meets the newest observation; never inside a gap, never on a book older than a
// limit, never more than was shown. One that rests is filled when the recorded book trades through its price.

import type { BookObserved } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import { adapterOf } from '../venues/registry.ts';
import type { Account } from './account.ts';
import { times } from './amounts.ts';
import type { Equity } from './equity.ts';
import { feeOf } from './fees.ts';
import type { Level, Walk } from './fill.ts';
import { isSuspect, tradesThrough, walk } from './fill.ts';
import { Holes } from './holes.ts';
import type { MutableOrder, Orders } from './orders.ts';
import { isClosed, refusal } from './rules.ts';
import type { EngineOptions } from './run.ts';
import type { Fill, OrderEnd } from './strategy.ts';
import type { TradedBook, TradedMarket } from './traded-market.ts';
import { bookOf } from './traded-market.ts';

export type MatchingSetup = {
  readonly options: EngineOptions;
  readonly clock: { readonly now: Micros };
  readonly account: Account;
  readonly equity: Equity;
  readonly orders: Orders;
  readonly markets: ReadonlyMap<string, TradedMarket>;
  readonly onFill: (fill: Fill) => void;
  readonly onEnd: (order: MutableOrder) => void;
};

export class Matching {
  private readonly setup: MatchingSetup;
  private readonly holes: Holes;

  constructor(setup: MatchingSetup) {
    this.setup = setup;
    this.holes = new Holes(setup.options.gaps);
  }

  execute(order: MutableOrder): void {
    const { markets, options, clock, orders } = this.setup;
    const { request } = order;
    const { market: id, size, limit = null } = request;
    const market = markets.get(id);
    if (!market) return this.end(order, 'unknown_market');
    order.venue = market.venue;
    if (request.side !== 'buy' && request.side !== 'sell') return this.end(order, 'bad_request');
    const refused = refusal(
      market.meta,
      options.rules[market.venue] ?? adapterOf(market.venue).trading.rules,
      size,
      limit,
      clock.now,
    );
    if (refused) return this.end(order, refused);
    const { name, mirrored } = bookOf(market.venue, request.outcome);
    const traded = market.books.get(name);
    if (this.holes.has(id, name, clock.now)) return this.end(order, 'in_gap');
    const book = traded?.book;
    if (!traded || !book || clock.now > (options.coveredUntil.get(id) ?? -Infinity))
      return this.end(order, 'not_covered');
    if (clock.now - book.observedAt > options.maxBookAge) return this.end(order, 'stale_book');
    if (isSuspect(book)) return this.end(order, 'suspect_book');
    const stopped = this.take(order, market, traded, book, { mirrored, limit, through: false });
    if (stopped) this.end(order, stopped);
    else if (order.filled === size) this.end(order, 'filled');
    else if (limit === null) this.end(order, 'insufficient_depth');
    else if (request.remainder === 'now')
      this.end(order, order.filled > 0 ? 'insufficient_depth' : 'not_marketable');
    else orders.rest(order);
  }

  tradeThrough(market: TradedMarket, traded: TradedBook, book: BookObserved): void {
    const { clock, orders } = this.setup;
    const resting = orders.resting(market.id);
    if (resting.length === 0 || isSuspect(book)) return;
    if (market.meta && isClosed(market.meta, clock.now)) return;
    for (const order of resting) {
      const { name, mirrored } = bookOf(market.venue, order.request.outcome);
      if (name !== traded.outcome || order.state !== 'resting') continue;
      if (!tradesThrough(book, order.request, mirrored)) continue;
      if (this.holes.has(market.id, name, clock.now)) continue;
      const limit = order.request.limit ?? null;
      const stopped = this.take(order, market, traded, book, { mirrored, limit, through: true });
      if (stopped) this.end(order, stopped);
      else if (order.filled === order.request.size) this.end(order, 'filled');
    }
  }

  end(order: MutableOrder, why: OrderEnd): void {
    if (order.state === 'done') return;
    this.setup.orders.end(order, why);
    this.setup.onEnd(order);
  }

  /** Fills what the book has. The text says why the order cannot go on; null: it was not stopped. */
  private take(
    order: MutableOrder,
    market: TradedMarket,
    traded: TradedBook,
    book: BookObserved,
    how: Pick<Walk, 'mirrored' | 'limit' | 'through'>,
  ): OrderEnd | null {
    const { account } = this.setup;
    const { side, outcome } = order.request;
    const open = order.request.size - order.filled;
    const held = side === 'sell' ? (account.holding(market.id, outcome)?.size ?? 0) : Infinity;
    if (held === 0) return 'insufficient_position';
    const size = Math.min(open, held);
    let filled = 0;
    for (const level of walk(book, traded.depth, { ...how, side, size })) {
      // A resting order was there first: it trades at its own price, not at the one that ran into it.
      const price = how.through ? how.limit! : level.price;
      if (!this.fill(order, market, traded, book, { ...level, price }, how.through))
        return 'insufficient_cash';
      filled += level.size;
    }
    return size < open && filled === size ? 'insufficient_position' : null;
  }

  /** False: there is not enough cash for it. */
  private fill(
    order: MutableOrder,
    market: TradedMarket,
    traded: TradedBook,
    book: BookObserved,
    { price, size, recorded }: Level,
    isMaker: boolean,
  ): boolean {
    const { account, clock, equity, options } = this.setup;
    const { side, outcome } = order.request;
    const liquidity = isMaker ? 'maker' : 'taker';
    const fees = options.fees[market.venue] ?? adapterOf(market.venue).trading.fees;
    const amount = times(price, size, side === 'buy' ? 'up' : 'down');
    const fee = feeOf(fees, { price, size, liquidity, marketBps: market.meta?.feeBps ?? null });
    if (side === 'buy' && amount + fee > account.cash) return false;
    traded.depth.take(recorded.side, recorded.price, size);
    if (side === 'buy') account.buy(market.id, outcome, size, amount, fee);
    else account.sell(market.id, outcome, size, amount, fee);
    order.filled += size;
    equity.revalue(market, traded, clock.now);
    this.setup.onFill({
      order: order.id,
      venue: market.venue,
      market: market.id,
      outcome,
      side,
      liquidity,
      at: clock.now,
      price,
      size,
      amount,
      fee,
      book: traded.position,
      bookAge: Math.max(0, clock.now - book.observedAt),
    });
    return true;
  }
}
