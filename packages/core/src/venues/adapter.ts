// What a venue is to the rest of Ladderlog: one value, made of parts. Each part is used by one generic piece of code, and its
// type lives beside that code. The folders venue-a, venue-b and venue-c have the same files, one or more for each part.

import type { VenueTrading } from '../backtest/trading.ts';
import type { VenueCapture } from '../capture/finding.ts';
import type { Plan, Venue } from '../events/events.ts';
import type { RecordStyle } from '../market/record-style.ts';
import type { VenueRoutes } from './routes.ts';

export type VenueAdapter = {
  readonly venue: Venue;
  /** Which wire dialect it speaks, for docs and logs. */
  readonly dialect: string;
  /** How its frames are read. */
  readonly capture: VenueCapture;
  /** How its books and markets are shown. */
  readonly record: RecordStyle;
  /** What a backtest on it must know. */
  readonly trading: VenueTrading;
  /** The smallest plan that may read it; larger ones may too. */
  readonly plan: Plan;
  /** Its routes in the contract of the API. */
  readonly routes: VenueRoutes;
};
