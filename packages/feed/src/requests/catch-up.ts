// History for one subscription, joined to the live tail without a hole or a duplicate, per partition:
//   1  read the log up to where the tail is now;
//   2  when the tail is near, let the tail's messages wait in the subscription's buffer, and note where the tail was: `join`;
//   3  read the log up to `join`, then send the buffer, and be live.
// A buffer that overflows is thrown away and the reading goes on from where it was: the log still has everything.
// Reading takes a turn, of which there are few. A client that cannot take more just now gives it back, with what was read ahead.

import type { LadderEvent, MarketFacts, Micros, Position, StreamEvent, Venue } from '@ladderlog/core';
import { STREAM_TYPES, filterMatches } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { Item, marketKey } from '../clients/item.ts';
import type { Markets } from '../markets.ts';
import { knownMarket } from '../markets.ts';
import type { KnownMarket } from '../options.ts';
import type { Subscription } from '../clients/subscription.ts';
import type { Tail } from '../tail.ts';
import { decode } from '../tail.ts';
import type { Turn } from './turns.ts';

export type CatchUpParts = {
  readonly log: EventLog;
  readonly tail: Tail;
  readonly markets: Markets;
  readonly joinMessages: number;
  readonly turn: Turn;
  /** How long a turn waits for its client. */
  readonly graceMs: number;
  readonly market: ((venue: Venue, market: string) => Promise<KnownMarket | null>) | undefined;
  readonly signal: AbortSignal;
  onSent(messages: number): void;
};

/** Returns when the subscription is live, or ended. `next` are the offsets to begin at. */
export async function catchUp(
  parts: CatchUpParts,
  subscription: Subscription,
  next: readonly Position[],
  oldest: Micros | null,
): Promise<void> {
  const { tail, markets } = parts;
  const places = next.map((position) => ({ ...position }));
  const known = new Map<string, KnownMarket | null>();
  const gone = (): boolean => subscription.ended || subscription.client.closed || parts.signal.aborted;
  const behind = (): number =>
    places.reduce((sum, { topic, partition, offset }) => sum + tail.next(topic, partition) - offset, 0);
  /** As far as the client takes it. */
  const readSome = async (to: readonly Position[]): Promise<void> => {
    if (gone()) return;
    const from = places.filter((place, at) => place.offset < to[at]!.offset);
    for await (const batch of parts.log.read({ from, to, signal: parts.signal })) {
      const place = places.find((one) => one.topic === batch.topic && one.partition === batch.partition)!;
      for (const record of batch.records) {
        if (record.offset < place.offset) continue;
        const event = decode(parts.log, record);
        const position = { topic: place.topic, partition: place.partition, offset: record.offset };
        if (event && isStreamed(event) && (oldest === null || event.observedAt >= oldest)) {
          const item = await itemOf(parts, subscription, known, event, position);
          if (item) {
            const room = subscription.client.room();
            if (room && !(await within(room, parts.graceMs))) return;
            if (gone()) return;
            subscription.client.sendHistory(item.frame());
            parts.onSent(1);
          }
        }
        place.offset = record.offset + 1;
      }
      if (gone()) return;
    }
    // Records that retention removed, or none at the end.
    places.forEach((place, at) => {
      place.offset = Math.max(place.offset, to[at]!.offset);
    });
  };
  const readTo = async (to: readonly Position[]): Promise<void> => {
    while (!gone() && places.some((place, at) => place.offset < to[at]!.offset)) {
      await subscription.client.room();
      await parts.turn(() => readSome(to));
    }
  };
  const ends = (): Position[] =>
    places.map(({ topic, partition }) => ({ topic, partition, offset: tail.next(topic, partition) }));

  while (!gone()) {
    if (behind() > parts.joinMessages / 4) {
      await readTo(ends());
      continue;
    }
    subscription.overflowed = false;
    subscription.buffer = [];
    markets.join(subscription);
    await readTo(ends());
    while (!gone() && !subscription.overflowed && subscription.buffer.length > 0) {
      await subscription.client.room();
      if (gone() || subscription.overflowed) break;
      const item = subscription.buffer.shift()!;
      subscription.client.sendHistory(item.frame());
      const place = places.find(
        (one) => one.topic === item.position.topic && one.partition === item.position.partition,
      )!;
      place.offset = item.position.offset + 1;
    }
    if (gone() || !subscription.overflowed) {
      // No await between the empty buffer and this: the tail has handed over nothing in between.
      subscription.buffer = null;
      subscription.live = !gone();
      return;
    }
    markets.leave(subscription);
    subscription.buffer = null;
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

const isStreamed = (event: LadderEvent): event is StreamEvent => STREAM_TYPES.has(event.type);

async function itemOf(
  parts: CatchUpParts,
  subscription: Subscription,
  known: Map<string, KnownMarket | null>,
  event: StreamEvent,
  position: Position,
): Promise<Item | null> {
  const { filter } = subscription;
  const key = marketKey(event.venue, event.market);
  if (filter.market !== null && filter.market !== event.market) return null;
  if (event.type === 'MarketObserved') known.set(key, knownMarket(event));
  let facts: KnownMarket | null | undefined = memoryOf(parts.markets, key) ?? known.get(key);
  if (facts === undefined) {
    facts = (await parts.market?.(event.venue, event.market)) ?? null;
    known.set(key, facts);
  }
  const about: MarketFacts = facts ?? { venue: event.venue, market: event.market, asset: null, window: null };
  return filterMatches(filter, about) ? new Item(event, position, key, facts?.identity ?? null) : null;
}

function memoryOf(markets: Markets, key: string): KnownMarket | null {
  const market = markets.get(key);
  return market?.identity ? { ...market, identity: market.identity } : null;
}
