// A recording of venue D as its own protocol. It has no socket: everything is an answer.

import type { BookObserved } from '../../events/events.ts';
import type { Query } from '../serving/query.ts';
import { nativeOf, newestOf, recordedLevels } from '../serving/recorded.ts';
import type { DerivedAnswer, Recalled, VenueReplayPart } from '../serving/replay.ts';
import { asJson } from '../serving/server.ts';
import { isAskedFor } from './server.ts';
import { OUTCOMES, routeOf, type WireBook } from './wire.ts';

export const replay: VenueReplayPart = {
  watchedId: (market) => market,
  frames: () => [],
  firstBook: () => null,
  relativeChanges: false,
  answer({ path, query }, known) {
    const route = routeOf(path);
    if (route === null) return null;
    if (route.read === 'matches') return matches(query, known);
    return route.read === 'book' ? books(route.match, known) : match(path, known);
  },
};

function books(id: string, known: Recalled): DerivedAnswer | null {
  const found = OUTCOMES.flatMap((outcome) => known.book(id, outcome) ?? []);
  if (found.length < OUTCOMES.length) return null;
  const byOutcome = Object.fromEntries(found.map((book) => [book.outcome, wireBook(book)]));
  return { answer: asJson(200, { match: id, ...byOutcome }, [id]), at: newestOf(found) };
}

const wireBook = (book: BookObserved): WireBook => ({
  bids: recordedLevels(book, 'bid'),
  asks: recordedLevels(book, 'ask'),
});

function matches(query: Query, known: Recalled): DerivedAnswer {
  const found = [...known.markets()].filter(({ seriesId, closesAt }) =>
    isAskedFor(query, seriesId, closesAt),
  );
  return { answer: asJson(200, { matches: found.map((one) => nativeOf(one)['match']) }), at: known.now };
}

function match(path: string, known: Recalled): DerivedAnswer | null {
  const id = path.slice(path.lastIndexOf('/') + 1);
  const found = known.market(decodeURIComponent(id));
  return found && { answer: asJson(200, nativeOf(found)['match'], [id]), at: found.observedAt };
}
