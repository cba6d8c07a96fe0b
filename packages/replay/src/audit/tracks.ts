// Names of what can be in a gap.

import type { GapClosed, GapOpened } from '@ladderlog/core';

export const bookTrack = (market: string, outcome: string | null): string =>
  `books\u0000${market}\u0000${outcome ?? ''}`;
export const samplesTrack = (market: string): string => `samples\u0000${market}\u0000`;

export const trackOf = ({ dataset, market, outcome }: GapOpened | GapClosed): string =>
  dataset === 'samples' ? samplesTrack(market) : bookTrack(market, outcome);

export const bookKey = ({ market, outcome }: { readonly market: string; readonly outcome: string }): string =>
  `${market}\u0000${outcome}`;
