// What a venue is to the rest of Ladderlog: one value, made of parts. Each part is used by one generic piece of code, and its
// type lives beside that code. The folders venue-a, venue-b and venue-c have the same files, one or more for each part.

import type { VenueCollect } from '../capture/collect.ts';
import type { VenueCapture } from '../capture/finding.ts';
import type { VenueSettings } from '../kernel/settings.ts';
import type { VenueTrading } from '../backtest/trading.ts';
import type { Plan, Venue } from '../events/events.ts';
import type { RecordStyle } from '../market/record-style.ts';
import type { VenueRoutes } from './routes.ts';
import type { VenueReplayPart } from './serving/replay.ts';
import type { VenueServerPart } from './serving/server.ts';
import type { VenueSimulatePart } from './serving/simulate.ts';

export type VenueAdapter = {
  readonly venue: Venue;
  /** Which wire dialect it speaks, for docs and logs. */
  readonly dialect: string;
  /** How its frames are read. */
  readonly capture: VenueCapture;
  /** What can be set, and what that means. */
  readonly settings: VenueSettings;
  /** How it is asked and listened to, from the values of its settings. */
  readonly collect: VenueCollect;
  /** How its books and markets are shown. */
  readonly record: RecordStyle;
  /** What a backtest on it must know. */
  readonly trading: VenueTrading;
  /** The smallest plan that may read it; larger ones may too. */
  readonly plan: Plan;
  /** Its routes in the contract of the API. */
  readonly routes: VenueRoutes;
  /** Its own protocol as a server. */
  readonly server: VenueServerPart;
  /** A recording in that protocol. */
  readonly replay: VenueReplayPart;
  /** A simulated market in that protocol. */
  readonly simulate: VenueSimulatePart;
};
