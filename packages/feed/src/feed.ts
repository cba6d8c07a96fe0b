// The live feed: puts tail, markets, statuses and clients together. Contract: docs/stream.md, asyncapi.yaml.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { LadderEvent, Position, StreamEvent, Venue } from '@ladderlog/core';
import {
  PLAN_TERMS,
  STREAM_CLOSE,
  STREAM_TYPES,
  Markets as MarketStates,
  Statuses,
  VENUES,
  isGoingOn,
  oldestAllowed,
  toIso,
} from '@ladderlog/core';
import { positionsAt, positionsAtEnd, positionsFromBeginning } from '@ladderlog/log';
import { WebSocketServer } from 'ws';
import { Client } from './clients/client.ts';
import { Item } from './clients/item.ts';
import { hearLastWords } from './last-words.ts';
import { Markets } from './markets.ts';
import type { FeedLimits, FeedObserver, FeedOptions } from './options.ts';
import { FEED_LIMITS } from './options.ts';
import { createRequests } from './requests/requests.ts';
import { followLog } from './tail.ts';
import { keyInHeaders, refuse } from './clients/upgrade.ts';

export type Feed = {
  /** For the HTTP server's `upgrade` event; answers 404 itself when the path is not the feed's. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Resolved when the feed has read what was in the log at the start. */
  readonly caughtUp: Promise<void>;
  readonly clients: number;
  /** Is this venue being recorded, as far as the log says; null when no capture of it was seen. */
  health(venue: Venue): ReturnType<Statuses['health']>;
  close(): Promise<void>;
};

export const FEED_PATH = '/v3/stream';
const SWEEP_MS = 1_000;
const DAY = 86_400_000_000;

export async function createFeed(options: FeedOptions): Promise<Feed> {
  const { log, logger, clock, keys } = options;
  const limits: FeedLimits = { ...FEED_LIMITS, ...options.limits };
  const observer: FeedObserver = options.observer ?? {};
  const plans = options.plans ?? PLAN_TERMS;
  const stop = new AbortController();
  const markets = new Markets(limits.markets);
  const statuses = new Statuses(clock, limits.silentMs);
  const states = new MarketStates();
  const watch = (event: LadderEvent, position: Position): void => {
    const change = states.apply(event, position);
    if (change) statuses.update(change.before, change.after);
  };
  const clients = new Set<Client>();
  const begins = await positionsFromBeginning(log, VENUES);
  const ends = await positionsAtEnd(log, VENUES);
  const start = options.start
    ? clamped(begins, ends, options.start.positions)
    : await positionsAt(log, VENUES, clock() - (options.warmUpMs ?? 7_200_000) * 1_000);
  await hearLastWords(log, watch, start, ends, begins, limits.silentMs * 1_000);
  for (const market of options.start?.markets ?? []) markets.know(market);
  for (const { event, position } of options.start?.books ?? []) markets.apply(event, position);
  for (const { event, position } of options.start?.gaps ?? []) {
    // Beats will tell which books are watched; those in a gap have none. A gap of a market that is over says nothing of now.
    if (isGoingOn(markets.apply(event, position), clock())) watch(event, position);
  }

  let stamp = 0;
  const corked: Client[] = [];
  const shortestDays = Math.min(...Object.values(plans).map(({ historyDays }) => historyDays ?? Infinity));
  const tail = followLog(
    log,
    start,
    ends,
    {
      onEvent(event: LadderEvent, position: Position) {
        watch(event, position);
        if (!STREAM_TYPES.has(event.type)) return;
        const streamed = event as StreamEvent;
        const market = markets.apply(streamed, position);
        const channels = markets.channelsOf(market);
        if (channels.length === 0) return;
        const item = new Item(streamed, position, market.key, market.identity);
        stamp++;
        // An import may append what a plan may not read.
        const now = clock();
        const old = now - streamed.observedAt > shortestDays * DAY;
        for (const { subscriptions } of channels)
          for (const subscription of subscriptions) {
            const { client } = subscription;
            if (!subscription.venues.includes(streamed.venue)) continue;
            if (old && streamed.observedAt < (oldestAllowed(client.key!.plan, now, plans) ?? 0)) continue;
            if (subscription.buffer === null) {
              if (client.stamp === stamp) continue;
              client.stamp = stamp;
              if (client.cork()) corked.push(client);
            }
            subscription.deliver(item, limits.joinMessages);
          }
      },
      onSlice: () => settle(corked, limits),
    },
    logger,
  );

  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.payloadBytes,
    clientTracking: false,
  });
  const requests = createRequests({
    log,
    tail,
    markets,
    statuses,
    clock,
    limits,
    plans,
    keys,
    logger,
    signal: stop.signal,
    market: options.market,
    observer,
    admit: (client, key) => {
      let sameKey = 0;
      for (const one of clients) if (one.key?.keyId === key.keyId && one !== client) sameKey++;
      return sameKey < limits.clientsPerKey;
    },
  });

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const client of clients) client.checkStalled(now);
    for (const status of statuses.changed()) {
      logger.info({ event: 'feed.status', ...status }, 'feed state changed');
      for (const client of clients)
        if ([...client.subscriptions.values()].some(({ venues }) => venues.includes(status.venue)))
          client.send({ type: 'status', data: status });
    }
  }, SWEEP_MS);
  const look = (): void => {
    const revoked = new Set(keys.list().flatMap((key) => (key.revokedAt === null ? [] : [key.keyId])));
    for (const client of clients) {
      if (!client.alive) {
        client.socket.terminate();
        continue;
      }
      if (client.key && revoked.has(client.key.keyId)) {
        client.close(STREAM_CLOSE.unauthorized, 'the key was revoked');
        continue;
      }
      client.alive = false;
      if (!client.closed) client.socket.ping();
      if (client.key)
        client.send({ type: 'heartbeat', time: toIso(clock()), positions: requests.positionsOf(client) });
    }
  };
  // After a pause of this process the answers to its pings are there but not yet read: that comes first.
  const beat = setInterval(() => setImmediate(look), limits.heartbeatMs);
  sweep.unref();
  beat.unref();

  let ids = 0;
  return {
    caughtUp: tail.caughtUp,
    get clients() {
      return clients.size;
    },
    health: (venue) => statuses.health(venue),
    handleUpgrade(request, socket, head) {
      const path = request.url?.split('?')[0];
      if (path !== FEED_PATH) return refuse(socket, 404, 'ENDPOINT_NOT_FOUND', 'There is no such stream.');
      if (stop.signal.aborted) return refuse(socket, 503, 'STORE_UNAVAILABLE', 'The feed is ending.');
      if (clients.size >= limits.clients)
        return refuse(socket, 503, 'RATE_LIMITED', 'The feed has as many clients as it takes.');
      const given = keyInHeaders(request.headers);
      const checked = given === null ? null : keys.check(given);
      if (checked && !checked.ok)
        return refuse(socket, 401, 'AUTH_INVALID', 'This key is not valid, or was revoked.');
      server.handleUpgrade(request, socket, head, (accepted) => {
        const client = new Client(++ids, accepted, socket, {
          limits,
          observer,
          currentFrames: (market) => markets.currentFrames(market),
        });
        clients.add(client);
        observer.onClients?.(clients.size);
        accepted.on('pong', () => {
          client.alive = true;
        });
        accepted.on('error', (error) =>
          logger.debug({ event: 'feed.client_error', client: client.id, err: error }, 'client error'),
        );
        accepted.on('close', () => {
          client.gone();
          requests.leave(client);
          clients.delete(client);
          observer.onClients?.(clients.size);
        });
        requests.accept(client, checked?.ok ? checked.key : null);
      });
    },
    async close() {
      stop.abort();
      clearInterval(sweep);
      clearInterval(beat);
      for (const client of clients) client.close(STREAM_CLOSE.goingAway, 'the server is ending');
      await tail.close();
      await requests.close();
      const deadline = performance.now() + 1_000;
      while (clients.size > 0 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 10));
      for (const client of clients) client.socket.terminate();
      server.close();
    },
  };
}

/** Lets sockets take what was written. Clients that are just behind get a moment, once; then they count as slow. */
function settle(corked: Client[], limits: FeedLimits): Promise<void> | null {
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
      if (still.length > 0 && performance.now() - began < limits.graceMs) {
        setTimeout(look, 1);
        return;
      }
      for (const client of still) client.beSlow();
      resolve();
    };
    setImmediate(look);
  });
}

/** Every partition there is, at the given position as far as the log still has it, else at its end. */
const clamped = (
  begins: readonly Position[],
  ends: readonly Position[],
  given: readonly Position[],
): Position[] =>
  ends.map((end, at) => {
    const wanted = given.find((one) => one.topic === end.topic && one.partition === end.partition);
    const begin = begins[at]?.offset ?? 0;
    return { ...end, offset: Math.min(Math.max(wanted?.offset ?? end.offset, begin), end.offset) };
  });
