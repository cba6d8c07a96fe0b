// The venues by name. Nothing outside a venue's folder asks which venue it is: it asks the adapter.

import type { Venue } from '../events/events.ts';
import { LadderlogError } from '../kernel/errors.ts';
import type { VenueAdapter } from './adapter.ts';
import * as all from './venues.ts';

/** In order of their names. */
export const VENUE_ADAPTERS: readonly VenueAdapter[] = Object.values(all);

export const VENUES: readonly Venue[] = VENUE_ADAPTERS.map(({ venue }) => venue);

const byName: ReadonlyMap<string, VenueAdapter> = new Map(
  VENUE_ADAPTERS.map((adapter) => [adapter.venue, adapter]),
);

export const isVenue = (text: string): text is Venue => byName.has(text);

/** Events of a venue that this version does not know reach nobody who asks: readers filter by isVenue. */
export function adapterOf(venue: Venue): VenueAdapter {
  const adapter = byName.get(venue);
  if (!adapter)
    throw new LadderlogError('BAD_ARGUMENT', `no venue "${venue}"; there are ${VENUES.join(', ')}`);
  return adapter;
}
