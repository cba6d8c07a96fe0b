// History for one subscription, joined to the live tail without a hole or a duplicate, per partition:
//   1  read the log up to where the tail is now;
//   2  when the tail is near, let the tail's messages wait in the subscription's buffer, and note where the tail was;
//   3  read the log up to there, then send the buffer, and be live.
// A buffer that overflows is thrown away and the reading goes on from where it was: the log still has everything.
// Few may read at the same time. A client that cannot take more just now lets another read, and what was read ahead for it is
// read again later.

import type {
  EventType,
  LadderEvent,
  MarketFacts,
  MarketObserved,
  Micros,
  Position,
  StreamEvent,
} from '@ladderlog/core';
import { STREAM_TYPES, filterMatches, marketKey } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import type { Live } from '@ladderlog/live';
import type { Channels } from '../channels.ts';
import { Item } from '../clients/item.ts';
import type { Subscription } from '../clients/subscription.ts';
import type { Limiter } from './limiter.ts';

export type CatchUpParts = {
  readonly log: EventLog;
  readonly live: Live;
  readonly channels: Channels;
  readonly joinMessages: number;
  readonly limiter: Limiter;
  /** How long a reader waits for its client. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  onSent(messages: number): void;
};

type Place = { readonly topic: string; readonly partition: number; offset: number };

export class CatchUp {
  private readonly parts: CatchUpParts;
  private readonly subscription: Subscription;
  private readonly places: Place[];
  private readonly oldest: Micros | null;
  private readonly known = new Map<string, MarketObserved | null>();

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
    this.oldest = oldest;
  }

  /** Returns when the subscription is live, or ended. */
  async run(): Promise<void> {
    const { subscription, parts } = this;
    while (!this.gone) {
      if (this.behind > parts.joinMessages / 4) {
        await this.readTo(this.tail);
        continue;
      }
      subscription.overflowed = false;
      subscription.buffer = [];
      parts.channels.join(subscription);
      await this.readTo(this.tail);
      await this.sendBuffer(subscription.buffer);
      if (this.gone || !subscription.overflowed) {
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
    const { ended, client } = this.subscription;
    return ended || client.closed || this.parts.signal.aborted;
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
    while (!this.gone && this.places.some((place, at) => place.offset < to[at]!.offset)) {
      await this.subscription.client.room();
      await this.parts.limiter(() => this.readSome(to));
    }
  }

  /** As far as the client takes it. */
  private async readSome(to: readonly Position[]): Promise<void> {
    if (this.gone) return;
    const from = this.places.filter((place, at) => place.offset < to[at]!.offset);
    for await (const batch of this.parts.log.read({ from, to, signal: this.parts.signal })) {
      const place = this.placeOf(batch);
      for (const record of batch.records) {
        if (record.offset < place.offset) continue;
        if (!(await this.send(record, { ...place, offset: record.offset }))) return;
        place.offset = record.offset + 1;
      }
      if (this.gone) return;
    }
    // Records that retention removed, or none at the end.
    this.places.forEach((place, at) => {
      place.offset = Math.max(place.offset, to[at]!.offset);
    });
  }

  /** False: the client has no room, or is gone. What does not concern it counts as sent. */
  private async send(record: LogRecord, position: Position): Promise<boolean> {
    if (!isStreamedType(record.type) || !record.decoded.ok) return true;
    const { event } = record.decoded;
    if (!isStreamed(event) || (this.oldest !== null && event.observedAt < this.oldest)) return true;
    const item = await this.itemOf(event, position);
    if (!item) return true;
    const { client } = this.subscription;
    const room = client.room();
    if (room && !(await within(room, this.parts.graceMs))) return false;
    if (this.gone) return false;
    client.sendHistory(item.frame());
    this.parts.onSent(1);
    return true;
  }

  private async sendBuffer(buffer: Item[]): Promise<void> {
    const { subscription } = this;
    while (!this.gone && !subscription.overflowed && buffer.length > 0) {
      await subscription.client.room();
      if (this.gone || subscription.overflowed) return;
      const item = buffer.shift()!;
      subscription.client.sendHistory(item.frame());
      this.placeOf(item.position).offset = item.position.offset + 1;
    }
  }

  private async itemOf(event: StreamEvent, position: Position): Promise<Item | null> {
    const { filter } = this.subscription;
    const { venue, market } = event;
    if (filter.market !== null && filter.market !== market) return null;
    const key = marketKey(venue, market);
    if (event.type === 'MarketObserved') this.known.set(key, event);
    let identity = this.parts.live.markets.state(key)?.metadata?.event ?? this.known.get(key);
    if (identity === undefined) {
      identity = await this.parts.live.metadata(venue, market);
      this.known.set(key, identity);
    }
    const facts: MarketFacts = identity ?? { venue, market, asset: null, window: null };
    return filterMatches(filter, facts) ? new Item(event, position, key, identity) : null;
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

const isStreamedType = (type: EventType | null): boolean => type !== null && STREAM_TYPES.has(type);
const isStreamed = (event: LadderEvent): event is StreamEvent => STREAM_TYPES.has(event.type);
