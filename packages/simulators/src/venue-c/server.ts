// Venue C, Polymarket dialect: Gamma and CLOB over HTTP, the market channel over WebSocket. No authentication.

import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { MAX_BUFFERED_BYTES, asJson, openHost, splitTarget, type HttpAnswer } from '../server/host.ts';
import {
  OPEN_GATE,
  type FrameC,
  type NativeSource,
  type RestService,
  type ServerOptions,
  type SourceConnection,
  type VenueServer,
} from '../server/protocol.ts';
import { createSockets, takeSkip, type Client } from '../server/sockets.ts';

/** Beyond this many tokens on one socket no initial snapshot is sent. */
const SNAPSHOT_TOKENS = 500;

/** Requests in any 10 s before answers are delayed; at twice that they are refused. */
const LIMITS: readonly (readonly [RestService, RegExp, number])[] = [
  ['clob', /^\/(book|price|midpoint)$/, 1_500],
  ['clob', /^\/(books|prices|midpoints)$/, 500],
  ['clob', /^\/tick-size$/, 200],
  ['clob', /./, 9_000],
  ['gamma', /^\/events/, 500],
  ['gamma', /^\/markets/, 300],
  ['gamma', /./, 4_000],
];
const LIMIT_WINDOW_US = 10_000_000;

type Subscriber = {
  readonly tokens: Set<string>;
  custom: boolean;
  feed: SourceConnection<FrameC> | null;
};

export type VenueCServer = VenueServer & { readonly gammaPort: number };

export async function createVenueCServer(
  options: ServerOptions<NativeSource<FrameC>> & { readonly gammaPort?: number },
): Promise<VenueCServer> {
  const { source, clock, gate = OPEN_GATE, onSent = () => {}, host = '127.0.0.1' } = options;
  const sockets = createSockets<Subscriber>('venuec', options);
  const uses = new Map<string, number[]>();

  /** Milliseconds to wait, or null when the caller is so far over that it is refused. */
  function throttle(service: RestService, path: string): number | null {
    const at = LIMITS.findIndex(([of, pattern]) => of === service && pattern.test(path));
    const limit = LIMITS[at]![2];
    const now = clock();
    const recent = (uses.get(String(at)) ?? []).filter((use) => use > now - LIMIT_WINDOW_US);
    recent.push(now);
    uses.set(String(at), recent);
    if (recent.length <= limit) return 0;
    return recent.length > 2 * limit ? null : Math.min(5_000, (recent.length - limit) * (10_000 / limit));
  }

  const answerFor =
    (service: RestService) =>
    async (request: IncomingMessage, body: string): Promise<HttpAnswer> => {
      const { path, query } = splitTarget(request.url ?? '/');
      const forced = gate.restStatus();
      let answer: HttpAnswer & { markets?: readonly string[] };
      const wait = forced === null ? throttle(service, path) : 0;
      if (forced === 500) answer = asJson(500, { error: 'Internal server error' });
      else if (forced === 429 || wait === null) answer = asJson(429, { error: 'Too Many Requests' });
      else {
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        answer =
          (await source.rest({
            service,
            method: request.method ?? 'GET',
            path,
            query: new URLSearchParams(query),
            target: request.url ?? '/',
            body,
          })) ?? asJson(404, { error: 'not found' });
      }
      onSent({
        venue: 'venuec',
        channel: `${service}:${request.url ?? '/'}`,
        text: answer.body,
        at: clock(),
        markets: answer.markets ?? [],
        connection: 0,
        kind: forced === null ? 'data' : 'fault',
      });
      return answer;
    };

  function push(client: Client<Subscriber>, frame: FrameC): void {
    const { tokens, custom } = client.state;
    if (frame.custom && !custom) return;
    if (frame.tokens.length > 0 && !frame.tokens.some((token) => tokens.has(token))) return;
    const heard = gate.anySilence() ? withoutSilent(frame) : frame;
    if (!heard || takeSkip(client, [...frame.tokens, frame.market])) {
      sockets.lose(client, frame.market);
      return;
    }
    if (client.socket.bufferedAmount > MAX_BUFFERED_BYTES) client.socket.close(1013, 'slow consumer');
    else sockets.send(client, heard.text, 'data', [heard.market]);
  }

  /** The frame without entries of silent tokens; null when nothing is left. */
  function withoutSilent(frame: FrameC): FrameC | null {
    if (gate.silent(frame.market)) return null;
    const heard = frame.tokens.filter((token) => !gate.silent(token));
    if (heard.length === frame.tokens.length) return frame;
    if (heard.length === 0) return null;
    const message = JSON.parse(frame.text) as { price_changes?: { asset_id: string }[] };
    if (!message.price_changes) return { ...frame, tokens: heard };
    const entries = message.price_changes.filter((entry) => heard.includes(entry.asset_id));
    return { ...frame, tokens: heard, text: JSON.stringify({ ...message, price_changes: entries }) };
  }

  function subscribe(client: Client<Subscriber>, asked: readonly string[], dump: boolean): void {
    const { tokens, feed } = client.state;
    const fresh = [...new Set(asked)].filter((token) => !tokens.has(token));
    if (fresh.length === 0 && asked.length > 0) {
      if (!gate.silent('')) sockets.send(client, 'NO NEW ASSETS', 'control', []);
      return;
    }
    const room = Math.max(0, SNAPSHOT_TOKENS - tokens.size);
    for (const token of fresh) tokens.add(token);
    feed?.watching?.(tokens);
    if (!dump) return;
    const frames: FrameC[] = [];
    for (const frame of feed?.initial(fresh.slice(0, room)) ?? []) {
      if (gate.anySilence() && !withoutSilent(frame)) sockets.lose(client, frame.market);
      else frames.push(frame);
    }
    if (frames.length > 0)
      sockets.send(client, `[${frames.map((frame) => frame.text).join(',')}]`, 'data', [
        ...new Set(frames.map((frame) => frame.market)),
      ]);
  }

  function command(client: Client<Subscriber>, text: string): void {
    if (text === 'PING') {
      sockets.send(client, 'PONG', 'control', []);
      return;
    }
    let message: Record<string, unknown>;
    try {
      message = JSON.parse(text) as Record<string, unknown>;
    } catch {
      sockets.send(client, 'INVALID OPERATION', 'control', []);
      return;
    }
    const asked = Array.isArray(message['assets_ids']) ? message['assets_ids'].map(String) : null;
    if (!asked) {
      sockets.send(client, 'INVALID OPERATION', 'control', []);
      return;
    }
    if (message['operation'] === 'unsubscribe') {
      for (const token of asked) client.state.tokens.delete(token);
      client.state.feed?.watching?.(client.state.tokens);
      return;
    }
    if (message['custom_feature_enabled'] === true) client.state.custom = true;
    subscribe(client, asked, message['initial_dump'] !== false);
  }

  function accept(socket: WebSocket): void {
    const client = sockets.add(socket, { tokens: new Set(), custom: false, feed: null });
    const feed = source.connect((frame) => push(client, frame));
    client.state.feed = feed;
    sockets.closeWith(client, feed);
    socket.on('message', (data: Buffer) => command(client, data.toString('utf8')));
    socket.on('close', () => {
      sockets.remove(client);
      feed.close();
    });
  }

  const gamma = await openHost({ host, port: options.gammaPort ?? 0, gate, answer: answerFor('gamma') });
  const clob = await openHost({
    host,
    port: options.port ?? 0,
    gate,
    answer: answerFor('clob'),
    authorize: (request) =>
      splitTarget(request.url ?? '').path === '/ws/market' ? null : asJson(404, { error: 'not found' }),
    accept,
  });

  const controls = sockets.controls(({ tokens }, id) => tokens.has(id));
  return {
    port: clob.port,
    gammaPort: gamma.port,
    ...controls,
    async close() {
      controls.disconnect();
      await Promise.all([gamma.close(), clob.close()]);
    },
  };
}
