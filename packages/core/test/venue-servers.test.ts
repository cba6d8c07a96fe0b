// The venues' protocols as servers are functions of what comes in: no sockets, and the time is given.

import { describe, expect, test } from 'vitest';
import { Query } from '../src/venues/serving/query.ts';
import type {
  Client,
  Output,
  RequestHead,
  ServerPrimitives,
  VenueFrame,
} from '../src/venues/serving/server.ts';
import { VENUE_ADAPTERS, adapterOf } from '../src/venues/registry.ts';

const NOW = 1_794_700_800_000_000;

const primitives: ServerPrimitives = {
  sha1: () => '',
  sha256: () => '',
  hmacSha256: (secret, text) => `${secret}:${text}`.toLowerCase(),
  rsaPssVerifier: (key) => (text, signature) => signature === `${key}:${text}`,
  rsaPrivateKey: () => '',
};

const head = (
  rawQuery = '',
  headers: Record<string, string> = {},
  service = 'rest',
  path = '/',
): RequestHead => ({ service, method: 'GET', path, rawQuery, query: new Query(rawQuery), headers });

/** A client that can be silenced, and that keeps what it lost. */
function client(initial: readonly VenueFrame[] = []) {
  const lost: string[] = [];
  const state = { silent: new Set<string>(), skip: false, unsent: 0 };
  const asked: Client = {
    now: () => NOW,
    unsent: () => state.unsent,
    initial: (ids) => initial.filter(({ market }) => ids.includes(market)),
    silence: () => (state.silent.size > 0 ? (id) => state.silent.has(id) : null),
    takeSkip: () => state.skip && !(state.skip = false),
    lose: (market) => void lost.push(market),
  };
  return { asked, lost, state };
}

const texts = (outputs: readonly Output[]): string[] =>
  outputs.flatMap((output) => (output.do === 'send' ? output.text : []));
const json = (outputs: readonly Output[]) =>
  texts(outputs).map((text) => JSON.parse(text) as Record<string, any>); // oxlint-disable-line typescript/no-explicit-any

test('every venue says where it listens, and refuses in its own words', () => {
  for (const { server } of VENUE_ADAPTERS) {
    expect(server.services.length).toBeGreaterThan(0);
    expect(server.refusals.notFound.status).toBe(404);
    expect(server.refusals.tooMany.status).toBe(429);
    expect(server.refusals.failed.status).toBe(500);
  }
});

describe('venue A', () => {
  const { server } = adapterOf('venuea');
  const credentials = { apiKey: 'k'.repeat(16), apiSecret: 's' };
  const headers = { 'x-mbx-apikey': credentials.apiKey };
  const signed = (query: string): string =>
    `${query}&signature=${encodeURIComponent(primitives.hmacSha256('s', query))}`;

  test('weight is used up and comes back with the next minute; who goes on is banned', () => {
    const protocol = server.open({ primitives, credentials: null, quota: 400 });
    const status = (at: number): number | undefined => protocol.admit(head(), at).refusal?.status;
    expect([status(NOW), status(NOW), status(NOW)]).toEqual([undefined, undefined, 429]);
    expect(protocol.headers!()).toEqual({ 'x-sapi-used-ip-weight-1m': '600' });
    expect(status(NOW + 60_000_000)).toBeUndefined();
    const many = Array.from({ length: 12 }, () => status(NOW + 60_000_000));
    expect(many).toEqual([undefined, ...Array<number>(10).fill(429), 418]);
    expect(protocol.admit(head(), NOW + 179_000_000).refusal).toMatchObject({
      status: 418,
      headers: { 'retry-after': '1' },
    });
  });

  test('REST signs the query as sent, the socket its parameters in order', () => {
    const protocol = server.open({ primitives, credentials });
    const query = `b=2&timestamp=${NOW / 1_000}&a=1&random=r`;
    expect(protocol.admit(head(signed(query), headers), NOW).refusal).toBeNull();
    expect(protocol.refuseSocket!(head(signed(query), headers), NOW)?.body).toContain('-1022');
    const sorted = `a=1&b=2&random=r&timestamp=${NOW / 1_000}`;
    const shuffled = `${query}&signature=${encodeURIComponent(primitives.hmacSha256('s', sorted))}`;
    expect(protocol.refuseSocket!(head(shuffled, headers), NOW)).toBeNull();
    expect(protocol.refuseSocket!(head(shuffled, headers), NOW + 6_000_000)?.body).toContain('-1021');
  });
});

describe('venue B', () => {
  const { server } = adapterOf('venueb');
  const delta = (market: string) => ({
    channel: 'orderbook_delta',
    type: 'orderbook_delta',
    market,
    msg: { market_ticker: market, price_dollars: '0.4000', delta_fp: '1.00', side: 'no' },
    yesPrices: false,
  });
  const subscribe = (tickers: readonly string[]): string =>
    JSON.stringify({
      id: 1,
      cmd: 'subscribe',
      params: { channels: ['orderbook_delta'], market_tickers: tickers, use_yes_price: true },
    });

  test('a lost frame uses up its number; a slow reader is dropped with code 25', () => {
    const { asked, lost, state } = client();
    const socket = server.open({ primitives, credentials: null }).openSocket!(head(), asked);
    const opened = json(socket.message(subscribe(['T'])));
    expect(opened.map(({ type }) => type as string)).toEqual(['subscribed', 'error']);
    expect(json(socket.frame(delta('T')))).toMatchObject([{ seq: 1, msg: { price_dollars: '0.6000' } }]);
    state.skip = true;
    expect(socket.frame(delta('T'))).toEqual([]);
    expect(lost).toEqual(['T']);
    expect(json(socket.frame(delta('T')))).toMatchObject([{ seq: 3 }]);
    expect(socket.frame(delta('U'))).toEqual([]);
    state.unsent = 9 * 1024 * 1024;
    expect(json(socket.frame(delta('T')))).toMatchObject([{ type: 'error', sid: 1, msg: { code: 25 } }]);
    expect(socket.frame(delta('T'))).toEqual([]);
  });

  test('tokens of the bucket come back with time', () => {
    const protocol = server.open({ primitives, credentials: null, quota: 2 });
    const isRefused = (at: number): boolean => Boolean(protocol.admit(head(), at).refusal);
    expect([isRefused(NOW), isRefused(NOW), isRefused(NOW)]).toEqual([false, false, true]);
    expect(isRefused(NOW + 500_000)).toBe(false);
  });
});

describe('venue C', () => {
  const { server } = adapterOf('venuec');
  const change = {
    tokens: ['1', '2'],
    market: '0xa',
    custom: false,
    text: '{"event_type":"price_change","price_changes":[{"asset_id":"1"},{"asset_id":"2"}]}',
  };

  test('of a silenced token only its own entries are lost', () => {
    const { asked, lost, state } = client();
    const socket = server.open({ primitives, credentials: null }).openSocket!(head(), asked);
    socket.message('{"assets_ids":["1","2"]}');
    expect(texts(socket.frame(change))).toEqual([change.text]);
    state.silent.add('2');
    expect(json(socket.frame(change))).toMatchObject([{ price_changes: [{ asset_id: '1' }] }]);
    state.silent.add('1');
    expect(socket.frame(change)).toEqual([]);
    expect(lost).toEqual(['0xa']);
    expect(socket.message('PING')).toMatchObject([{ text: 'PONG', kind: 'pong' }]);
  });

  test('over the limit callers wait, and at twice the limit they are refused', () => {
    const protocol = server.open({ primitives, credentials: null });
    const ask = (at: number) => protocol.admit(head('', {}, 'clob', '/tick-size'), at);
    const answers = Array.from({ length: 401 }, () => ask(NOW));
    expect(answers[199]).toEqual({});
    expect(answers[200]).toEqual({ delayMs: 50 });
    expect(answers[399]).toEqual({ delayMs: 5_000 });
    expect(answers[400]!.refusal?.status).toBe(429);
    expect(ask(NOW + 10_000_001)).toEqual({});
  });
});
