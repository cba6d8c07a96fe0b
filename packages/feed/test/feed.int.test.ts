// The feed on a real log and real sockets: who gets what, in which order, from where.

import type { BookObserved, CaptureBeat, GapClosed, GapOpened, MarketObserved } from '@ladderlog/core';
import { formatPosition, toRecord } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FULL_EVENTS, bookAt } from '../../../test/harness/log-events.ts';
import { connect, keyText, openTempLog, startFeed } from './harness.ts';
import type { TestFeed } from './harness.ts';

let log: EventLog;
let temporary: Awaited<ReturnType<typeof openTempLog>>;
let running: TestFeed[] = [];

beforeEach(async () => {
  temporary = await openTempLog();
  ({ log } = temporary);
});
afterEach(async () => {
  for (const feed of running) await feed.close();
  running = [];
  await temporary.remove();
});

const start = async (options: Parameters<typeof startFeed>[1] = {}): Promise<TestFeed> => {
  const feed = await startFeed(log, options);
  running.push(feed);
  return feed;
};

const NOW = Date.now() * 1_000;
const book = (n: number, market = 'M1', venue: BookObserved['venue'] = 'venueb'): BookObserved => ({
  ...bookAt(n),
  venue,
  market,
  observedAt: NOW + n,
});
const market = (
  id: string,
  asset: string,
  window: string,
  venue: BookObserved['venue'] = 'venueb',
): MarketObserved => ({
  ...FULL_EVENTS.MarketObserved,
  venue,
  market: id,
  asset,
  window,
  closesAt: NOW + 3_600_000_000,
  observedAt: NOW,
});
const gap: GapOpened = { ...FULL_EVENTS.GapOpened, market: 'M1', outcome: 'yes', observedAt: NOW, from: NOW };
const closed: GapClosed = {
  ...FULL_EVENTS.GapClosed,
  market: 'M1',
  outcome: 'yes',
  observedAt: NOW + 5,
  from: NOW,
  to: NOW + 5,
};

describe('subscribing', () => {
  test('first the current book, then every observation in log order, as REST shows it', async () => {
    await log.append([market('M1', 'BTC', '15m'), book(0), book(1)]);
    const client = await (await start()).connect();
    expect(await client.next('ready')).toMatchObject({ plan: 'desk', version: 1 });
    client.send({ type: 'subscribe', id: 'one', venue: 'venueb', market: 'M1' });
    expect(await client.next('subscribed')).toMatchObject({
      id: 'one',
      markets: 1,
      filter: { venue: 'venueb', asset: null, window: null, market: 'M1' },
    });
    const current = await client.next('book');
    expect(current.current).toBe(true);
    const events = [book(2), book(3), book(4)];
    const positions = await log.append(events);
    await client.next('book', 4);
    const identity = market('M1', 'BTC', '15m');
    expect(client.of('book').slice(1)).toEqual(
      events.map((event, at) => ({
        type: 'book',
        seq: formatPosition(positions[at]!),
        data: JSON.parse(JSON.stringify(toRecord(event, positions[at]!, identity))),
      })),
    );
  });

  test('venue, asset and window choose markets, also markets that appear later', async () => {
    await log.append([
      market('M1', 'BTC', '15m'),
      market('M2', 'ETH', '15m'),
      market('M3', 'BTC', '5m'),
      book(0, 'M1'),
      book(1, 'M2'),
      book(2, 'M3'),
    ]);
    const client = await (await start()).connect();
    client.send({ type: 'subscribe', venue: 'venueb', asset: 'btc', window: '15m' });
    await client.next('book');
    await log.append([
      book(3, 'M2'),
      market('M4', 'BTC', '15m'),
      book(4, 'M4'),
      book(5, 'M3'),
      book(6, 'M1'),
    ]);
    await client.until('the last of M1', () =>
      client.of('book').some(({ data }) => data.native.ordinal === 6),
    );
    await client.until('the one of M4', () => client.of('book').some(({ data }) => data.market_id === 'M4'));
    expect(new Set(client.of('book').map(({ data }) => data.market_id))).toEqual(new Set(['M1', 'M4']));
    expect(client.of('market').map(({ data }) => data.market_id)).toEqual(['M4']);
  });

  test('gaps come when they open and close, and an open one with the current book', async () => {
    await log.append([market('M1', 'BTC', '15m'), book(0), gap]);
    const feed = await start();
    const client = await feed.connect();
    client.send({ type: 'subscribe', venue: 'venueb' });
    expect(await client.next('gap')).toMatchObject({
      current: true,
      data: { state: 'opened', to: null, cause: 'sequence_break', market_id: 'M1' },
    });
    await log.append([closed, book(9)]);
    expect(await client.next('gap', 2)).toMatchObject({
      data: { state: 'closed', gap_id: gap.gapId, first_after: expect.any(String) as string },
    });
    const later = await feed.connect();
    later.send({ type: 'subscribe', venue: 'venueb' });
    await later.next('book');
    later.send({ type: 'ping', id: 'p' });
    await later.next('pong');
    expect(later.of('gap')).toEqual([]);
  });

  test('overlapping subscriptions give a message once; unsubscribing ends it', async () => {
    const client = await (await start()).connect();
    client.send({ type: 'subscribe', id: 'a', venue: 'venueb' });
    client.send({ type: 'subscribe', id: 'b', venue: 'venueb', market: 'M1' });
    await client.next('subscribed', 2);
    await log.append([book(0), book(1)]);
    await client.next('book', 2);
    client.send({ type: 'unsubscribe', id: 'a' });
    client.send({ type: 'unsubscribe', id: 'b' });
    await client.next('unsubscribed', 2);
    await log.append([book(2)]);
    client.send({ type: 'unsubscribe', id: 'b' });
    expect(await client.next('error')).toMatchObject({ code: 'UNKNOWN_SUBSCRIPTION', id: 'b' });
    expect(client.of('book').map(({ data }) => data.native.ordinal)).toEqual([0, 1]);
  });

  test('the state of a venue follows its gaps', async () => {
    const feed = await start();
    const client = await feed.connect();
    client.send({ type: 'subscribe', venue: 'venueb' });
    expect((await client.next('status')).data).toMatchObject({ venue: 'venueb', state: 'disconnected' });
    await log.append([book(0, 'M1'), { ...book(1, 'M2') }]);
    expect((await client.next('status', 2)).data).toMatchObject({ state: 'healthy', books: 2 });
    await log.append([gap]);
    expect((await client.next('status', 3)).data).toMatchObject({ state: 'degraded', gaps_open: 1 });
    await log.append([closed]);
    expect((await client.next('status', 4)).data).toMatchObject({ state: 'healthy', gaps_open: 0 });
  });

  test('a collector that was dead before the feed began is missed, however long ago', async () => {
    const beat = (marketId: string, at: number): CaptureBeat => ({
      ...FULL_EVENTS.CaptureBeat,
      venue: 'venueb',
      market: marketId,
      outcome: 'yes',
      dataset: 'books',
      observedAt: at,
      provenance: 'captured',
    });
    const died = NOW - 86_400_000_000;
    const long = Array.from({ length: 50 }, (_, n) => beat('OLD', died - 3_600_000_000 + n));
    await log.append([...long, beat('M1', died - 1_000_000), beat('M2', died)]);
    const { statuses } = (await start({ clock: () => NOW, warmUpMs: 0 })).live;
    expect(statuses.health('venueb')).toMatchObject({
      state: 'disconnected',
      markets: 2,
      uncovered: 2,
      gapSince: died,
    });
    expect(statuses.health('venuec')).toBeNull();
  });
});

describe('resuming', () => {
  test('from a position: what follows it, and on into the live tail, each once', async () => {
    const positions = await log.append(Array.from({ length: 500 }, (_, n) => book(n)));
    const feed = await start({ limits: { joinMessages: 40 } });
    const client = await feed.connect();
    client.send({
      type: 'subscribe',
      venue: 'venueb',
      market: 'M1',
      from: { position: formatPosition(positions[99]!) },
    });
    // Live ones arrive while the history is being sent.
    for (let n = 500; n < 1_000; n += 50)
      await log.append(Array.from({ length: 50 }, (_, at) => book(n + at)));
    await client.next('book', 900);
    await client.next('live');
    expect(client.of('book').map(({ data }) => data.native.ordinal)).toEqual(
      Array.from({ length: 900 }, (_, n) => n + 100),
    );
    expect(client.of('book').every(({ current }) => current === undefined)).toBe(true);
  });

  test('from a time', async () => {
    await log.append(Array.from({ length: 20 }, (_, n) => ({ ...book(n), observedAt: NOW + n * 1_000_000 })));
    const client = await (await start({ clock: () => NOW + 60_000_000 })).connect();
    client.send({
      type: 'subscribe',
      venue: 'venueb',
      from: { time: new Date(NOW / 1_000 + 15_000).toISOString() },
    });
    await client.next('live');
    expect(client.of('book').map(({ data }) => data.native.ordinal)).toEqual([15, 16, 17, 18, 19]);
  });

  test('the positions of a heartbeat resume a whole venue', async () => {
    const feed = await start({ limits: { heartbeatMs: 1_000 } });
    const first = await feed.connect();
    first.send({ type: 'subscribe', venue: 'venueb' });
    await first.next('subscribed');
    await log.append(Array.from({ length: 40 }, (_, n) => book(n, `M${n % 9}`)));
    await first.next('book', 40);
    const seen = first.of('heartbeat').length;
    await first.next('heartbeat', seen + 2);
    const { positions } = first.of('heartbeat').at(-1)!;
    expect(positions).toHaveLength(4);
    first.socket.close();
    await log.append(Array.from({ length: 40 }, (_, n) => book(40 + n, `M${n % 9}`)));
    const second = await feed.connect();
    second.send({ type: 'subscribe', venue: 'venueb', from: { position: positions } });
    await second.next('live');
    expect(
      second
        .of('book')
        .map(({ data }) => data.native.ordinal)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 40 }, (_, n) => n + 40));
  });

  test('a position that is not there, and partitions left out, are refused', async () => {
    await log.append([book(0)]);
    const client = await (await start()).connect();
    client.send({ type: 'subscribe', id: 'x', venue: 'venueb', from: { position: 'venueb/0/-1' } });
    expect(await client.next('error')).toMatchObject({
      code: 'INVALID_PARAMETER',
      id: 'x',
      details: { parameter: 'from.position' },
    });
    client.send({
      type: 'subscribe',
      venue: 'venueb',
      from: { position: [0, 1, 2, 3].map((partition) => `venueb/${partition}/999`) },
    });
    expect(await client.next('error', 2)).toMatchObject({ code: 'POSITION_NOT_AVAILABLE' });
  });
});

describe('keys and plans', () => {
  test('a wrong key is refused with 401 before the socket opens', async () => {
    const feed = await start();
    await expect(connect(feed.url, { authorization: 'Bearer ll_nobody00_x' })).rejects.toThrow('401');
    await expect(connect(feed.url, { 'x-api-key': 'nonsense' })).rejects.toThrow('401');
    await expect(connect(feed.url.replace('stream', 'other'))).rejects.toThrow('404');
  });

  test('the key may come as the first message, in time', async () => {
    const feed = await start();
    const named = await connect(feed.url, { 'x-api-key': keyText('quant') });
    expect(await named.next('ready')).toMatchObject({ plan: 'quant' });
    const early = await feed.connect(null);
    early.send({ type: 'subscribe', venue: 'venueb' });
    expect(await early.next('error')).toMatchObject({ code: 'AUTH_MISSING' });
    const late = await (await start({ limits: { authMs: 300 } })).connect(null);
    expect(await late.next('error')).toMatchObject({ code: 'AUTH_MISSING' });
    expect((await late.closed).code).toBe(4401);
    const told = await feed.connect(null);
    told.send({ type: 'auth', key: keyText('desk') });
    expect(await told.next('ready')).toMatchObject({ plan: 'desk' });
    const wrong = await feed.connect(null);
    wrong.send({ type: 'auth', key: 'll_nobody00_aaaaaaaaaaaaaaaaaaaaaaaaaaa' });
    expect((await wrong.closed).code).toBe(4401);
    expect(wrong.of('error')[0]).toMatchObject({ code: 'AUTH_INVALID' });
    named.socket.terminate();
  });

  test('explorer has venues B and C, and a month of history', async () => {
    await log.append([book(0, 'A1', 'venuea'), book(1, 'B1'), book(2, 'C1', 'venuec')]);
    const feed = await start();
    const client = await feed.connect('explorer');
    expect(await client.next('ready')).toMatchObject({ venues: ['venueb', 'venuec'] });
    client.send({ type: 'subscribe', venue: 'venuea' });
    expect(await client.next('error')).toMatchObject({
      code: 'ENDPOINT_NOT_IN_PLAN',
      details: { required_plan: 'quant' },
    });
    client.send({ type: 'subscribe' });
    await client.next('book', 2);
    client.send({ type: 'subscribe', venue: 'venueb', from: { time: '2026-01-01T00:00:00Z' } });
    expect(await client.next('error', 2)).toMatchObject({
      code: 'HISTORY_LIMIT_EXCEEDED',
      details: { oldest_allowed: expect.any(String) as string, required_plan: 'desk' },
    });
    await log.append([
      book(3, 'A1', 'venuea'),
      { ...book(4, 'B1'), observedAt: NOW - 40 * 86_400_000_000 },
      book(5, 'B1'),
    ]);
    await client.next('book', 3);
    expect(client.of('book').map(({ data }) => data.native.ordinal)).toEqual([1, 2, 5]);
  });

  test('a revoked key ends its connections', async () => {
    const feed = await start({ limits: { heartbeatMs: 1_000 } });
    const client = await feed.connect('quant');
    await client.next('heartbeat');
    feed.keys.revoke('quant');
    expect(await client.closed).toMatchObject({ code: 4401 });
  });
});

describe('manners', () => {
  test('malformed messages get an error, repeated ones a close; oversized ones a close at once', async () => {
    const feed = await start({ limits: { malformed: 3 } });
    const client = await feed.connect();
    client.send('not json');
    client.send({ type: 'dance' });
    client.send({ type: 'subscribe', venu: 'venueb' });
    expect(await client.closed).toMatchObject({ code: 4400 });
    expect(client.of('error').map(({ code }) => code)).toEqual([
      'INVALID_MESSAGE',
      'INVALID_MESSAGE',
      'INVALID_PARAMETER',
    ]);
    const large = await feed.connect();
    large.send({ type: 'ping', id: 'x'.repeat(70_000) });
    expect(await large.closed).toMatchObject({ code: 1009 });
  });

  test('caps on subscriptions, clients of a key and messages a second', async () => {
    const feed = await start({ limits: { subscriptions: 2, clientsPerKey: 2, requestsPerSecond: 20 } });
    const client = await feed.connect();
    for (const market of ['1', '2', '3']) client.send({ type: 'subscribe', venue: 'venueb', market });
    expect(await client.next('error')).toMatchObject({ code: 'TOO_MANY_SUBSCRIPTIONS' });
    const second = await feed.connect();
    await second.next('ready');
    const third = await feed.connect();
    expect(await third.closed).toMatchObject({ code: 4429 });
    const hurry = setInterval(() => {
      for (let n = 0; n < 100; n++) second.send({ type: 'ping' });
    }, 100);
    expect(await second.closed.finally(() => clearInterval(hurry))).toMatchObject({ code: 4429 });
  });

  test('a client that answers no ping is cut', async () => {
    const feed = await start({ limits: { heartbeatMs: 60 } });
    const client = await feed.connect();
    await client.next('ready');
    client.socket.pause();
    await expect.poll(() => feed.feed.clients).toBe(0);
  });
});
