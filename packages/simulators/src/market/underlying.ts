// The price of the asset behind the markets, as a pure function of (seed, asset, time): value noise over octaves from one
// second to about a day and a half, each with an amplitude of √period, which moves like a random walk. Being stateless, it
// gives a market of last week the same strike and the same winner on every start.

import { mix, numberOf } from '@ladderlog/core';

const BASE_PRICES: Readonly<Record<string, number>> = {
  BTC: 91_250,
  ETH: 3_140,
  BNB: 905,
  SOL: 141,
  XRP: 2.25,
  DOGE: 0.162,
  HYPE: 38.5,
};

/** Standard deviation of the log price over one second: about 50 % a year. */
export const SIGMA_PER_ROOT_SECOND = 8.9e-5;

const OCTAVES = 18;
const AMPLITUDE = 0.46 * SIGMA_PER_ROOT_SECOND;

export type Underlying = (asset: string, atMs: number) => number;

export function createUnderlying(seed: number): Underlying {
  const seeds = new Map<string, number>();
  return (asset, atMs) => {
    let assetSeed = seeds.get(asset);
    if (assetSeed === undefined) {
      assetSeed = mix(seed, numberOf(`underlying:${asset}`));
      seeds.set(asset, assetSeed);
    }
    let log = 0;
    for (let octave = 0; octave < OCTAVES; octave++) {
      const period = 1_000 * 2 ** octave;
      const cell = Math.floor(atMs / period);
      const fraction = atMs / period - cell;
      const octaveSeed = mix(assetSeed, octave);
      const left = lattice(octaveSeed, cell);
      const right = lattice(octaveSeed, cell + 1);
      log += AMPLITUDE * Math.sqrt(period / 1_000) * (left + (right - left) * fraction);
    }
    return (BASE_PRICES[asset] ?? 100) * Math.exp(log);
  };
}

/** About normal, mean 0, variance 1: the sum of four bytes of a hash. */
function lattice(seed: number, cell: number): number {
  const h = mix(seed, cell >>> 0);
  const sum = (h & 255) + ((h >>> 8) & 255) + ((h >>> 16) & 255) + (h >>> 24);
  return (sum / 255 - 2) * 1.732;
}

/** Normal distribution function (Zelen and Severo 26.2.17), good to 1e-7. */
export function normalCdf(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    0.3989422804014327 *
    Math.exp((-x * x) / 2) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
}
