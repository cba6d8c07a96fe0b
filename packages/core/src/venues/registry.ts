import type { Venue } from '../events/events.ts';
import type { VenueAdapter } from './adapter.ts';
import { venueA } from './venue-a/normalize.ts';
import { venueB } from './venue-b/normalize.ts';
import { venueC } from './venue-c/normalize.ts';

export const VENUE_ADAPTERS: Readonly<Record<Venue, VenueAdapter>> = {
  venuea: venueA,
  venueb: venueB,
  venuec: venueC,
};
