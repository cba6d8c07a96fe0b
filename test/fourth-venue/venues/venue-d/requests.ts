// What to ask venue D for.

import type { VenueRequest } from '../../capture/collect.ts';
import type { Micros } from '../../kernel/time.ts';
import { toIso } from '../../kernel/time.ts';
import { get } from '../shared/request.ts';

/** Matches of a league that end at `from` or later, and before `until` where that is given. */
export const matchesRequest = (league: string, from: Micros, until?: Micros): VenueRequest =>
  get('rest', '/matches', {
    league,
    ends_from: toIso(from),
    ends_until: until === undefined ? null : toIso(until),
  });

export const matchRequest = (match: string): VenueRequest =>
  get('rest', `/matches/${encodeURIComponent(match)}`);

export const bookRequest = (match: string): VenueRequest =>
  get('rest', `/matches/${encodeURIComponent(match)}/book`);
