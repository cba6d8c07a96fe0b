// What a venue is to the rest of Ladderlog: one value, made of parts. Each part is used by one generic piece of code, and its
// type lives beside that code. The folders venue-a, venue-b and venue-c have the same files, one or more for each part.

import type { VenueCapture } from '../capture/finding.ts';
import type { Venue } from '../events/events.ts';
import type { RecordStyle } from '../market/record-style.ts';

export type VenueAdapter = {
  readonly venue: Venue;
  /** Which wire dialect it speaks, for docs and logs. */
  readonly dialect: string;
  /** How its frames are read. */
  readonly capture: VenueCapture;
  /** How its books and markets are shown. */
  readonly record: RecordStyle;
};
