// Venue A, Binance Wallet Prediction dialect: signed REST behind a weight limit per minute, and the signed WebSocket whose
// pushes carry JSON inside a string.

import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { asJson, openHost, splitTarget, type HttpAnswer } from '../server/host.ts';
import {
  OPEN_GATE,
  type FrameA,
  type NativeSource,
  type ServerOptions,
  type SourceConnection,
  type VenueServer,
} from '../server/protocol.ts';
import { createSockets, takeSkip, type Client } from '../server/sockets.ts';
import { ERRORS, checkRequest, type ApiError, type Credentials } from './signing.ts';

export const REST_PREFIX = '/sapi/v1/w3w/wallet/prediction';
export const WS_PATH = '/sapi/wss';

const TOPIC = /^web3_prediction_orderbook_(\d+|data)$/;
const ALL = 'data';

const CALL_WEIGHT = 200;
const MINUTE_US = 60_000_000;
/** Refused calls in one minute before 429 becomes a ban. */
const PATIENCE = 10;
const BAN_US = 120_000_000;
const MAX_MESSAGES_PER_SECOND = 5;

type Subscriber = {
  /** Market ids, or `data` for all of them. */
  readonly topics: Set<string>;
  feed: SourceConnection<FrameA> | null;
};

export type VenueAOptions = ServerOptions<NativeSource<FrameA>> & {
  readonly credentials: Credentials | null;
  readonly weightPerMinute?: number;
  /** A socket that sent no ping for this long is dropped. */
  readonly pingTimeoutMs?: number;
  /** Life of a connection: 24 h, scaled by the caller. */
  readonly lifeMs?: number;
};

const errorAnswer = ({ status, code, msg }: ApiError): HttpAnswer => asJson(status, { code, msg });

export async function createVenueAServer(options: VenueAOptions): Promise<VenueServer> {
  const { source, clock, credentials, gate = OPEN_GATE, onSent = () => {}, host = '127.0.0.1' } = options;
  const sockets = createSockets<Subscriber>('venuea', options);
  const allowed = options.weightPerMinute ?? 12_000;
  let minute = 0;
  let used = 0;
  let refused = 0;
  let bannedUntil = 0;

  /** Books one call; null when it may go through. */
  function weigh(): HttpAnswer | null {
    const now = clock();
    const current = Math.floor(now / MINUTE_US);
    if (current !== minute) {
      minute = current;
      used = 0;
      refused = 0;
    }
    const seconds = (until: number): string => String(Math.max(1, Math.ceil((until - now) / 1e6)));
    if (now < bannedUntil)
      return { ...errorAnswer(ERRORS.banned), headers: { 'retry-after': seconds(bannedUntil) } };
    used += CALL_WEIGHT;
    if (used <= allowed) return null;
    refused++;
    if (refused > PATIENCE) {
      bannedUntil = now + BAN_US;
      return { ...errorAnswer(ERRORS.banned), headers: { 'retry-after': seconds(bannedUntil) } };
    }
    return { ...errorAnswer(ERRORS.rate), headers: { 'retry-after': seconds((minute + 1) * MINUTE_US) } };
  }

  const keyOf = (request: IncomingMessage): string | undefined => {
    const key = request.headers['x-mbx-apikey'];
    return typeof key === 'string' ? key : undefined;
  };

  async function answer(request: IncomingMessage, body: string): Promise<HttpAnswer> {
    const { path, query } = splitTarget(request.url ?? '/');
    const forced = gate.restStatus();
    const native = path.startsWith(`${REST_PREFIX}/`) ? path.slice(REST_PREFIX.length) : null;
    const target = targetOf(native ?? path, query);
    const over = forced === null ? weigh() : null;
    let result: HttpAnswer & { markets?: readonly string[] };
    if (forced === 500)
      result = asJson(500, { code: -1000, msg: 'An unknown error occurred while processing the request.' });
    else if (forced === 429) result = { ...errorAnswer(ERRORS.rate), headers: { 'retry-after': '1' } };
    else if (over) result = over;
    else {
      const bad = checkRequest(query, keyOf(request), credentials, Math.floor(clock() / 1_000), 'as-sent');
      result = bad
        ? errorAnswer(bad)
        : ((native === null
            ? null
            : await source.rest({
                service: 'rest',
                method: request.method ?? 'GET',
                path: native,
                query: new URLSearchParams(query),
                target,
                body,
              })) ?? asJson(404, { code: -1000, msg: 'not found' }));
    }
    onSent({
      venue: 'venuea',
      channel: `rest:${target}`,
      text: result.body,
      at: clock(),
      markets: result.markets ?? [],
      connection: 0,
      kind: forced === null ? 'data' : 'fault',
    });
    return { ...result, headers: { ...result.headers, 'x-sapi-used-ip-weight-1m': String(used) } };
  }

  const reply = (client: Client<Subscriber>, subType: string, data: string): void => {
    if (gate.silent('')) return;
    sockets.send(client, JSON.stringify({ type: 'COMMAND', subType, data }), 'control', []);
  };

  function push(client: Client<Subscriber>, { market, data }: FrameA): void {
    const { topics } = client.state;
    const topic = topics.has(market) ? market : topics.has(ALL) ? ALL : null;
    if (topic === null) return;
    if ((gate.anySilence() && gate.silent(market)) || takeSkip(client, [market])) {
      sockets.lose(client, market);
      return;
    }
    sockets.send(
      client,
      JSON.stringify({ type: 'TOPIC', topic: `web3_prediction_orderbook_${topic}`, data }),
      'data',
      [market],
    );
  }

  function watch({ state }: Client<Subscriber>): void {
    state.feed?.watching?.(state.topics);
  }

  function command(client: Client<Subscriber>, text: string): void {
    let message: { command?: unknown; value?: unknown };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      return;
    }
    const { command: name, value } = message ?? {};
    if (name !== 'SUBSCRIBE' && name !== 'UNSUBSCRIBE') return;
    const asked = (typeof value === 'string' ? value : '').split('|').map((topic) => TOPIC.exec(topic)?.[1]);
    if (asked.length === 0 || asked.includes(undefined)) {
      reply(client, name, 'FAIL');
      return;
    }
    for (const topic of asked)
      if (name === 'SUBSCRIBE') client.state.topics.add(topic!);
      else client.state.topics.delete(topic!);
    reply(client, name, 'SUCCESS');
    watch(client);
  }

  function accept(socket: WebSocket, request: IncomingMessage): void {
    const query = new URLSearchParams(splitTarget(request.url ?? '').query);
    const named = (query.get('topic') ?? '').split('|').flatMap((topic) => TOPIC.exec(topic)?.[1] ?? []);
    const client = sockets.add(socket, { topics: new Set(named), feed: null });
    const feed = source.connect((frame) => push(client, frame));
    client.state.feed = feed;
    sockets.closeWith(client, feed);
    const pingTimeout = options.pingTimeoutMs ?? 60_000;
    const drop = setTimeout(() => socket.terminate(), pingTimeout);
    const life = setTimeout(() => socket.close(1001, 'connection life ended'), options.lifeMs ?? 86_400_000);
    socket.on('ping', () => drop.refresh());
    let second = 0;
    let messages = 0;
    socket.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      const now = Math.floor(clock() / 1e6);
      messages = now === second ? messages + 1 : 1;
      second = now;
      if (messages > MAX_MESSAGES_PER_SECOND) {
        socket.close(1008, 'too many messages');
        return;
      }
      // The exact text of an application ping is not documented; recorders use these two.
      if (text === 'PING' || /^\{\s*"type"\s*:\s*"PING"\s*\}$/.test(text)) drop.refresh();
      else command(client, text);
    });
    socket.on('close', () => {
      clearTimeout(drop);
      clearTimeout(life);
      sockets.remove(client);
      feed.close();
    });
    if (named.length > 0) reply(client, 'REGISTER', 'SUCCESS');
    watch(client);
  }

  const opened = await openHost({
    host,
    port: options.port ?? 0,
    gate,
    answer,
    authorize(request) {
      const { path, query } = splitTarget(request.url ?? '');
      if (path !== WS_PATH) return asJson(404, { code: -1000, msg: 'not found' });
      const bad = checkRequest(query, keyOf(request), credentials, Math.floor(clock() / 1_000), 'sorted');
      if (bad) return errorAnswer(bad);
      const random = new URLSearchParams(query).get('random') ?? '';
      return credentials && (random.length === 0 || random.length > 32)
        ? errorAnswer(ERRORS.parameter)
        : null;
    },
    accept,
  });

  const controls = sockets.controls(
    ({ topics }, id) => topics.has(id) || topics.has(ALL),
    (id) => [id],
  );
  return {
    port: opened.port,
    ...controls,
    async close() {
      controls.disconnect();
      await opened.close();
    },
  };
}

/** Path and query without what only authenticates. */
function targetOf(path: string, query: string): string {
  const kept = query
    .split('&')
    .filter((pair) => pair !== '' && !/^(signature|timestamp|recvWindow)=/.test(pair));
  return kept.length > 0 ? `${path}?${kept.join('&')}` : path;
}
