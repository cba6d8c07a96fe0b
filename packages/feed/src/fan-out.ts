// From the log's tail to the clients: each message is written once and offered to every client that subscribed to it.

import type { Clock, PlanTable, StreamEvent } from '@ladderlog/core';
import { STREAM_TYPES, oldestAllowed } from '@ladderlog/core';
import type { LiveListener, LiveRecord } from '@ladderlog/live';
import type { Channels } from './channels.ts';
import type { Client } from './clients/client.ts';
import { Item } from './clients/item.ts';
import type { Subscription } from './clients/subscription.ts';
import type { FeedLimits } from './options.ts';

const DAY = 86_400_000_000;

export type FanOutParts = {
  readonly channels: Channels;
  readonly clock: Clock;
  readonly plans: PlanTable;
  readonly limits: FeedLimits;
};

export class FanOut implements LiveListener {
  private readonly parts: FanOutParts;
  private readonly shortestHistory: number;
  private readonly corked: Client[] = [];
  /** Number of the message; a client with several subscriptions to it gets it once. */
  private stamp = 0;

  constructor(parts: FanOutParts) {
    this.parts = parts;
    this.shortestHistory =
      DAY * Math.min(...Object.values(parts.plans).map(({ historyDays }) => historyDays ?? Infinity));
  }

  onRecord({ event, position, key, state }: LiveRecord): void {
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
          this.deliver(subscription, item);
  }

  /** An import may append what a plan may not read. */
  private isTooOld({ client }: Subscription, { observedAt }: StreamEvent, now: number): boolean {
    return observedAt < (oldestAllowed(client.key!.plan, now, this.parts.plans) ?? 0);
  }

  private deliver(subscription: Subscription, item: Item): void {
    const { client } = subscription;
    if (subscription.buffer === null) {
      if (client.stamp === this.stamp) return;
      client.stamp = this.stamp;
      if (client.cork()) this.corked.push(client);
    }
    subscription.deliver(item, this.parts.limits.joinMessages);
  }

  /** Lets sockets take what was written. Clients that are just behind get a moment, once; then they count as slow. */
  onSlice(): Promise<void> | null {
    const { corked } = this;
    if (corked.length === 0) return null;
    for (const client of corked) client.uncork();
    const pressed = corked.filter((client) => !client.closed && client.pressed);
    corked.length = 0;
    return new Promise((resolve) => {
      if (pressed.length === 0) {
        setImmediate(resolve);
        return;
      }
      const began = performance.now();
      const look = (): void => {
        const still = pressed.filter((client) => !client.closed && client.pressed);
        if (still.length > 0 && performance.now() - began < this.parts.limits.graceMs) {
          setTimeout(look, 1);
          return;
        }
        for (const client of still) client.beSlow();
        resolve();
      };
      setImmediate(look);
    });
  }
}
