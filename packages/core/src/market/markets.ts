// The states of many markets, as one fold.

import type { LadderEvent, Venue } from '../events/events.ts';
import type { Position } from '../events/topics.ts';
import type { Micros } from '../kernel/time.ts';
import type { MarketState } from './state.ts';
import { emptyMarket, evolve, isOver } from './state.ts';

export const marketKey = (venue: string, market: string): string => `${venue}\n${market}`;

/** The state of an event's market before and after it; the same twice where it changed nothing. */
export type Change = { readonly before: MarketState | null; readonly after: MarketState };

export class Markets {
  private readonly byKey: Map<string, MarketState>;

  constructor(states: Iterable<MarketState> = []) {
    this.byKey = new Map();
    for (const state of states) this.set(state);
  }

  get(venue: Venue, market: string): MarketState | null {
    return this.byKey.get(marketKey(venue, market)) ?? null;
  }

  set(state: MarketState): void {
    this.byKey.set(marketKey(state.venue, state.market), state);
  }

  values(): IterableIterator<MarketState> {
    return this.byKey.values();
  }

  /** Those that are over leave memory. */
  dropOver(now: Micros): void {
    for (const [key, state] of this.byKey) if (isOver(state, now)) this.byKey.delete(key);
  }

  /** Null: the event is of no market. `order`: see evolve. */
  apply(event: LadderEvent, position: Position, order: number = position.offset): Change | null {
    if (!('venue' in event)) return null;
    const key = marketKey(event.venue, event.market);
    const before = this.byKey.get(key) ?? null;
    const after = evolve(before ?? emptyMarket(event.venue, event.market), event, position, order);
    if (after !== before) this.byKey.set(key, after);
    return { before, after };
  }
}
