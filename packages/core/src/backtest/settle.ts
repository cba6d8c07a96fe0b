// What a contract paid, by the recorded resolution. Where the venue did not state a value, none is made up.

import type { Micro } from '../kernel/decimal.ts';
import { MICRO, complement } from '../kernel/decimal.ts';
import type { MarketObserved } from '../events/events.ts';
import type { Holding } from './account.ts';
import { times } from './amounts.ts';
import type { Settlement } from './strategy.ts';

/** `refund`: what was paid comes back, without fees. `split`: every outcome pays its equal share. */
export type VoidRule = 'refund' | 'split';

type Payout = { readonly payout: Micro | null; readonly rule: Settlement['rule'] };

/** Null: not resolved, or resolved without a value that the venue stated. */
function payoutOf(market: MarketObserved, outcome: string, voidRule: VoidRule): Payout | null {
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

/** What is paid for what is held of the market; null: it is not resolved, or the venue stated no value. */
export function settlementsOf(
  event: MarketObserved,
  holdings: Iterable<Holding>,
  voidRule: VoidRule,
  moment: Pick<Settlement, 'at' | 'afterRange' | 'position'>,
): Settlement[] | null {
  const { venue, market } = event;
  const anyOutcome = event.outcomes[0]?.id ?? event.winningOutcome ?? '';
  if (payoutOf(event, anyOutcome, voidRule) === null) return null;
  const settled: Settlement[] = [];
  for (const { market: heldOf, outcome, size, cost } of holdings) {
    const paid = heldOf === market ? payoutOf(event, outcome, voidRule) : null;
    if (!paid) continue;
    const amount = paid.payout === null ? cost : times(paid.payout, size, 'down');
    settled.push({ venue, market, outcome, size, amount, ...paid, ...moment });
  }
  return settled;
}
