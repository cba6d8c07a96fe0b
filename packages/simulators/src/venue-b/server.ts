// Venue B, Kalshi dialect: REST under /trade-api/v2 behind a token bucket, and the signed WebSocket with subscriptions that
// each count their own sequence.

import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { asJson, openHost, splitTarget, type HttpAnswer } from '../host.ts';
import {
  OPEN_GATE,
  type FrameB,
  type NativeSource,
  type ServerOptions,
  type SourceConnection,
  type VenueServer,
} from '../protocol.ts';
import { createSockets, takeSkip, type Client } from '../sockets.ts';
import { checkSignature, type Verdict } from './signing.ts';
import { withYesPrices } from './yes-prices.ts';

export const REST_PREFIX = '/trade-api/v2';
export const WS_PATH = '/trade-api/ws/v2';

const CHANNELS = ['orderbook_delta', 'trade', 'ticker', 'market_lifecycle_v2'] as const;
type Channel = (typeof CHANNELS)[number];

/** Books, trades and acknowledgements are numbered; tickers and lifecycle are not. */
const SEQUENCED: ReadonlySet<string> = new Set(['orderbook_snapshot', 'orderbook_delta', 'trade']);

/** A subscription whose socket holds more than this unsent is dropped with code 25. */
const OVERFLOW_BYTES = 8 * 1024 * 1024;
const MAX_MARKETS = 1_000;

type Subscription = {
  readonly sid: number;
  readonly channel: Channel;
  readonly tickers: Set<string>;
  /** Without tickers a trade or ticker subscription hears every market. */
  readonly all: boolean;
  readonly yesPrices: boolean;
  seq: number;
};

type Subscriber = {
  readonly subscriptions: Map<number, Subscription>;
  nextSid: number;
  feed: SourceConnection<FrameB> | null;
};

export type VenueBOptions = ServerOptions<NativeSource<FrameB>> & {
  /** Null: any signature is taken (a replay server for people without keys). */
  readonly keys: { readonly keyId: string; readonly publicKey: KeyObject } | null;
  /** Refuse unsigned REST reads; the venue itself mostly answers them. */
  readonly requireRestAuth?: boolean;
  readonly readsPerSecond?: number;
  readonly heartbeatMs?: number;
};

const REFUSALS: Readonly<Record<Exclude<Verdict, 'ok'>, string>> = {
  missing: 'missing authentication headers',
  unknown_key: 'invalid API key',
  stale: 'timestamp is out of range',
  bad_signature: 'signature verification failed',
};

export async function createVenueBServer(options: VenueBOptions): Promise<VenueServer> {
  const { source, clock, keys, gate = OPEN_GATE, onSent = () => {}, host = '127.0.0.1' } = options;
  const sockets = createSockets<Subscriber>('venueb', options);
  const perSecond = options.readsPerSecond ?? 20;
  let tokens = perSecond;
  let refilled = clock();

  function takeToken(): boolean {
    const now = clock();
    if (!Number.isFinite(perSecond)) return true;
    tokens = Math.min(perSecond, tokens + (Math.max(0, now - refilled) / 1e6) * perSecond);
    refilled = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  }

  const verdict = (request: IncomingMessage, path: string): Verdict =>
    keys
      ? checkSignature(request.headers, request.method ?? 'GET', path, keys, Math.floor(clock() / 1_000))
      : 'ok';
  const unauthorized = (why: Exclude<Verdict, 'ok'>): HttpAnswer =>
    asJson(401, { error: { code: 'unauthorized', message: REFUSALS[why], service: 'simulator' } });

  async function answer(request: IncomingMessage, body: string): Promise<HttpAnswer> {
    const { path, query } = splitTarget(request.url ?? '/');
    const forced = gate.restStatus();
    const target = path.startsWith(REST_PREFIX) ? (request.url ?? '/').slice(REST_PREFIX.length) : '';
    const checked = verdict(request, path);
    const signed = request.headers['kalshi-access-key'] !== undefined;
    let result: HttpAnswer & { markets?: readonly string[] };
    if (forced === 500)
      result = asJson(500, { error: { code: 'internal_server_error', message: 'internal server error' } });
    else if (forced === 429 || !takeToken()) result = asJson(429, { error: 'too many requests' });
    else if (checked !== 'ok' && (signed || options.requireRestAuth)) result = unauthorized(checked);
    else
      result =
        (target === ''
          ? null
          : await source.rest({
              service: 'rest',
              method: request.method ?? 'GET',
              path: path.slice(REST_PREFIX.length),
              query: new URLSearchParams(query),
              target,
              body,
            })) ?? asJson(404, { error: { code: 'not_found', message: 'not found' } });
    onSent({
      venue: 'venueb',
      channel: `rest:${target || request.url}`,
      text: result.body,
      at: clock(),
      markets: result.markets ?? [],
      connection: 0,
      kind: forced === null ? 'data' : 'fault',
    });
    return result;
  }

  const reply = (client: Client<Subscriber>, value: object): void => {
    if (gate.silent('')) return;
    sockets.send(client, JSON.stringify(value), 'control', []);
  };
  const refuse = (
    client: Client<Subscriber>,
    id: unknown,
    code: number,
    msg: string,
    more: object = {},
  ): void => reply(client, { id, type: 'error', msg: { code, msg, ...more } });

  /** Sends one message of a subscription. Sequence numbers are used up even when a fault loses the frame. */
  function push(
    client: Client<Subscriber>,
    subscription: Subscription,
    frame: FrameB,
    extra: object = {},
  ): void {
    const sequenced = SEQUENCED.has(frame.type);
    const seq = sequenced ? ++subscription.seq : 0;
    if ((gate.anySilence() && gate.silent(frame.market)) || (sequenced && takeSkip(client, [frame.market]))) {
      sockets.lose(client, frame.market);
      return;
    }
    if (client.socket.bufferedAmount > OVERFLOW_BYTES) {
      client.state.subscriptions.delete(subscription.sid);
      const { sid } = subscription;
      reply(client, { type: 'error', sid, msg: { code: 25, msg: 'Subscription buffer overflow' } });
      return;
    }
    const msg = subscription.yesPrices === frame.yesPrices ? frame.msg : withYesPrices(frame.type, frame.msg);
    sockets.send(
      client,
      JSON.stringify({
        type: frame.type,
        ...extra,
        sid: subscription.sid,
        ...(sequenced ? { seq } : {}),
        msg,
      }),
      'data',
      [frame.market],
    );
  }

  function deliver(client: Client<Subscriber>, frame: FrameB): void {
    for (const subscription of client.state.subscriptions.values())
      if (
        subscription.channel === frame.channel &&
        (subscription.all || subscription.tickers.has(frame.market))
      )
        push(client, subscription, frame);
  }

  const tickersOf = (params: Record<string, unknown>): string[] => [
    ...new Set([
      ...(Array.isArray(params['market_tickers']) ? params['market_tickers'].map(String) : []),
      ...(typeof params['market_ticker'] === 'string' ? [params['market_ticker']] : []),
    ]),
  ];

  function snapshots(
    client: Client<Subscriber>,
    subscription: Subscription,
    tickers: readonly string[],
    id: unknown,
    extra: object = {},
  ): void {
    if (subscription.channel !== 'orderbook_delta') return;
    const frames = new Map((client.state.feed?.initial(tickers) ?? []).map((frame) => [frame.market, frame]));
    for (const ticker of tickers) {
      const frame = frames.get(ticker);
      if (frame) push(client, subscription, frame, extra);
      else refuse(client, id, 16, 'Market not found', { market_ticker: ticker });
    }
  }

  const watch = (client: Client<Subscriber>): void => {
    const { feed, subscriptions } = client.state;
    feed?.watching?.(new Set([...subscriptions.values()].flatMap(({ tickers }) => [...tickers])));
  };

  function subscribe(client: Client<Subscriber>, id: unknown, params: Record<string, unknown>): void {
    const channels = Array.isArray(params['channels']) ? params['channels'].map(String) : [];
    if (channels.length === 0) return refuse(client, id, 3, 'Channels required');
    const tickers = tickersOf(params);
    for (const name of channels) {
      const channel = CHANNELS.find((known) => known === name);
      if (!channel) return refuse(client, id, 8, 'Unknown channel name');
      if (channel === 'orderbook_delta' && tickers.length === 0)
        return refuse(client, id, 14, 'Market Ticker required');
    }
    if (tickers.length > MAX_MARKETS) return refuse(client, id, 26, 'Subscription market limit exceeded');
    for (const channel of channels as Channel[]) {
      const subscription: Subscription = {
        sid: client.state.nextSid++,
        channel,
        tickers: new Set(tickers),
        all: tickers.length === 0 || channel === 'market_lifecycle_v2',
        yesPrices: params['use_yes_price'] === true,
        seq: 0,
      };
      client.state.subscriptions.set(subscription.sid, subscription);
      reply(client, { id, type: 'subscribed', msg: { channel, sid: subscription.sid } });
      watch(client);
      snapshots(client, subscription, tickers, id);
    }
  }

  function update(client: Client<Subscriber>, id: unknown, params: Record<string, unknown>): void {
    const sids = Array.isArray(params['sids']) ? params['sids'] : [params['sid']];
    if (sids.length !== 1 || typeof sids[0] !== 'number')
      return refuse(client, id, 12, 'Exactly one subscription ID is required');
    const subscription = client.state.subscriptions.get(sids[0]);
    if (!subscription) return refuse(client, id, 7, 'Unknown subscription ID');
    const { action } = params;
    if (action === undefined) return refuse(client, id, 15, 'Action required');
    const tickers = tickersOf(params);
    if (tickers.length === 0) return refuse(client, id, 14, 'Market Ticker required');
    const { sid } = subscription;
    if (action === 'get_snapshot') {
      if (subscription.channel !== 'orderbook_delta') return refuse(client, id, 13, 'Unsupported action');
      snapshots(client, subscription, tickers, id, { id });
      return;
    }
    if (action !== 'add_markets' && action !== 'delete_markets')
      return refuse(client, id, 13, 'Unsupported action');
    const fresh = tickers.filter((ticker) => !subscription.tickers.has(ticker));
    if (action === 'delete_markets') for (const ticker of tickers) subscription.tickers.delete(ticker);
    else if (subscription.tickers.size + fresh.length > MAX_MARKETS)
      return refuse(client, id, 26, 'Subscription market limit exceeded');
    else for (const ticker of fresh) subscription.tickers.add(ticker);
    const seq = ++subscription.seq;
    reply(client, { type: 'ok', id, sid, seq, msg: { market_tickers: [...subscription.tickers].sort() } });
    watch(client);
    if (action === 'add_markets') snapshots(client, subscription, fresh, id);
  }

  function unsubscribe(client: Client<Subscriber>, id: unknown, params: Record<string, unknown>): void {
    const sids = Array.isArray(params['sids']) ? params['sids'] : [];
    if (sids.length === 0) return refuse(client, id, 4, 'Subscription IDs required');
    for (const sid of sids) {
      const subscription = client.state.subscriptions.get(sid as number);
      if (!subscription) refuse(client, id, 7, 'Unknown subscription ID');
      else {
        client.state.subscriptions.delete(subscription.sid);
        reply(client, { id, sid: subscription.sid, seq: ++subscription.seq, type: 'unsubscribed' });
      }
    }
    watch(client);
  }

  function command(client: Client<Subscriber>, text: string): void {
    let message: { id?: unknown; cmd?: unknown; params?: Record<string, unknown> };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      return refuse(client, undefined, 1, 'Unable to process message');
    }
    const { id, cmd, params } = message ?? {};
    if (cmd === 'list_subscriptions') {
      const list = [...client.state.subscriptions.values()].map(({ channel, sid }) => ({ channel, sid }));
      return reply(client, { id, type: 'ok', msg: list });
    }
    const known = { subscribe, update_subscription: update, unsubscribe };
    if (typeof cmd !== 'string' || !Object.hasOwn(known, cmd))
      return refuse(client, id, 5, 'Unknown command');
    if (!params || typeof params !== 'object') return refuse(client, id, 2, 'Params required');
    known[cmd as keyof typeof known](client, id, params);
  }

  function accept(socket: WebSocket): void {
    const client = sockets.add(socket, { subscriptions: new Map(), nextSid: 1, feed: null });
    const feed = source.connect((frame) => deliver(client, frame));
    client.state.feed = feed;
    feed.ended?.then(
      () => socket.close(1000, 'end of recording'),
      () => socket.close(1011, 'source failed'),
    );
    let answered = true;
    socket.on('pong', () => (answered = true));
    const heartbeat = setInterval(() => {
      if (!answered) socket.terminate();
      else {
        answered = false;
        socket.ping('heartbeat');
      }
    }, options.heartbeatMs ?? 10_000);
    socket.on('message', (data: Buffer) => command(client, data.toString('utf8')));
    socket.on('close', () => {
      clearInterval(heartbeat);
      sockets.remove(client);
      feed.close();
    });
  }

  const opened = await openHost({
    host,
    port: options.port ?? 0,
    gate,
    answer,
    authorize(request) {
      const { path } = splitTarget(request.url ?? '');
      if (path !== WS_PATH) return asJson(404, { error: { code: 'not_found', message: 'not found' } });
      const checked = verdict(request, path);
      return checked === 'ok' ? null : unauthorized(checked);
    },
    accept,
  });

  return {
    port: opened.port,
    connections: () => sockets.clients.size,
    backlog: sockets.backlog,
    disconnect: sockets.disconnect,
    closeAll: sockets.closeAll,
    broadcast(text, id) {
      let sent = 0;
      for (const client of sockets.clients) {
        const subscribed = [...client.state.subscriptions.values()];
        if (id === null || subscribed.some(({ tickers }) => tickers.has(id)))
          sent += sockets.send(client, text, 'fault', []) ? 1 : 0;
      }
      return sent;
    },
    skipNext(id) {
      for (const client of sockets.clients) client.skip = { id };
    },
    async close() {
      sockets.disconnect();
      await opened.close();
    },
  };
}
