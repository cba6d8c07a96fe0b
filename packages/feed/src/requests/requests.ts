// What clients ask for: authentication, subscriptions, resuming, pings; and what they may not.

import type { ApiKey, Clock, PlanTable, Position, StreamRequest, Venue } from '@ladderlog/core';
import {
  RequestReader,
  STREAM_CLOSE,
  STREAM_VERSION,
  StreamRefusal,
  checkSubscription,
  formatPosition,
  oldestAllowed,
  planFor,
  toIso,
  unknownSubscription,
} from '@ladderlog/core';
import type { Live } from '@ladderlog/live';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';
import type { Channels } from '../channels.ts';
import type { Client } from '../clients/client.ts';
import type { Subscriptions } from '../clients/subscription.ts';
import { Subscription } from '../clients/subscription.ts';
import type { CurrentFrames } from '../current-frames.ts';
import type { FeedKeys, FeedLimits, FeedObserver } from '../options.ts';
import type { CatchUpParts } from './catch-up.ts';
import { CatchUp } from './catch-up.ts';
import { Limiter } from './limiter.ts';
import { placesOf, startOf } from './start.ts';

export type RequestParts = {
  readonly log: EventLog;
  readonly live: Live;
  readonly channels: Channels;
  readonly current: CurrentFrames;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
  readonly limits: FeedLimits;
  readonly plans: PlanTable;
  readonly keys: FeedKeys;
  readonly logger: Logger;
  /** Resolved when memory is as new as the log, or the feed ends. */
  readonly ready: Promise<void>;
  readonly observer: FeedObserver;
  /** Whether one more client may use this key. */
  admit(client: Client, key: ApiKey): boolean;
};

type Subscribe = Extract<StreamRequest, { type: 'subscribe' }>;

export class Requests {
  private readonly parts: RequestParts;
  private readonly catchUp: CatchUpParts;
  private readonly running = new Set<Promise<void>>();
  private named = 0;
  /** Under way, read or waiting. */
  private histories = 0;

  constructor(parts: RequestParts) {
    this.parts = parts;
    const { limits } = parts;
    this.catchUp = { ...parts, limiter: new Limiter(limits.catchUps, limits.catchUpsPerClient) };
  }

  /** A client whose key was in its headers, or that still has to send it. */
  accept(client: Client, key: ApiKey | null): void {
    const { limits } = this.parts;
    const reader = new RequestReader(limits);
    client.socket.on('message', (data: Buffer, binary: boolean) => {
      if (client.closed) return;
      const read = reader.read(binary ? '' : data.toString('utf8'), performance.now());
      if (read.ok) {
        this.onRequest(client, read.request, read.id);
        return;
      }
      if (read.answer) client.send(read.answer);
      if (read.close) client.close(read.close.code, read.close.reason);
    });
    if (key) {
      this.welcome(client, key);
      return;
    }
    const late = setTimeout(() => {
      if (client.key || client.closed) return;
      fail(client, null, new StreamRefusal('AUTH_MISSING', 'No key was sent in time.'));
      client.close(STREAM_CLOSE.unauthorized, 'no key was sent in time');
    }, limits.authMs);
    client.socket.once('close', () => clearTimeout(late));
  }

  leave(client: Client): void {
    for (const subscription of this.parts.subscriptions.of(client).values()) this.end(subscription);
  }

  /** What a client may have unsent of its history: the frames of each are its own, and all of them are in memory. */
  historyBytes(): number {
    const { historyBytes, historyTotalBytes } = this.parts.limits;
    return Math.min(historyBytes, historyTotalBytes / Math.max(1, this.histories));
  }

  /** What the client has, as `from.position` takes it; null while something is under way to it. */
  positionsOf(client: Client): string[] | null {
    if (!client.upToDate) return null;
    const { live, subscriptions } = this.parts;
    const offsets = new Map<string, Position>();
    for (const subscription of subscriptions.of(client).values()) {
      if (!subscription.live) return null;
      for (const { topic, partition } of placesOf(subscription, this.parts))
        offsets.set(`${topic}/${partition}`, {
          topic,
          partition,
          offset: live.next(topic, partition) - 1,
        });
    }
    return [...offsets.values()].map(formatPosition);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.running);
  }

  private welcome(client: Client, key: ApiKey): void {
    const { plans, clock, limits } = this.parts;
    if (!this.parts.admit(client, key)) {
      client.close(STREAM_CLOSE.tooMany, 'too many clients use this key');
      return;
    }
    client.key = key;
    client.send({
      type: 'ready',
      version: STREAM_VERSION,
      plan: key.plan,
      venues: plans[key.plan].venues,
      time: toIso(clock()),
      heartbeat_seconds: limits.heartbeatMs / 1_000,
    });
  }

  private onRequest(client: Client, request: StreamRequest, id: string | null): void {
    if (!client.key && request.type !== 'auth' && request.type !== 'ping') {
      fail(client, id, new StreamRefusal('AUTH_MISSING', 'Send {"type":"auth","key":"<key>"} first.'));
      return;
    }
    const task: Promise<void> = this.handle(client, request)
      .catch((error: unknown) => {
        if (error instanceof StreamRefusal) fail(client, id, error);
        else {
          this.parts.logger.error(
            { event: 'feed.request_failed', err: error },
            'a request of a client failed',
          );
          fail(client, id, new StreamRefusal('INTERNAL_ERROR', 'This did not work; try again.'));
        }
      })
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  private async handle(client: Client, request: StreamRequest): Promise<void> {
    switch (request.type) {
      case 'auth':
        this.authenticate(client, request.key);
        return;
      case 'ping':
        client.send({ type: 'pong', time: toIso(this.parts.clock()), id: request.id });
        return;
      case 'unsubscribe': {
        const subscription = this.parts.subscriptions.of(client).get(request.id);
        if (!subscription) throw unknownSubscription(request.id);
        this.end(subscription);
        client.send({ type: 'unsubscribed', id: request.id });
        return;
      }
      case 'subscribe':
        await this.subscribe(client, request);
        return;
      default:
        throw new StreamRefusal('INVALID_MESSAGE', `${request.type} is for replays; this is the live feed.`);
    }
  }

  private authenticate(client: Client, text: string): void {
    if (client.key) {
      fail(client, null, new StreamRefusal('INVALID_MESSAGE', 'This connection has its key already.'));
      return;
    }
    const checked = this.parts.keys.check(text);
    if (checked.ok) {
      this.welcome(client, checked.key);
      return;
    }
    fail(client, null, new StreamRefusal('AUTH_INVALID', 'This key is not valid, or was revoked.'));
    client.close(STREAM_CLOSE.unauthorized, 'the key is not valid');
  }

  private async subscribe(client: Client, request: Subscribe): Promise<void> {
    const id = request.id ?? `s${++this.named}`;
    const taken = this.parts.subscriptions.of(client);
    checkSubscription(id, taken, this.parts.limits.subscriptions);
    const venues = this.venuesOf(request, client.key!);
    const subscription = new Subscription(id, client, request.filter, venues);
    taken.set(id, subscription);
    try {
      await this.parts.ready;
      if (request.from) await this.resume(subscription, request.from, client.key!);
      else this.begin(subscription);
    } catch (error) {
      // Of what nobody wants any more nobody is told.
      if (subscription.ended) return;
      this.end(subscription);
      throw error;
    }
  }

  /** From now on. One synchronous step: what is in memory is sent as current, what comes after as news. */
  private begin(subscription: Subscription): void {
    const { client } = subscription;
    const { live, current, channels, subscriptions } = this.parts;
    if (subscription.ended || client.closed) return;
    const next = placesOf(subscription, this.parts).map(({ topic, partition }) => ({
      topic,
      partition,
      offset: live.next(topic, partition),
    }));
    const matching = this.confirm(subscription, next);
    const streaming = [...subscriptions.of(client).values()].filter((one) => one.live);
    subscription.live = true;
    channels.join(subscription);
    client.begin(matching.filter((market) => !streaming.some((one) => current.has(one.filter, market))));
  }

  /** From a time or a position: history first. */
  private async resume(
    subscription: Subscription,
    from: NonNullable<Subscribe['from']>,
    key: ApiKey,
  ): Promise<void> {
    const { client } = subscription;
    const next = await startOf(subscription, from, key, this.parts);
    if (subscription.ended || client.closed) return;
    this.confirm(subscription, next);
    const oldest = oldestAllowed(key.plan, this.parts.clock(), this.parts.plans);
    this.histories++;
    try {
      await new CatchUp(this.catchUp, subscription, next, oldest).run();
    } finally {
      this.histories--;
    }
    if (subscription.live) client.send({ type: 'live', id: subscription.id });
  }

  /** Gives the keys of the markets that match now. */
  private confirm({ id, client, filter, venues }: Subscription, next: readonly Position[]): string[] {
    const matching = this.parts.current.matching(filter, venues, this.parts.clock());
    client.send({
      type: 'subscribed',
      id,
      filter,
      markets: matching.length,
      positions: next.map((position) => formatPosition({ ...position, offset: position.offset - 1 })),
    });
    for (const venue of venues) client.send({ type: 'status', data: this.parts.live.statuses.status(venue) });
    return matching;
  }

  private venuesOf({ filter }: Subscribe, key: ApiKey): readonly Venue[] {
    const { plans } = this.parts;
    const allowed = plans[key.plan].venues;
    if (filter.venue === null) return allowed;
    if (allowed.includes(filter.venue)) return [filter.venue];
    throw new StreamRefusal('ENDPOINT_NOT_IN_PLAN', `The plan ${key.plan} does not have ${filter.venue}.`, {
      plan: key.plan,
      required_plan: planFor(filter.venue, plans),
    });
  }

  private end(subscription: Subscription): void {
    subscription.end();
    this.parts.channels.leave(subscription);
    this.parts.subscriptions.of(subscription.client).delete(subscription.id);
  }
}

const fail = (client: Client, id: string | null, refusal: StreamRefusal): void =>
  client.send(refusal.toMessage(id));
