// Cash and contracts. Contracts are only ever held, never owed: to bet against an outcome, buy the other one.

import type { Micro } from '../kernel/decimal.ts';
import { ratio, times } from './amounts.ts';

export type Holding = {
  readonly market: string;
  readonly outcome: string;
  size: Micro;
  /** What was paid for the contracts held, without fees. */
  cost: Micro;
  /** Price at which they were last worth something by the book; null before the first. */
  mark: Micro | null;
};

export class Account {
  cash: Micro;
  fees: Micro = 0;
  /** Received for sold contracts above what they had cost, without fees. */
  realized = 0;
  private readonly holdings = new Map<string, Holding>();

  constructor(cash: Micro) {
    this.cash = cash;
  }

  holding(market: string, outcome: string): Holding | undefined {
    return this.holdings.get(key(market, outcome));
  }

  all(): IterableIterator<Holding> {
    return this.holdings.values();
  }

  buy(market: string, outcome: string, size: Micro, amount: Micro, fee: Micro): void {
    this.cash -= amount + fee;
    this.fees += fee;
    const held = this.holding(market, outcome);
    if (held) {
      held.size += size;
      held.cost += amount;
    } else this.holdings.set(key(market, outcome), { market, outcome, size, cost: amount, mark: null });
  }

  /** `amount` is what the contracts brought; they must be held. */
  sell(market: string, outcome: string, size: Micro, amount: Micro, fee: Micro): void {
    const held = this.holding(market, outcome)!;
    const cost = size === held.size ? held.cost : ratio(held.cost, size, held.size, 'up');
    held.size -= size;
    held.cost -= cost;
    this.cash += amount - fee;
    this.fees += fee;
    this.realized += amount - cost;
    if (held.size === 0) this.holdings.delete(key(market, outcome));
  }

  /** Cash and what the holdings were last worth. */
  equity(): Micro {
    let sum = this.cash;
    for (const held of this.holdings.values()) sum += times(held.mark ?? 0, held.size, 'down');
    return sum;
  }
}

const key = (market: string, outcome: string): string => `${market}\u0000${outcome}`;
