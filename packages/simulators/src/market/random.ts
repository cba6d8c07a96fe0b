// Seeded randomness: nothing here asks the machine for entropy, so the same seed gives the same market, byte for byte.

import { mulberry32 } from '@ladderlog/core';

export type Random = {
  /** Uniform integer in [0, below). */
  int(below: number): number;
  chance(probability: number): boolean;
  gaussian(): number;
  exponential(mean: number): number;
};

export function createRandom(seed: number): Random {
  const draw = mulberry32(seed);
  /** Uniform in [0, 1). */
  const next = (): number => draw() / 2 ** 32;
  return {
    int: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    gaussian: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    exponential: (mean) => -Math.log(1 - next()) * mean,
  };
}
