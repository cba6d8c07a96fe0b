// The live feed: its clients, what they asked for, and the log's tail. Contract: docs/stream.md, asyncapi.yaml.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiKey } from '@ladderlog/core';
import { PLAN_TERMS, STREAM_CLOSE, toIso } from '@ladderlog/core';
import { Turns } from '@ladderlog/log';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { Channels } from './channels.ts';
import { Client } from './clients/client.ts';
import { Subscriptions } from './clients/subscription.ts';
import { keyInHeaders, refuse } from './clients/upgrade.ts';
import { CurrentFrames } from './current-frames.ts';
import { FanOut } from './fan-out.ts';
import type { FeedLimits, FeedObserver, FeedOptions } from './options.ts';
import { FEED_LIMITS } from './options.ts';
import { Requests } from './requests/requests.ts';

export const FEED_PATH = '/v3/stream';
const SWEEP_MS = 1_000;
const CLOSE_MS = 1_000;

export class Feed {
  private readonly options: FeedOptions;
  private readonly limits: FeedLimits;
  private readonly observer: FeedObserver;
  private readonly stop = new AbortController();
  private readonly connected = new Set<Client>();
  private readonly subscriptions = new Subscriptions();
  private readonly turns = new Turns();
  private readonly current: CurrentFrames;
  private readonly requests: Requests;
  private readonly server: WebSocketServer;
  private readonly stopListening: () => void;
  private readonly sweep: NodeJS.Timeout;
  private readonly beat: NodeJS.Timeout;
  private ids = 0;

  /** Listens to `live`, which must follow the log for clients to get anything. */
  constructor(options: FeedOptions) {
    const { live, clock } = options;
    this.options = options;
    this.limits = { ...FEED_LIMITS, ...options.limits };
    this.observer = options.observer ?? {};
    this.current = new CurrentFrames(live.markets);
    const { limits } = this;
    const plans = options.plans ?? PLAN_TERMS;
    const channels = new Channels();
    this.requests = new Requests({
      ...options,
      plans,
      limits,
      channels,
      current: this.current,
      subscriptions: this.subscriptions,
      ready: Promise.race([live.caughtUp, ended(this.stop.signal)]),
      observer: this.observer,
      admit: (client, key) => this.hasRoomFor(client, key),
    });
    this.server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: limits.payloadBytes,
      clientTracking: false,
    });
    this.stopListening = live.listen(new FanOut({ channels, clock, plans }));
    this.sweep = setInterval(() => this.tellStatuses(), SWEEP_MS).unref();
    // After a pause of this process the answers to its pings are there but not yet read: that comes first.
    this.beat = setInterval(() => setImmediate(() => void this.heartbeat()), limits.heartbeatMs).unref();
  }

  get clients(): number {
    return this.connected.size;
  }

  /** For the HTTP server's `upgrade` event; answers 404 itself when the path is not the feed's. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = request.url?.split('?')[0];
    if (path !== FEED_PATH) return refuse(socket, 404, 'ENDPOINT_NOT_FOUND', 'There is no such stream.');
    if (this.stop.signal.aborted) return refuse(socket, 503, 'STORE_UNAVAILABLE', 'The feed is ending.');
    if (this.connected.size >= this.limits.clients)
      return refuse(socket, 503, 'RATE_LIMITED', 'The feed has as many clients as it takes.');
    const given = keyInHeaders(request.headers);
    const checked = given === null ? null : this.options.keys.check(given);
    if (checked && !checked.ok)
      return refuse(socket, 401, 'AUTH_INVALID', 'This key is not valid, or was revoked.');
    this.server.handleUpgrade(request, socket, head, (accepted) =>
      this.connect(accepted, socket, checked?.ok ? checked.key : null),
    );
  }

  async close(): Promise<void> {
    this.stop.abort();
    this.stopListening();
    clearInterval(this.sweep);
    clearInterval(this.beat);
    for (const client of this.connected) {
      client.close(STREAM_CLOSE.goingAway, 'the server is ending');
      this.requests.leave(client);
    }
    await this.requests.close();
    const deadline = performance.now() + CLOSE_MS;
    while (this.connected.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (const client of this.connected) client.socket.terminate();
    this.server.close();
  }

  private connect(accepted: WebSocket, socket: Duplex, key: ApiKey | null): void {
    const { limits, observer, connected } = this;
    const client = new Client(++this.ids, accepted, socket, {
      limits,
      observer,
      turns: this.turns,
      historyBytes: () => this.requests.historyBytes(),
      currentFrames: (market) => this.current.framesOf(market),
    });
    connected.add(client);
    observer.onClients?.(connected.size);
    accepted.on('pong', () => {
      client.alive = true;
    });
    accepted.on('error', (error) =>
      this.options.logger.debug(
        { event: 'feed.client_error', client: client.id, err: error },
        'client error',
      ),
    );
    accepted.on('close', () => {
      client.gone();
      this.requests.leave(client);
      connected.delete(client);
      observer.onClients?.(connected.size);
    });
    this.requests.accept(client, key);
  }

  private hasRoomFor(client: Client, { keyId }: ApiKey): boolean {
    let sameKey = 0;
    for (const one of this.connected) if (one.key?.keyId === keyId && one !== client) sameKey++;
    return sameKey < this.limits.clientsPerKey;
  }

  private tellStatuses(): void {
    const { live, logger } = this.options;
    const now = performance.now();
    for (const client of this.connected) client.checkStalled(now);
    for (const status of live.statuses.changed()) {
      logger.info({ event: 'feed.status', ...status }, 'feed state changed');
      for (const client of this.connected)
        if (this.subscriptions.have(client, status.venue)) client.send({ type: 'status', data: status });
    }
  }

  private async heartbeat(): Promise<void> {
    const keys = this.options.keys.list();
    const revoked = new Set(keys.flatMap((key) => (key.revokedAt === null ? [] : [key.keyId])));
    for (const client of this.connected) {
      if (this.turns.isOver) await this.turns.next();
      if (!this.connected.has(client)) continue;
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
        client.send({
          type: 'heartbeat',
          time: toIso(this.options.clock()),
          positions: this.requests.positionsOf(client),
        });
    }
  }
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
