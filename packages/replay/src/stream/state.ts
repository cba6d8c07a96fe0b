// What a replay has reached, for those who subscribe now: the newest books and open gaps of each market, and the last position
// of each partition. A fold of what was passed, sent or not.

import type { BookObserved, GapOpened, Micros, Position, StreamFilter, Venue } from '@ladderlog/core';
import { filterMatches, isGoingOn, isNewer, streamText } from '@ladderlog/core';
import type { KnownMarket } from '../source/markets.ts';
import { marketKey } from '../source/markets.ts';
import type { ReplayMessage, ReplayStep } from './steps.ts';

type Current<E> = { readonly event: E; readonly position: Position };

type MarketState = {
  readonly venue: Venue;
  readonly market: string;
  known: KnownMarket | null;
  readonly books: Map<string, Current<BookObserved>>;
  readonly gaps: Map<string, Current<GapOpened>>;
};

const placeOf = ({ topic, partition }: Omit<Position, 'offset'>): string => `${topic}/${partition}`;

export class ReplayState {
  private readonly markets = new Map<string, MarketState>();
  private readonly passed: Map<string, number>;

  /** `next`: the first offsets of the replay, by time. */
  constructor(next: readonly Position[]) {
    this.passed = new Map(next.map((position) => [placeOf(position), position.offset - 1]));
  }

  apply({ event, position, known }: ReplayMessage): void {
    const key = marketKey(event.venue, event.market);
    let state = this.markets.get(key);
    if (!state) {
      const { venue, market } = event;
      this.markets.set(key, (state = { venue, market, known, books: new Map(), gaps: new Map() }));
    }
    state.known = known;
    if (event.type === 'BookObserved') {
      const before = state.books.get(event.outcome);
      if (
        !before ||
        isNewer(event.observedAt, position.offset, before.event.observedAt, before.position.offset)
      )
        state.books.set(event.outcome, { event, position });
    } else if (event.type === 'GapOpened') {
      if (event.dataset === 'books') state.gaps.set(event.gapId, { event, position });
    } else if (event.type === 'GapClosed') state.gaps.delete(event.gapId);
  }

  /** The client has it, or did not ask for it. */
  pass({ position }: ReplayStep): void {
    this.passed.set(placeOf(position), position.offset);
  }

  partitions(topic: string): number {
    return [...this.passed.keys()].filter((place) => place.startsWith(`${topic}/`)).length;
  }

  positionsOf(places: readonly Omit<Position, 'offset'>[]): Position[] {
    return places.map((place) => ({ ...place, offset: this.passed.get(placeOf(place)) ?? -1 }));
  }

  /** As the live feed: markets that are over have no current book, unless asked for by name. */
  matching(filter: StreamFilter, now: Micros): MarketState[] {
    return [...this.markets.values()].filter(
      (state) =>
        filterMatches(filter, factsOf(state)) &&
        (filter.market !== null || !state.known || isGoingOn(state.known, now)),
    );
  }

  currentTexts({ books, gaps, known }: MarketState): string[] {
    return [...books.values(), ...gaps.values()].map(({ event, position }) =>
      streamText(event, position, known, { current: true, replay: true }),
    );
  }
}

export const factsOf = (of: {
  readonly venue: Venue;
  readonly market: string;
  readonly known: KnownMarket | null;
}) => ({
  venue: of.venue,
  market: of.market,
  asset: of.known?.asset ?? null,
  window: of.known?.window ?? null,
});
