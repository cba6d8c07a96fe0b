// What a new subscription is sent first: the newest books and open gaps of the markets that match, as frames flagged `current`.

import type {
  BookObserved,
  GapOpened,
  MarketIdentity,
  MarketState,
  Micros,
  Placed,
  StreamFilter,
  Venue,
} from '@ladderlog/core';
import { factsOf, filterMatches, isGoingOn, marketKey, streamText } from '@ladderlog/core';
import type { Live } from '@ladderlog/live';
import { textFrame } from './clients/item.ts';

type Framed = { readonly identity: MarketIdentity | null; readonly frame: Buffer };

export class CurrentFrames {
  private readonly markets: Live['markets'];
  private readonly frames = new WeakMap<Placed<BookObserved | GapOpened>, Framed>();

  constructor(markets: Live['markets']) {
    this.markets = markets;
  }

  framesOf(key: string): Buffer[] {
    const state = this.markets.state(key);
    if (!state) return [];
    const gaps = state.gaps.filter(({ event }) => event.dataset === 'books');
    return [...state.books, ...gaps].map((one) => this.frameOf(one, state.metadata?.event ?? null));
  }

  private frameOf(one: Placed<BookObserved | GapOpened>, identity: MarketIdentity | null): Buffer {
    const known = this.frames.get(one);
    if (known?.identity === identity) return known.frame;
    const frame = textFrame(streamText(one.event, one.position, identity, { current: true }));
    this.frames.set(one, { identity, frame });
    return frame;
  }

  /** Keys of the markets of a filter that are still going on; of a market asked for by name whatever its status. */
  matching(filter: StreamFilter, venues: readonly Venue[], now: Micros): string[] {
    if (filter.market !== null && filter.venue !== null) {
      const key = marketKey(filter.venue, filter.market);
      return this.has(filter, key) ? [key] : [];
    }
    const keys: string[] = [];
    for (const state of this.markets.states())
      if (
        venues.includes(state.venue) &&
        filterMatches(filter, factsOf(state)) &&
        (!state.metadata || isGoingOn(state.metadata.event, now)) &&
        isTold(state)
      )
        keys.push(marketKey(state.venue, state.market));
    return keys;
  }

  has(filter: StreamFilter, key: string): boolean {
    const state = this.markets.state(key);
    return state !== null && isTold(state) && filterMatches(filter, factsOf(state));
  }
}

/** Of some markets only the capture was heard of: there is nothing to send. */
const isTold = ({ books, gaps, metadata }: MarketState): boolean =>
  books.length > 0 || gaps.length > 0 || metadata !== null;
