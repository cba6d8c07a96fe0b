// What the engine knows of a market at one moment: its newest recorded books, and what was traded of them.

import type { BookObserved, MarketObserved, Venue } from '../events/events.ts';
import { adapterOf } from '../venues/registry.ts';
import type { Curve, Quote } from './curve.ts';
import type { DepthTaken } from './fill.ts';

export type TradedBook = {
  readonly outcome: string;
  readonly depth: DepthTaken;
  readonly path: Curve<Quote>;
  /** The newest observation; null in a gap. */
  book: BookObserved | null;
  /** Where in the log that observation is. */
  position: string;
};

export type TradedMarket = {
  readonly id: string;
  readonly venue: Venue;
  /** By the outcome that they are recorded for. */
  readonly books: Map<string, TradedBook>;
  meta: MarketObserved | null;
  settled: boolean;
};

/** The recorded book an outcome trades on. */
export function bookOf(venue: Venue, outcome: string): { readonly name: string; readonly mirrored: boolean } {
  const { mirror } = adapterOf(venue).trading;
  return mirror?.second === outcome
    ? { name: mirror.first, mirrored: true }
    : { name: outcome, mirrored: false };
}
