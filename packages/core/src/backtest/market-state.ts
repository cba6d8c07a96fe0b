// What the engine knows of a market at one moment.

import type { BookObserved, MarketObserved, Venue } from '../events/events.ts';
import type { Curve, Quote } from './curve.ts';
import type { DepthTaken } from './fill.ts';

export type Track = {
  readonly outcome: string;
  readonly depth: DepthTaken;
  readonly path: Curve<Quote>;
  book: BookObserved | null;
  position: string;
};

export type Market = {
  readonly id: string;
  readonly venue: Venue;
  readonly tracks: Map<string, Track>;
  meta: MarketObserved | null;
  settled: boolean;
};

/** Books of A and B are recorded for the first outcome; the second trades against their mirror. */
export const MIRRORS: Readonly<Partial<Record<Venue, { readonly first: string; readonly second: string }>>> =
  {
    venuea: { first: '0', second: '1' },
    venueb: { first: 'yes', second: 'no' },
  };

/** The recorded book an outcome trades on. */
export function bookOf(venue: Venue, outcome: string): { readonly name: string; readonly mirrored: boolean } {
  const mirror = MIRRORS[venue];
  return mirror?.second === outcome
    ? { name: mirror.first, mirrored: true }
    : { name: outcome, mirrored: false };
}
