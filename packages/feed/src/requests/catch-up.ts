// History for one subscription, joined to the live tail without a hole or a duplicate, per partition:
//   1  read the log up to where the tail is now;
//   2  when the tail is near, let the tail's messages wait in the subscription's buffer, and note where the tail was;
//   3  read the log up to there, then send the buffer, and be live.
// A buffer that overflows is thrown away and the reading goes on from where it was: the log still has everything.
// Few may read at the same time, and each has its turn for a few batches. A client that cannot take more just now lets another
// read, and what was read ahead for it is read again later. All readers together have a few milliseconds of a turn of the event
// loop, and whoever ends a subscription ends its reading.

import type { MarketObserved, Micros, Position, StreamEvent, Venue } from '@ladderlog/core';
import { STREAM_TYPES, filterMatches, marketKey, setBounded, withoutNative } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { readingTurns } from '@ladderlog/log';
import type { Live } from '@ladderlog/live';
import type { Channels } from '../channels.ts';
import { Item } from '../clients/item.ts';
import type { Subscription } from '../clients/subscription.ts';
import { JoinBuffer } from '../clients/subscription.ts';
import type { FeedLimits, FeedObserver } from '../options.ts';
import type { Limiter } from './limiter.ts';

export type CatchUpParts = {
  readonly log: EventLog;
  readonly live: Live;
  readonly channels: Channels;
  readonly limits: FeedLimits;
  readonly limiter: Limiter;
  readonly observer: FeedObserver;
};

type Place = { readonly topic: string; readonly partition: number; offset: number };

/** Batches that one reader reads before another has its turn. */
const BATCHES = 8;
/** Markets whose metadata one reader keeps. */
const KNOWN_MARKETS = 2_000;

export class CatchUp {
  private readonly parts: CatchUpParts;
  private readonly subscription: Subscription;
  private readonly places: Place[];
  private readonly oldest: Micros;
  private readonly learned = new Map<string, MarketObserved | null>();

  /** `next` are the offsets to begin at; what is older than `oldest` is left out. */
  constructor(
    parts: CatchUpParts,
    subscription: Subscription,
    next: readonly Position[],
    oldest: Micros | null,
  ) {
    this.parts = parts;
    this.subscription = subscription;
    this.places = next.map((position) => ({ ...position }));
    this.oldest = oldest ?? -Infinity;
  }

  /** Returns when the subscription is live, or ended. */
  async run(): Promise<void> {
    const { subscription, parts } = this;
    while (!this.gone) {
      if (this.behind > parts.limits.joinMessages / 4) {
        await this.readTo(this.tail);
        continue;
      }
      const buffer = new JoinBuffer(parts.limits);
      subscription.buffer = buffer;
      parts.channels.join(subscription);
      await this.readTo(this.tail);
      await this.sendBuffer(buffer);
      if (this.gone || !buffer.overflowed) {
        // No await between the empty buffer and this: the tail has handed over nothing in between.
        subscription.buffer = null;
        subscription.live = !this.gone;
        return;
      }
      parts.channels.leave(subscription);
      subscription.buffer = null;
    }
  }

  private get gone(): boolean {
    return this.subscription.ended || this.subscription.client.closed;
  }

  private get tail(): Position[] {
    return this.places.map(({ topic, partition }) => ({
      topic,
      partition,
      offset: this.parts.live.next(topic, partition),
    }));
  }

  private get behind(): number {
    return this.tail.reduce((sum, { offset }, at) => sum + offset - this.places[at]!.offset, 0);
  }

  private placeOf({ topic, partition }: Omit<Position, 'offset'>): Place {
    return this.places.find((one) => one.topic === topic && one.partition === partition)!;
  }

  private async readTo(to: readonly Position[]): Promise<void> {
    const { client } = this.subscription;
    while (!this.gone && this.places.some((place, at) => place.offset < to[at]!.offset)) {
      await client.room();
      await this.parts.limiter.run(client, () => this.readSome(to));
    }
  }

  /** Some batches, as far as the client takes them. */
  private async readSome(to: readonly Position[]): Promise<void> {
    if (this.gone) return;
    const { signal } = this.subscription;
    const from = this.places.filter((place, at) => place.offset < to[at]!.offset);
    let batches = 0;
    for await (const batch of this.parts.log.read({ from, to, signal })) {
      const place = this.placeOf(batch);
      for (const record of batch.records) {
        if (record.offset < place.offset) continue;
        if (readingTurns.isOver) await readingTurns.next();
        if (this.gone || !(await this.send(record, place))) return;
        place.offset = record.offset + 1;
      }
      if (++batches >= BATCHES || this.gone) return;
    }
    if (this.gone) return;
    // Records that retention removed, or none at the end.
    this.places.forEach((place, at) => {
      place.offset = Math.max(place.offset, to[at]!.offset);
    });
  }

  /** False: the client has no room, or is gone. What does not concern it counts as sent. */
  private async send(record: LogRecord, place: Place): Promise<boolean> {
    const item = await this.itemOf(record, place);
    if (!item) return true;
    const { client } = this.subscription;
    if (!client.hasRoom && !(await this.hasRoomSoon())) return false;
    if (this.gone) return false;
    client.sendHistory(item.frame());
    this.parts.observer.onCatchUp?.(1);
    return true;
  }

  /** False: others want to read, and this client has taken too long. */
  private async hasRoomSoon(): Promise<boolean> {
    const { client } = this.subscription;
    for (let room = client.room(); room; room = client.room())
      if (!(await within(room, this.parts.limits.graceMs)) && this.parts.limiter.isWanted) return false;
    return true;
  }

  private async sendBuffer(buffer: JoinBuffer): Promise<void> {
    const { client } = this.subscription;
    const { items } = buffer;
    while (!this.gone && items.length > 0) {
      if (readingTurns.isOver) await readingTurns.next();
      await client.room();
      if (this.gone) return;
      const item = items.shift();
      // It overflowed meanwhile, and is empty.
      if (!item) return;
      client.sendHistory(item.frame());
      this.placeOf(item.position).offset = item.position.offset + 1;
    }
  }

  private async itemOf(record: LogRecord, { topic, partition }: Place): Promise<Item | null> {
    const { type, offset } = record;
    const { filter } = this.subscription;
    if (type === null || !STREAM_TYPES.has(type) || record.time < this.oldest) return null;
    if (filter.market !== null && filter.market !== record.key) return null;
    const key = marketKey(topic as Venue, record.key);
    // Before it is decoded: most of a log is of other markets.
    const before = type === 'MarketObserved' ? undefined : this.known(key);
    if (before && !filterMatches(filter, before)) return null;
    const decoded = record.peek();
    if (!decoded.ok) return null;
    const event = decoded.event as StreamEvent;
    if (event.type === 'MarketObserved') this.learn(key, withoutNative(event));
    let identity = before ?? this.known(key);
    if (identity === undefined) {
      identity = await this.parts.live.metadata(event.venue, event.market, this.subscription.signal);
      this.learn(key, identity);
    }
    const facts = identity ?? { venue: event.venue, market: event.market, asset: null, window: null };
    return filterMatches(filter, facts) ? new Item(event, { topic, partition, offset }, key, identity) : null;
  }

  /** Undefined: not asked for yet; null: nobody knows it. */
  private known(key: string): MarketObserved | null | undefined {
    return this.parts.live.markets.state(key)?.metadata?.event ?? this.learned.get(key);
  }

  private learn(key: string, metadata: MarketObserved | null): void {
    setBounded(this.learned, key, metadata, KNOWN_MARKETS);
  }
}

async function within(room: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([room.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
