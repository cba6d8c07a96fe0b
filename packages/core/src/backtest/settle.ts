// What a contract paid, by the recorded resolution. Where the venue did not state a value, none is made up.

import type { Micro } from '../kernel/decimal.ts';
import { MICRO, complement } from '../kernel/decimal.ts';
import type { MarketObserved } from '../events/events.ts';
import type { Settlement } from './strategy.ts';

/** `refund`: what was paid comes back, without fees. `split`: every outcome pays its equal share. */
export type VoidRule = 'refund' | 'split';

export type Payout = { readonly payout: Micro | null; readonly rule: Settlement['rule'] };

/** Null: not resolved, or resolved without a value that the venue stated. */
export function payoutOf(market: MarketObserved, outcome: string, voidRule: VoidRule): Payout | null {
  if (market.status === 'voided')
    return voidRule === 'refund'
      ? { payout: null, rule: 'void_refund' }
      : { payout: Math.floor(MICRO / Math.max(2, market.outcomes.length)), rule: 'void_split' };
  if (market.status !== 'resolved') return null;
  if (market.winningOutcome !== null)
    return { payout: outcome === market.winningOutcome ? MICRO : 0, rule: 'winner' };
  if (market.settlementValue === null || market.settlementValue < 0 || market.settlementValue > MICRO)
    return null;
  // The stated value is that of the first outcome; the other one of a binary contract pays the rest.
  const index = market.outcomes.find(({ id }) => id === outcome)?.index;
  if (index === undefined || market.outcomes.length !== 2) return null;
  const value = market.settlementValue;
  return { payout: index === 0 ? value : complement(value), rule: 'settlement_value' };
}
