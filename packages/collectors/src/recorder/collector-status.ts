// How a collector is doing, from what it watches.

import type { Micros, Track } from '@ladderlog/core';

export type CollectorStatus = {
  readonly venue: string;
  readonly state: 'starting' | 'capturing' | 'degraded' | 'disconnected';
  readonly markets: number;
  readonly books: number;
  readonly gapsOpen: number;
  readonly gapSince: number | null;
  readonly frames: number;
  readonly lastFrameAt: number | null;
  readonly beatAt: number | null;
  readonly readsPerSecond: number | null;
  /** How old messages are when they are received, by the venue's own times; null where it states none. */
  readonly messageAgeMs: number | null;
};

export function countBooks(
  tracks: Iterable<Track>,
): Pick<CollectorStatus, 'books' | 'gapsOpen' | 'gapSince'> {
  let gapsOpen = 0;
  let books = 0;
  let gapSince: Micros | null = null;
  for (const track of tracks) {
    if (track.dataset !== 'books') continue;
    books++;
    if (track.gap) {
      gapsOpen++;
      gapSince = Math.min(gapSince ?? track.gap.from, track.gap.from);
    }
  }
  return { books, gapsOpen, gapSince };
}

export function stateOf(discovered: boolean, connected: boolean, gapsOpen: number): CollectorStatus['state'] {
  if (!discovered) return 'starting';
  if (!connected) return 'disconnected';
  return gapsOpen > 0 ? 'degraded' : 'capturing';
}
