// What clients ask for: authentication, subscriptions, resuming, pings; and what they may not.

import type { ApiKey, Clock, PlanTable, Position, Statuses, StreamRequest, Venue } from '@ladderlog/core';
import {
  STREAM_CLOSE,
  STREAM_VERSION,
  StreamRefusal,
  checkSubscription,
  formatPosition,
  malformed,
  oldestAllowed,
  parseStreamRequest,
  planFor,
  toIso,
  unknownSubscription,
} from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';
import { catchUp } from './catch-up.ts';
import type { Client } from '../clients/client.ts';
import type { Markets } from '../markets.ts';
import type { FeedKeys, FeedLimits, FeedObserver, FeedOptions } from '../options.ts';
import { placesOf, startOf } from './start.ts';
import { Subscription } from '../clients/subscription.ts';
import type { Tail } from '../tail.ts';
import { createTurns } from './turns.ts';

export type RequestParts = {
  readonly log: EventLog;
  readonly tail: Tail;
  readonly markets: Markets;
  readonly statuses: Statuses;
  readonly clock: Clock;
  readonly limits: FeedLimits;
  readonly plans: PlanTable;
  readonly keys: FeedKeys;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly market: FeedOptions['market'];
  readonly observer: FeedObserver;
  /** Whether one more client may use this key. */
  admit(client: Client, key: ApiKey): boolean;
};

export type Requests = {
  accept(client: Client, key: ApiKey | null): void;
  leave(client: Client): void;
  /** What the client has, as `from.position` takes it; null while something is under way to it. */
  positionsOf(client: Client): string[] | null;
  close(): Promise<void>;
};

type Subscribe = Extract<StreamRequest, { type: 'subscribe' }>;

export function createRequests(parts: RequestParts): Requests {
  const { limits, clock, plans, tail, markets, logger } = parts;
  const turn = createTurns(limits.catchUps);
  const running = new Set<Promise<void>>();
  let named = 0;

  const welcome = (client: Client, key: ApiKey): void => {
    if (!parts.admit(client, key)) {
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
  };

  const fail = (client: Client, id: string | null, refusal: StreamRefusal): void =>
    client.send(refusal.toMessage(id));

  const authenticate = (client: Client, text: string): void => {
    if (client.key) {
      fail(client, null, new StreamRefusal('INVALID_MESSAGE', 'This connection has its key already.'));
      return;
    }
    const checked = parts.keys.check(text);
    if (checked.ok) {
      welcome(client, checked.key);
      return;
    }
    fail(client, null, new StreamRefusal('AUTH_INVALID', 'This key is not valid, or was revoked.'));
    client.close(STREAM_CLOSE.unauthorized, 'the key is not valid');
  };

  const subscribe = async (client: Client, request: Subscribe): Promise<void> => {
    const key = client.key!;
    const id = request.id ?? `s${++named}`;
    checkSubscription(id, client.subscriptions, limits.subscriptions);
    const venues = venuesOf(request, key);
    const subscription = new Subscription(id, client, request.filter, venues);
    client.subscriptions.set(id, subscription);
    try {
      await tail.caughtUp;
      const next = request.from
        ? await startOf(subscription, request.from, key, parts)
        : placesOf(subscription, parts).map((place) => ({
            ...place,
            offset: tail.next(place.topic, place.partition),
          }));
      if (subscription.ended || client.closed) return;
      const matching = markets.matching(request.filter, venues, clock());
      client.send({
        type: 'subscribed',
        id,
        filter: request.filter,
        markets: matching.length,
        positions: next.map((position) => formatPosition({ ...position, offset: position.offset - 1 })),
      });
      for (const venue of venues) client.send({ type: 'status', data: parts.statuses.status(venue) });
      if (!request.from) {
        // One synchronous step: what is in memory is sent as current, what comes after as news.
        const streaming = [...client.subscriptions.values()].filter(({ live }) => live);
        subscription.live = true;
        markets.join(subscription);
        client.begin(matching.filter((market) => !streaming.some((one) => markets.has(one.filter, market))));
        return;
      }
      const oldest = oldestAllowed(key.plan, clock(), plans);
      await catchUp(
        {
          ...parts,
          turn,
          joinMessages: limits.joinMessages,
          graceMs: limits.graceMs,
          onSent: (messages) => parts.observer.onCatchUp?.(messages),
        },
        subscription,
        next,
        oldest,
      );
      if (subscription.live) client.send({ type: 'live', id });
    } catch (error) {
      end(subscription);
      throw error;
    }
  };

  const venuesOf = ({ filter }: Subscribe, key: ApiKey): readonly Venue[] => {
    const allowed = plans[key.plan].venues;
    if (filter.venue === null) return allowed;
    if (allowed.includes(filter.venue)) return [filter.venue];
    throw new StreamRefusal('ENDPOINT_NOT_IN_PLAN', `The plan ${key.plan} does not have ${filter.venue}.`, {
      plan: key.plan,
      required_plan: planFor(filter.venue, plans),
    });
  };

  const end = (subscription: Subscription): void => {
    subscription.ended = true;
    subscription.live = false;
    subscription.buffer = null;
    markets.leave(subscription);
    subscription.client.subscriptions.delete(subscription.id);
  };

  const handle = async (client: Client, request: StreamRequest): Promise<void> => {
    switch (request.type) {
      case 'auth':
        authenticate(client, request.key);
        return;
      case 'ping':
        client.send({ type: 'pong', time: toIso(clock()), id: request.id });
        return;
      case 'unsubscribe': {
        const subscription = client.subscriptions.get(request.id);
        if (!subscription) throw unknownSubscription(request.id);
        end(subscription);
        client.send({ type: 'unsubscribed', id: request.id });
        return;
      }
      case 'subscribe':
        await subscribe(client, request);
        return;
      default:
        throw new StreamRefusal('INVALID_MESSAGE', `${request.type} is for replays; this is the live feed.`);
    }
  };

  const onText = (client: Client, text: string): void => {
    const parsed = parseStreamRequest(text);
    if (!parsed.ok) {
      fail(client, parsed.id, malformed(parsed));
      if (++client.malformed >= limits.malformed)
        client.close(STREAM_CLOSE.malformed, 'too many malformed messages');
      return;
    }
    const { request } = parsed;
    const id = 'id' in request ? request.id : null;
    if (!client.key && request.type !== 'auth' && request.type !== 'ping') {
      fail(client, id, new StreamRefusal('AUTH_MISSING', 'Send {"type":"auth","key":"<key>"} first.'));
      return;
    }
    const task: Promise<void> = handle(client, request)
      .catch((error: unknown) => {
        if (error instanceof StreamRefusal) fail(client, id, error);
        else {
          logger.error({ event: 'feed.request_failed', err: error }, 'a request of a client failed');
          fail(client, id, new StreamRefusal('INTERNAL_ERROR', 'This did not work; try again.'));
        }
      })
      .finally(() => running.delete(task));
    running.add(task);
  };

  return {
    accept(client, key) {
      let second = 0;
      let inSecond = 0;
      client.socket.on('message', (data: Buffer, binary: boolean) => {
        if (client.closed) return;
        const now = Math.floor(performance.now() / 1_000);
        inSecond = now === second ? inSecond + 1 : 1;
        second = now;
        if (inSecond > limits.requestsPerSecond) client.close(STREAM_CLOSE.tooMany, 'too many messages');
        else onText(client, binary ? '' : data.toString('utf8'));
      });
      if (key) welcome(client, key);
      else {
        const late = setTimeout(() => {
          if (client.key || client.closed) return;
          fail(client, null, new StreamRefusal('AUTH_MISSING', 'No key was sent in time.'));
          client.close(STREAM_CLOSE.unauthorized, 'no key was sent in time');
        }, limits.authMs);
        client.socket.once('close', () => clearTimeout(late));
      }
    },
    leave(client) {
      for (const subscription of client.subscriptions.values()) end(subscription);
    },
    positionsOf(client) {
      if (!client.upToDate) return null;
      const offsets = new Map<string, Position>();
      for (const subscription of client.subscriptions.values()) {
        if (!subscription.live) return null;
        for (const { topic, partition } of placesOf(subscription, parts))
          offsets.set(`${topic}/${partition}`, {
            topic,
            partition,
            offset: tail.next(topic, partition) - 1,
          });
      }
      return [...offsets.values()].map(formatPosition);
    },
    async close() {
      await Promise.allSettled(running);
    },
  };
}
