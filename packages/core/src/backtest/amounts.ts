// Products of two amounts of 1e-6, in integers. Rounding is always against the account.

import { LadderlogError } from '../kernel/errors.ts';
import { MICRO } from '../kernel/decimal.ts';
import type { Micro } from '../kernel/decimal.ts';

export type Rounding = 'down' | 'up';

/** a × b of amounts that are not negative, to 1e-6. */
export function times(a: Micro, b: Micro, rounding: Rounding): Micro {
  return ratio(a, b, MICRO, rounding);
}

/** a × b / c, exact but for one rounding. */
export function ratio(a: number, b: number, c: number, rounding: Rounding): Micro {
  const product = a * b;
  if (Number.isSafeInteger(product)) {
    const rest = product % c;
    return (product - rest) / c + (rounding === 'up' && rest > 0 ? 1 : 0);
  }
  const exact = BigInt(a) * BigInt(b);
  const divisor = BigInt(c);
  const result = exact / divisor + (rounding === 'up' && exact % divisor > 0n ? 1n : 0n);
  if (result > BigInt(Number.MAX_SAFE_INTEGER))
    throw new LadderlogError('BAD_ARGUMENT', 'an amount of the backtest is out of range');
  return Number(result);
}
