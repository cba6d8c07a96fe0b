// What a simulated market is worth: strike, winner and fair price, from the price of the asset behind it.

import type { SimMarket, Winner } from '@ladderlog/core';

import { simulateOf } from './series.ts';
import { SIGMA_PER_ROOT_SECOND, createUnderlying, normalCdf, type Underlying } from './underlying.ts';

export type Valuation = {
  /** Of the asset, unrounded. */
  readonly underlying: Underlying;
  /** In whole cents. */
  price(asset: string, atMs: number): number;
  /** Fixed for a ladder, else the price when the window began; null before that. */
  strike(market: SimMarket): number | null;
  /** Null before the window ended. */
  winner(market: SimMarket): Winner | null;
  /** Probability of the first outcome, from the asset's distance to the strike and the time left. */
  fair(market: SimMarket, atMs: number): number;
};

export function createValuation(seed: number, scale: number, now: () => number): Valuation {
  const underlying = createUnderlying(seed);
  const price = (asset: string, atMs: number): number => Math.round(underlying(asset, atMs) * 100) / 100;
  const strike = (market: SimMarket): number | null =>
    market.strike ?? (now() < market.startMs ? null : price(market.series.asset, market.startMs));
  return {
    underlying,
    price,
    strike,
    winner(market) {
      if (now() < market.endMs) return null;
      const end = price(market.series.asset, market.endMs);
      const goal = strike(market) ?? 0;
      if (end === goal && simulateOf(market.venue).hasSplit) return 'split';
      return end >= goal ? 0 : 1;
    },
    fair(market, atMs) {
      const { asset } = market.series;
      if (atMs < market.startMs && market.strike === null)
        return 0.5 + 0.06 * (((underlying(asset, atMs) * 7) % 1) - 0.5);
      const secondsLeft = Math.max(market.endMs - atMs, 0) / 1_000 + 0.5 / scale;
      const distance = Math.log(underlying(asset, Math.min(atMs, market.endMs)) / (strike(market) ?? 1));
      const deviation = SIGMA_PER_ROOT_SECOND * Math.sqrt(secondsLeft);
      return Math.min(0.998, Math.max(0.002, normalCdf(distance / deviation)));
    },
  };
}
