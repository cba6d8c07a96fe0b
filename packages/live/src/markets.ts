// The states of markets in memory, bounded: those quiet for longest are dropped past a limit, and those that are over leave. The
// tables still have them.

import type { LadderEvent, MarketRows, MarketState, Micros, Position, Venue } from '@ladderlog/core';
import { emptyMarket, evolve, isOver, marketKey, withRows, withoutNative } from '@ladderlog/core';

export type LiveMarket = {
  readonly state: MarketState;
  /** Memory has all that the tables have of it; else the tables may know of more. */
  readonly whole: boolean;
  /** The newest event of a gap of it that the tail brought; null: none. */
  readonly lastGap: Position | null;
};

type Entry = {
  state: MarketState;
  whole: boolean;
  lastGap: Position | null;
  /** All events of the market from this offset on were folded in. */
  readonly since: number;
  /** Gaps whose end was seen while the tables may still show them open. */
  closed: Set<string> | null;
};

export type LiveChange = {
  readonly key: string;
  readonly before: MarketState | null;
  readonly after: MarketState;
};

export class LiveMarkets {
  // Insertion order is the age of the last change: the first is the one to drop.
  private readonly entries = new Map<string, Entry>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.entries.size;
  }

  find(venue: Venue, market: string): LiveMarket | null {
    return this.entries.get(marketKey(venue, market)) ?? null;
  }

  /** By marketKey. */
  state(key: string): MarketState | null {
    return this.entries.get(key)?.state ?? null;
  }

  *states(): Generator<MarketState> {
    for (const { state } of this.entries.values()) yield state;
  }

  /** Null: the event is of no market. */
  apply(event: LadderEvent, position: Position): LiveChange | null {
    if (!('venue' in event) || event.market === '') return null;
    const key = marketKey(event.venue, event.market);
    const known = this.entries.get(key);
    const entry = this.touch(key, event.venue, event.market, position.offset);
    const before = known ? entry.state : null;
    entry.state = evolve(
      entry.state,
      event.type === 'MarketObserved' ? withoutNative(event) : event,
      position,
    );
    if (event.type === 'GapClosed' || event.type === 'GapOpened') entry.lastGap = position;
    if (event.type === 'GapClosed' && !entry.whole) (entry.closed ??= new Set()).add(event.gapId);
    return { key, before, after: entry.state };
  }

  /** The place of a market, from which on the tail fills it; then what the tables have may be added. */
  open(venue: Venue, market: string, next: number): LiveMarket {
    return this.touch(marketKey(venue, market), venue, market, next);
  }

  /** `projected`: the next offset that the tables lack; null where that is not known. */
  addRows(
    venue: Venue,
    market: string,
    rows: MarketRows,
    {
      next,
      projected,
      now,
    }: { readonly next: number; readonly projected: number | null; readonly now: Micros },
  ): LiveChange {
    const key = marketKey(venue, market);
    const entry = this.touch(key, venue, market, next);
    const before = entry.state;
    const open = rows.gaps.filter(({ event }) => !entry.closed?.has(event.gapId));
    entry.state = withRows(before, { ...rows, gaps: open }, now);
    entry.whole = projected !== null && projected >= entry.since;
    if (entry.whole) entry.closed = null;
    return { key, before, after: entry.state };
  }

  dropOver(now: Micros): void {
    for (const [key, { state }] of this.entries) if (isOver(state, now)) this.entries.delete(key);
  }

  private touch(key: string, venue: Venue, market: string, since: number): Entry {
    const entry = this.entries.get(key) ?? {
      state: emptyMarket(venue, market),
      whole: false,
      lastGap: null,
      since,
      closed: null,
    };
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size > this.limit) this.entries.delete(this.entries.keys().next().value!);
    return entry;
  }
}
