// What a strategy sees of the run, and what it may do.

import { LadderlogError } from '../kernel/errors.ts';
import type { Micros } from '../kernel/time.ts';
import type { Account } from './account.ts';
import type { Orders } from './orders.ts';
import type { Random } from './random.ts';
import type { Strategy, StrategyContext } from './strategy.ts';
import type { TradedMarket } from './traded-market.ts';

export const contextOf = ({
  clock,
  account,
  orders,
  markets,
  random,
  params,
}: {
  readonly clock: { readonly now: Micros };
  readonly account: Account;
  readonly orders: Orders;
  readonly markets: ReadonlyMap<string, TradedMarket>;
  readonly random: Random;
  readonly params: Readonly<Record<string, string>>;
}): StrategyContext => ({
  get now() {
    return clock.now;
  },
  get cash() {
    return account.cash;
  },
  random,
  params,
  position: (market, outcome) => account.holding(market, outcome)?.size ?? 0,
  book: (market, outcome) => markets.get(market)?.books.get(outcome)?.book ?? null,
  market: (market) => markets.get(market)?.meta ?? null,
  orders: (market) => orders.open(market),
  send: (request) => orders.send({ ...request }, markets.get(request.market)?.venue ?? null, clock.now),
  cancel: (order) => orders.cancel(order, clock.now),
});

/** What it throws is a fault of the strategy, and says so. */
export function callStrategy(strategy: Strategy, handler: string, call: () => void): void {
  try {
    call();
  } catch (error) {
    if (error instanceof LadderlogError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new LadderlogError('BAD_STRATEGY', `strategy ${strategy.name} failed in ${handler}: ${message}`, {
      cause: error,
    });
  }
}
