// Settings that name venues or a share of the markets, and how a text is shown without its passwords.

import type { Parsed, Venue } from '@ladderlog/core';
import { VENUES, isVenue, parse } from '@ladderlog/core';

const { bad, ok } = parse;

/** Without the user and password that an address may hold. */
export const masked = (text: string): string =>
  text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, '$1(set)@');

export type VenueChoice = {
  readonly mode: 'simulated' | 'live' | 'none';
  readonly venues: readonly Venue[];
};
export const venues = (value: string): Parsed<VenueChoice> => {
  if (value === 'simulated' || value === 'live') return ok({ mode: value, venues: VENUES });
  if (value === 'none') return ok({ mode: 'none', venues: [] });
  const items = value.split(',').map((item) => item.trim());
  if (items.every(isVenue)) return ok({ mode: 'live', venues: items });
  return bad(`simulated, live, none, or a list of live venues such as ${VENUES.slice(1, 3).join(',')}`);
};
export const shard = (value: string): Parsed<{ index: number; count: number }> => {
  const match = /^(\d{1,4})\/(\d{1,4})$/.exec(value);
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  return match && count >= 1 && index < count
    ? ok({ index, count })
    : bad('index/count, e.g. 0/3, 1/3 and 2/3 for three collectors');
};
