import type { SimMarketEvent, SimMarketState, BookSide as Side } from '@ladderlog/core';

import type { Random } from './random.ts';

/** A market while it is simulated. */
export type LiveMarket = { -readonly [Name in keyof SimMarketState]: SimMarketState[Name] } & {
  readonly random: Random;
  /** Until then the book is crossed by a fault and does nothing else. */
  crossedUntilMs: number;
  /** The side that nobody quotes any more. */
  sideless: Side | null;
};

export type Emit = (event: SimMarketEvent) => void;

/** One share, in sizes of 1e-6; also the price 1. */
export const SHARE = 1_000_000;
