// How venues are named in help texts: from the list of venues, so that a new one is named too.

import type { VenueAdapter } from '@ladderlog/core';
import { VENUES, VENUE_ADAPTERS } from '@ladderlog/core';

const joined = (names: readonly string[], word: string): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;

/** `venuea, venueb or venuec` */
export const ONE_VENUE = joined(VENUES, 'or');

/** `venues A and C`: those for which this holds. */
export function venuesThat(holds: (adapter: VenueAdapter) => boolean): string {
  const letters = VENUE_ADAPTERS.filter(holds).map(({ routes }) => routes.words.short);
  return `${letters.length === 1 ? 'venue' : 'venues'} ${joined(letters, 'and')}`;
}
