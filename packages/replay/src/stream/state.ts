// What a replay has reached, for those who subscribe now: the state of each market that was told of, and the last position of
// each partition. It holds what was passed, sent or not.

import type { MarketState, Micros, Position, StreamFilter } from '@ladderlog/core';
import { Markets, factsOf, filterMatches, isGoingOn, streamText } from '@ladderlog/core';
import type { ReplayMessage, ReplayStep } from './steps.ts';

const placeOf = ({ topic, partition }: Omit<Position, 'offset'>): string => `${topic}/${partition}`;

export class ReplayState {
  private readonly markets = new Markets();
  private readonly passed: Map<string, number>;

  /** `next`: the first offsets of the replay, by time. */
  constructor(next: readonly Position[]) {
    this.passed = new Map(next.map((position) => [placeOf(position), position.offset - 1]));
  }

  told({ state }: ReplayMessage): void {
    this.markets.set(state);
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
        (filter.market !== null || !state.metadata || isGoingOn(state.metadata.event, now)),
    );
  }

  currentTexts({ books, gaps, metadata }: MarketState): string[] {
    return [...books, ...gaps.filter(({ event }) => event.dataset === 'books')].map(({ event, position }) =>
      streamText(event, position, metadata?.event ?? null, { current: true, replay: true }),
    );
  }
}
