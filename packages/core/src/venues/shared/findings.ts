// Findings that every venue makes in the same way.

import type { CompareFinding, RejectFinding, SampleFinding, SkipFinding } from '../../capture/finding.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { excerptOf } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';
import type { Drift } from './wire-levels.ts';

const DETAIL_LENGTH = 200;

export const skip = (reason: string): SkipFinding => ({ type: 'skip', reason });

export const reject = (market: string, reason: string, detail: unknown): RejectFinding => ({
  type: 'reject',
  market,
  reason,
  detail: excerptOf(detail, DETAIL_LENGTH),
});

/** A reject that no book can have changed by, or beside which a break says which books are lost. */
export const rejectIntact = (market: string, reason: string, detail: unknown): RejectFinding => ({
  ...reject(market, reason, detail),
  booksIntact: true,
});

export const compared = (
  market: string,
  outcome: string,
  method: CompareFinding['method'],
  sourceTs: Micros | null,
  drift: Drift,
): CompareFinding => ({ type: 'compare', market, outcome, method, sourceTs, ...drift });

/** `text` is the venue's own of the value. */
export const sample = (
  of: Pick<SampleFinding, 'market' | 'outcome' | 'metric' | 'sourceTs'>,
  text: string,
  { value, exact }: Decimal,
  { size, takerSide }: Pick<SampleFinding, 'size' | 'takerSide'> = NOT_A_TRADE,
): SampleFinding => ({ type: 'sample', ...of, value, text, exact, size, takerSide });

const NOT_A_TRADE = { size: null, takerSide: null };
