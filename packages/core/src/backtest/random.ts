// The only chance in a backtest: a 32-bit generator (mulberry32) that the seed decides wholly.

export type Random = {
  /** An integer, 0 <= n < bound. */
  below(bound: number): number;
};

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
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
