// Which subscriptions each market's messages go to. All subscriptions with the same filter are one channel, so that a message is
// matched once for all of them, and the channels of a market are remembered.

import type { MarketState, StreamFilter } from '@ladderlog/core';
import { factsOf, filterKey, filterMatches } from '@ladderlog/core';
import type { Subscription } from './clients/subscription.ts';

export type Channel = { readonly filter: StreamFilter; readonly subscriptions: Set<Subscription> };

type Remembered = { readonly metadata: MarketState['metadata']; readonly channels: readonly Channel[] };

/** Markets whose channels are remembered; past it all are found again. */
const MAX_REMEMBERED = 50_000;

export class Channels {
  private readonly byFilter = new Map<string, Channel>();
  private readonly byMarket = new Map<string, Remembered>();

  join(subscription: Subscription): void {
    const key = filterKey(subscription.filter);
    let channel = this.byFilter.get(key);
    if (!channel) {
      channel = { filter: subscription.filter, subscriptions: new Set() };
      this.byFilter.set(key, channel);
      this.byMarket.clear();
    }
    channel.subscriptions.add(subscription);
  }

  leave(subscription: Subscription): void {
    const key = filterKey(subscription.filter);
    const channel = this.byFilter.get(key);
    if (!channel?.subscriptions.delete(subscription) || channel.subscriptions.size > 0) return;
    this.byFilter.delete(key);
    this.byMarket.clear();
  }

  /** `key`: its marketKey. Its asset and window may become known later, with its metadata. */
  of(key: string, market: MarketState): readonly Channel[] {
    const known = this.byMarket.get(key);
    if (known && known.metadata === market.metadata) return known.channels;
    const facts = factsOf(market);
    const channels = [...this.byFilter.values()].filter(({ filter }) => filterMatches(filter, facts));
    if (this.byMarket.size >= MAX_REMEMBERED) this.byMarket.clear();
    this.byMarket.set(key, { metadata: market.metadata, channels });
    return channels;
  }
}
