// One subscription of one client. It is live (messages of the tail go straight to the client), or joining (they wait in its
// buffer until its history is sent), or catching up (it is in no channel yet).

import type { StreamFilter, Venue } from '@ladderlog/core';
import type { Client } from './client.ts';
import type { Item } from './item.ts';
import type { FeedLimits } from '../options.ts';

export class Subscription {
  readonly id: string;
  readonly client: Client;
  readonly filter: StreamFilter;
  readonly venues: readonly Venue[];
  /** Not null while joining. */
  buffer: JoinBuffer | null = null;
  live = false;
  private readonly stop = new AbortController();

  constructor(id: string, client: Client, filter: StreamFilter, venues: readonly Venue[]) {
    this.id = id;
    this.client = client;
    this.filter = filter;
    this.venues = venues;
  }

  /** Aborted when it ends: whatever is read for it is not wanted any more. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  get ended(): boolean {
    return this.stop.signal.aborted;
  }

  end(): void {
    this.live = false;
    this.buffer = null;
    this.stop.abort();
  }

  /** `bytes`: of the record in the log. */
  deliver(item: Item, bytes: number): void {
    if (this.buffer) this.buffer.add(item, bytes);
    else this.client.offer(item);
  }
}

/** What the tail brings while history is still being sent. */
export class JoinBuffer {
  readonly items: Item[] = [];
  /** It was full: what it held is read from the log instead. */
  overflowed = false;
  private readonly limits: Pick<FeedLimits, 'joinMessages' | 'joinBytes'>;
  private bytes = 0;

  constructor(limits: Pick<FeedLimits, 'joinMessages' | 'joinBytes'>) {
    this.limits = limits;
  }

  add(item: Item, bytes: number): void {
    if (this.overflowed) return;
    this.bytes += bytes;
    if (this.items.length < this.limits.joinMessages && this.bytes <= this.limits.joinBytes)
      this.items.push(item);
    else {
      this.overflowed = true;
      this.items.length = 0;
    }
  }
}

/** The subscriptions of each client, by their ids. */
export class Subscriptions {
  private readonly byClient = new WeakMap<Client, Map<string, Subscription>>();

  of(client: Client): Map<string, Subscription> {
    let known = this.byClient.get(client);
    if (!known) this.byClient.set(client, (known = new Map()));
    return known;
  }

  /** Whether anything of this venue goes to the client. */
  have(client: Client, venue: Venue): boolean {
    for (const { venues } of this.of(client).values()) if (venues.includes(venue)) return true;
    return false;
  }
}
