// What a client of a replay has subscribed to. A subscription waits until the moment it begins at is known; then it is open.

import type { MarketFacts, StreamFilter, Venue } from '@ladderlog/core';
import { STREAM_LIMITS, StreamRefusal, checkSubscription, filterMatches } from '@ladderlog/core';

export class ReplaySubscriptions {
  private readonly all = new Map<string, { readonly filter: StreamFilter; isOpen: boolean }>();

  /** Refuses a name that is taken, too many, and a venue that the replay does not have. */
  add(id: string, filter: StreamFilter, venues: readonly Venue[]): void {
    checkSubscription(id, this.all, STREAM_LIMITS.subscriptions);
    if (filter.venue !== null && !venues.includes(filter.venue))
      throw new StreamRefusal('INVALID_PARAMETER', `This replay has ${venues.join(', ')}.`, {
        parameter: 'venue',
      });
    this.all.set(id, { filter, isOpen: false });
  }

  /** False: there is none of that name. */
  delete(id: string): boolean {
    return this.all.delete(id);
  }

  /** False: it was ended in the meantime. */
  open(id: string, filter: StreamFilter): boolean {
    const subscription = this.all.get(id);
    if (subscription?.filter !== filter) return false;
    subscription.isOpen = true;
    return true;
  }

  isOpen(id: string, filter: StreamFilter): boolean {
    const subscription = this.all.get(id);
    return subscription?.filter === filter && subscription.isOpen;
  }

  openFilters(): StreamFilter[] {
    return [...this.all.values()].flatMap(({ filter, isOpen }) => (isOpen ? [filter] : []));
  }

  want(facts: MarketFacts): boolean {
    for (const { filter, isOpen } of this.all.values())
      if (isOpen && filterMatches(filter, facts)) return true;
    return false;
  }
}
