// What the account is worth over time. Holdings are worth what the best recorded bid would have paid for them; nothing where
// there is none.

import type { Micro } from '../kernel/decimal.ts';
import { complement } from '../kernel/decimal.ts';
import type { Micros } from '../kernel/time.ts';
import type { Account } from './account.ts';
import { Curve } from './curve.ts';
import { adapterOf } from '../venues/registry.ts';
import type { TradedBook, TradedMarket } from './traded-market.ts';

export class Equity {
  readonly curve = new Curve<Micro>();
  private readonly account: Account;
  private peak: Micro;
  maxDrawdown: Micro = 0;

  constructor(account: Account, from: Micros) {
    this.account = account;
    this.peak = account.cash;
    this.curve.add(from, account.cash);
  }

  /** Another book was observed, or there is more or less held of it. */
  revalue(market: TradedMarket, traded: TradedBook, now: Micros): void {
    const { book } = traded;
    if (!book) return;
    let held = this.account.holding(market.id, traded.outcome);
    if (held) held.mark = book.bidPrices[0] ?? 0;
    const mirror = adapterOf(market.venue).trading.mirror;
    const mirrored =
      mirror?.first === traded.outcome ? this.account.holding(market.id, mirror.second) : undefined;
    if (mirrored) {
      const ask = book.askPrices[0];
      mirrored.mark = ask === undefined ? 0 : complement(ask);
    }
    held ??= mirrored;
    if (held) this.mark(now);
  }

  mark(now: Micros): void {
    const equity = this.account.equity();
    this.curve.add(now, equity);
    if (equity > this.peak) this.peak = equity;
    else if (this.peak - equity > this.maxDrawdown) this.maxDrawdown = this.peak - equity;
  }
}
