// The findings of venue B that are made in more than one place.

import type { GapCause, GapScope } from '../../events.ts';
import type { BreakFinding, CompareFinding, RejectFinding, SkipFinding } from '../../venue.ts';
import type { Drift } from '../wire-levels.ts';
import { OUTCOME } from './book.ts';

export const skip = (reason: string): SkipFinding => ({ find: 'skip', reason });

export const reject = (market: string, reason: string, detail: string): RejectFinding => ({
  find: 'reject',
  market,
  reason,
  detail,
});

export const broken = (
  market: string,
  cause: GapCause,
  scope: GapScope,
  detail: string | null,
): BreakFinding => ({ find: 'break', market, outcome: OUTCOME, cause, scope, detail });

export const compared = (market: string, method: CompareFinding['method'], drift: Drift): CompareFinding => ({
  find: 'compare',
  market,
  outcome: OUTCOME,
  method,
  sourceTs: null,
  ...drift,
});
