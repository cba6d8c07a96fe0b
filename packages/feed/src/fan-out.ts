// From the log's tail to the clients: each message is written once and offered to every client that subscribed to it.

import type { Clock, PlanTable, StreamEvent } from '@ladderlog/core';
import { STREAM_TYPES, oldestAllowed } from '@ladderlog/core';
import type { LiveListener, LiveRecord } from '@ladderlog/live';
import { Turns } from '@ladderlog/log';
import type { Channels } from './channels.ts';
import type { Client } from './clients/client.ts';
import { Item } from './clients/item.ts';
import type { Subscription } from './clients/subscription.ts';

const DAY = 86_400_000_000;

export type FanOutParts = {
  readonly channels: Channels;
  readonly clock: Clock;
  readonly plans: PlanTable;
};

export class FanOut implements LiveListener {
  private readonly parts: FanOutParts;
  private readonly shortestHistory: number;
  private readonly turns = new Turns();
  /** Clients with something written that their sockets do not have yet. */
  private readonly corked = new Set<Client>();
  private isFlushing = false;
  /** Number of the message; a client with several subscriptions to it gets it once. */
  private stamp = 0;

  constructor(parts: FanOutParts) {
    this.parts = parts;
    this.shortestHistory =
      DAY * Math.min(...Object.values(parts.plans).map(({ historyDays }) => historyDays ?? Infinity));
  }

  onRecord({ event, position, key, state, record }: LiveRecord): void {
    if (!event || !key || !state || !STREAM_TYPES.has(event.type)) return;
    const channels = this.parts.channels.of(key, state);
    if (channels.length === 0) return;
    const streamed = event as StreamEvent;
    const item = new Item(streamed, position, key, state.metadata?.event ?? null);
    this.stamp++;
    const now = this.parts.clock();
    const old = now - streamed.observedAt > this.shortestHistory;
    for (const { subscriptions } of channels)
      for (const subscription of subscriptions)
        if (
          subscription.venues.includes(streamed.venue) &&
          !(old && this.isTooOld(subscription, streamed, now))
        )
          this.deliver(subscription, item, record.value.length);
  }

  /** An import may append what a plan may not read. */
  private isTooOld({ client }: Subscription, { observedAt }: StreamEvent, now: number): boolean {
    return observedAt < (oldestAllowed(client.key!.plan, now, this.parts.plans) ?? 0);
  }

  private deliver(subscription: Subscription, item: Item, bytes: number): void {
    const { client } = subscription;
    if (subscription.buffer === null) {
      if (client.stamp === this.stamp) return;
      client.stamp = this.stamp;
      if (client.cork()) this.corked.add(client);
    }
    subscription.deliver(item, bytes);
  }

  /** Hands over to the sockets what was written since. Nobody waits for it, and with many clients it goes on between other work. */
  onSlice(): void {
    if (!this.isFlushing && this.corked.size > 0) void this.flush();
  }

  private async flush(): Promise<void> {
    this.isFlushing = true;
    for (const client of this.corked) {
      this.corked.delete(client);
      client.uncork();
      client.limitPressure();
      if (this.turns.isOver) await this.turns.next();
    }
    this.isFlushing = false;
  }
}
