// One subscription of one client. It is live (messages of the tail go straight to the client), or joining (they wait in its
// buffer until its history is sent), or catching up (it is in no channel yet).

import type { StreamFilter, Venue } from '@ladderlog/core';
import type { Client } from './client.ts';
import type { Item } from './item.ts';

export class Subscription {
  readonly id: string;
  readonly client: Client;
  readonly filter: StreamFilter;
  readonly venues: readonly Venue[];
  /** Not null while joining. */
  buffer: Item[] | null = null;
  /** The buffer was full: what it held is read from the log instead. */
  overflowed = false;
  live = false;
  ended = false;

  constructor(id: string, client: Client, filter: StreamFilter, venues: readonly Venue[]) {
    this.id = id;
    this.client = client;
    this.filter = filter;
    this.venues = venues;
  }

  deliver(item: Item, joinLimit: number): void {
    if (this.buffer) {
      if (this.buffer.length < joinLimit) this.buffer.push(item);
      else this.overflowed = true;
    } else this.client.offer(item);
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
