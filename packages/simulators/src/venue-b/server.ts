// Venue B, Kalshi dialect: REST under /trade-api/v2 behind a token bucket, and the signed WebSocket (subscriptions.ts).

import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { asJson, openHost, splitTarget, type HttpAnswer } from '../server/host.ts';
import {
  OPEN_GATE,
  type FrameB,
  type NativeSource,
  type ServerOptions,
  type VenueServer,
} from '../server/protocol.ts';
import { createSockets } from '../server/sockets.ts';
import { checkSignature, type Verdict } from './signing.ts';
import { createSubscriptions, type Subscriber } from './subscriptions.ts';

export const REST_PREFIX = '/trade-api/v2';
export const WS_PATH = '/trade-api/ws/v2';

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
  const { command, deliver, overflow } = createSubscriptions(sockets, gate);
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

  function accept(socket: WebSocket): void {
    const client = sockets.add(socket, { subscriptions: new Map(), nextSid: 1, feed: null });
    const feed = source.connect((frame) => deliver(client, frame));
    client.state.feed = feed;
    sockets.closeWith(client, feed);
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

  const controls = sockets.controls(({ subscriptions }, id) =>
    subscriptions.values().some(({ tickers }) => tickers.has(id)),
  );
  return {
    port: opened.port,
    ...controls,
    overflow() {
      for (const client of sockets.all) overflow(client);
      return sockets.all.size;
    },
    async close() {
      controls.disconnect();
      await opened.close();
    },
  };
}
