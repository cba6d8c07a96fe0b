// The findings of venue B that are made in more than one place.

import type { GapCause, GapScope } from '../../events/events.ts';
import type { Micros } from '../../kernel/time.ts';
import type { BreakFinding, CompareFinding, RejectFinding, SkipFinding } from '../../capture/finding.ts';
import type { Drift } from '../shared/wire-levels.ts';
import { OUTCOME } from './book.ts';

export const skip = (reason: string): SkipFinding => ({ type: 'skip', reason });

export const reject = (market: string, reason: string, detail: string): RejectFinding => ({
  type: 'reject',
  market,
  reason,
  detail,
  // Which books are lost is always said by a break.
  booksIntact: true,
});

export const broken = (
  market: string,
  cause: GapCause,
  scope: GapScope,
  detail: string | null,
  since: Micros | null = null,
): BreakFinding => ({
  type: 'break',
  market,
  outcome: OUTCOME,
  cause,
  scope,
  detail,
  ...(since === null ? {} : { since }),
});

/** Trades of the market were lost; its book stands. */
export const lostTrades = (
  market: string,
  cause: GapCause,
  scope: GapScope,
  detail: string | null,
  since: Micros | null = null,
): BreakFinding => ({ ...broken(market, cause, scope, detail, since), outcome: null, dataset: 'samples' });

export const compared = (market: string, method: CompareFinding['method'], drift: Drift): CompareFinding => ({
  type: 'compare',
  market,
  outcome: OUTCOME,
  method,
  sourceTs: null,
  ...drift,
});
