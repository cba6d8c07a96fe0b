// The only chance in a backtest: a generator that the seed decides wholly.

import { mulberry32 } from '../kernel/random.ts';

export type Random = {
  /** An integer, 0 <= n < bound. */
  below(bound: number): number;
};

export function seeded(seed: number): Random {
  const next = mulberry32(seed);
  return {
    below(bound) {
      if (!Number.isSafeInteger(bound) || bound <= 0 || bound > 2 ** 32)
        throw new RangeError('the bound must be an integer from 1 to 2^32');
      // Values past the last whole multiple are drawn again, so that every result is equally likely.
      const limit = 2 ** 32 - (2 ** 32 % bound);
      let drawn = next();
      while (drawn >= limit) drawn = next();
      return drawn % bound;
    },
  };
}
