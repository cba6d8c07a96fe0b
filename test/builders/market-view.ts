// What a market's state says, without what only its own fold needs: two states that say the same are equal here. Books and gaps
// are ordered, and what the tables do not keep (ordinal and session of the event that told of a gap, trades, samples, the last
// observation) is left out.

import type { MarketState } from '@ladderlog/core';
import { withoutNative } from '@ladderlog/core';

export const viewOf = ({ market, books, gaps, metadata, watched }: MarketState) => ({
  market,
  books: [...books].sort((a, b) => (a.event.outcome < b.event.outcome ? -1 : 1)),
  gaps: gaps
    .map(({ event, position }) => ({ ...event, session: '', ordinal: 0, sourceTs: null, position }))
    .sort((a, b) => (a.gapId < b.gapId ? -1 : 1)),
  metadata: metadata && { ...metadata, event: withoutNative(metadata.event) },
  watched: watched
    .filter(({ dataset }) => dataset === 'books')
    .map(({ outcome, lastSeen, recording }) => ({
      outcome,
      // Of a market without books the tables are not asked when it was seen.
      lastSeen: books.length > 0 ? lastSeen : null,
      recording: recording && {
        collector: recording.collector,
        uncoveredSince: recording.uncoveredSince,
      },
    }))
    .filter(({ lastSeen, recording }) => lastSeen || recording)
    .sort((a, b) => (String(a.outcome) < String(b.outcome) ? -1 : 1)),
});

/** By market; those of which nothing is known are left out. */
export const viewsOf = (states: Iterable<MarketState>): ReturnType<typeof viewOf>[] =>
  [...states]
    .map(viewOf)
    .filter(
      ({ books, gaps, metadata, watched }) => books.length + gaps.length + watched.length > 0 || metadata,
    )
    .sort((a, b) => (a.market < b.market ? -1 : 1));
