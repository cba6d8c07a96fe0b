// What the feed knows of markets: whose, their newest books, their open gaps. A fold of the log, bounded: markets quiet for
// longest are dropped. Also which channels (distinct filters) each market belongs to.

import type { BookObserved, GapOpened, MarketIdentity, Position, StreamEvent, Venue } from '@ladderlog/core';
import { filterKey, filterMatches, isGoingOn, isNewer, streamText } from '@ladderlog/core';
import type { StreamFilter } from '@ladderlog/core';
import { marketKey, textFrame } from './clients/item.ts';
import type { KnownMarket } from './options.ts';
import type { Subscription } from './clients/subscription.ts';

/** All subscriptions with the same filter. */
export type Channel = { readonly filter: StreamFilter; readonly subscriptions: Set<Subscription> };

type Current<E> = { readonly event: E; readonly position: Position; frame: Buffer | null };

export type Market = {
  readonly key: string;
  readonly venue: Venue;
  readonly market: string;
  asset: string | null;
  window: string | null;
  status: string;
  closesAt: number | null;
  identity: MarketIdentity | null;
  readonly books: Map<string, Current<BookObserved>>;
  readonly gaps: Map<string, Current<GapOpened>>;
  channels: readonly Channel[];
  /** Of the registry when `channels` was computed. */
  version: number;
};

export class Markets {
  // Insertion order is age of the last change: the first is the one to drop.
  private readonly byKey = new Map<string, Market>();
  private readonly channels = new Map<string, Channel>();
  private readonly limit: number;
  private version = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.byKey.size;
  }

  get(key: string): Market | undefined {
    return this.byKey.get(key);
  }

  private touch(venue: Venue, market: string): Market {
    const key = marketKey(venue, market);
    let known = this.byKey.get(key);
    if (known) this.byKey.delete(key);
    else
      known = {
        key,
        venue,
        market,
        asset: null,
        window: null,
        status: 'unknown',
        closesAt: null,
        identity: null,
        books: new Map(),
        gaps: new Map(),
        channels: [],
        version: -1,
      };
    this.byKey.set(key, known);
    if (this.byKey.size > this.limit) this.byKey.delete(this.byKey.keys().next().value!);
    return known;
  }

  know(facts: KnownMarket): Market {
    const known = this.touch(facts.venue, facts.market);
    if (known.asset !== facts.asset || known.window !== facts.window) known.version = -1;
    known.asset = facts.asset;
    known.window = facts.window;
    known.status = facts.status;
    known.closesAt = facts.closesAt;
    known.identity = facts.identity;
    for (const book of known.books.values()) book.frame = null;
    return known;
  }

  apply(event: StreamEvent, position: Position): Market {
    if (event.type === 'MarketObserved') return this.know(knownMarket(event));
    const known = this.touch(event.venue, event.market);
    if (event.type === 'BookObserved') {
      const before = known.books.get(event.outcome);
      if (
        !before ||
        isNewer(event.observedAt, position.offset, before.event.observedAt, before.position.offset)
      )
        known.books.set(event.outcome, { event, position, frame: null });
    } else if (event.dataset === 'books') {
      if (event.type === 'GapOpened') known.gaps.set(event.gapId, { event, position, frame: null });
      else known.gaps.delete(event.gapId);
    }
    return known;
  }

  /** Newest books and open gaps, as frames flagged `current`. */
  currentFrames(key: string): Buffer[] {
    const market = this.byKey.get(key);
    if (!market) return [];
    const frames: Buffer[] = [];
    for (const one of [...market.books.values(), ...market.gaps.values()]) {
      one.frame ??= textFrame(streamText(one.event, one.position, market.identity, { current: true }));
      frames.push(one.frame);
    }
    return frames;
  }

  /** Markets of a filter that are still going on; a market asked for by name whatever its status. */
  matching(filter: StreamFilter, venues: readonly Venue[], now: number): string[] {
    if (filter.market !== null && filter.venue !== null) {
      const one = this.byKey.get(marketKey(filter.venue, filter.market));
      return one && filterMatches(filter, one) ? [one.key] : [];
    }
    const keys: string[] = [];
    for (const market of this.byKey.values())
      if (venues.includes(market.venue) && filterMatches(filter, market) && isGoingOn(market, now))
        keys.push(market.key);
    return keys;
  }

  has(filter: StreamFilter, key: string): boolean {
    const market = this.byKey.get(key);
    return market !== undefined && filterMatches(filter, market);
  }

  join(subscription: Subscription): void {
    const key = filterKey(subscription.filter);
    let channel = this.channels.get(key);
    if (!channel) {
      channel = { filter: subscription.filter, subscriptions: new Set() };
      this.channels.set(key, channel);
      this.version++;
    }
    channel.subscriptions.add(subscription);
  }

  leave(subscription: Subscription): void {
    const key = filterKey(subscription.filter);
    const channel = this.channels.get(key);
    if (!channel?.subscriptions.delete(subscription) || channel.subscriptions.size > 0) return;
    this.channels.delete(key);
    this.version++;
  }

  channelsOf(market: Market): readonly Channel[] {
    if (market.version !== this.version) {
      const found: Channel[] = [];
      for (const channel of this.channels.values())
        if (filterMatches(channel.filter, market)) found.push(channel);
      market.channels = found;
      market.version = this.version;
    }
    return market.channels;
  }
}

export const knownMarket = (event: Extract<StreamEvent, { type: 'MarketObserved' }>): KnownMarket => ({
  venue: event.venue,
  market: event.market,
  asset: event.asset,
  window: event.window,
  status: event.status,
  closesAt: event.closesAt,
  identity: {
    eventId: event.eventId,
    seriesId: event.seriesId,
    conditionId: event.conditionId,
    outcomes: event.outcomes,
  },
});
