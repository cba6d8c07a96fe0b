// The API while things change around it: new books, restarts, a store in trouble, the end.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LadderlogError } from '@ladderlog/core';
import type { Running, World } from './api-harness.ts';
import {
  A_UP,
  B_YES,
  C_OF_UP,
  MINUTE,
  SECOND,
  VENUE_A_MARKET,
  VENUE_B_MARKET,
  VENUE_C_MARKET,
  ask,
  book,
  captureBeat,
  captureStarted,
  gap,
  market,
  openWorld,
} from './api-harness.ts';

const T0 = 1_794_700_800_000_000;
let world: World;
let api: Running;
let key: string;

beforeAll(async () => {
  world = await openWorld(T0 + 10 * MINUTE);
  key = await world.key('quant');
  await world.append([
    market('venuea', VENUE_A_MARKET, T0),
    market('venueb', VENUE_B_MARKET, T0),
    ...[A_UP, B_YES].flatMap((of) => [
      captureStarted(of, T0),
      ...Array.from({ length: 30 }, (_, ordinal) => book(of, { observedAt: T0 + ordinal * SECOND, ordinal })),
      captureBeat(of, T0 + 9 * MINUTE),
    ]),
  ]);
  api = await world.start({ validateResponses: false });
});
afterAll(() => world.close());

const B = `/v3/venueb/${VENUE_B_MARKET}/snapshots`;
const get = (path: string) => ask(api.url + path, key);

describe('latest books', () => {
  const C = `/v3/btc/markets/${VENUE_C_MARKET}/orderbook/latest`;
  test('follow the log before the tables do, without metadata too, and survive a restart', async () => {
    const latest = async (base = api.url) => (await ask(base + C, key)).body.data?.[0]?.native.ordinal;
    await world.append([captureStarted(C_OF_UP, T0), book(C_OF_UP, { observedAt: T0 + SECOND, ordinal: 1 })]);
    await expect.poll(() => latest()).toBe(1);
    await world.append([book(C_OF_UP, { observedAt: T0 + 2 * SECOND, ordinal: 2 })], false);
    await expect.poll(() => latest()).toBe(2);
    expect((await ask(`${api.url}/v3/eth/markets/${VENUE_C_MARKET}/orderbook/latest`, key)).status).toBe(200);
    const restarted = await world.start();
    expect(await latest(restarted.url)).toBe(2);
    await world.append([book(C_OF_UP, { observedAt: T0 - SECOND, ordinal: 3 })]);
    await world.append([book(C_OF_UP, { observedAt: T0 + 3 * SECOND, ordinal: 4 })]);
    await expect.poll(() => latest(restarted.url)).toBe(4);
    await restarted.close();
  });
  test('say when the book is in a gap, and not after', async () => {
    const [opened, closed] = gap(C_OF_UP, T0 + 4 * SECOND, world.now - SECOND);
    const gapNow = async () => (await ask(api.url + C, key)).body.meta.gap?.cause ?? null;
    await world.append([opened!]);
    await expect.poll(gapNow).toBe('disconnected');
    const restarted = await world.start();
    expect((await ask(restarted.url + C, key)).body.meta.gap).toMatchObject({
      to: null,
      cause: 'disconnected',
    });
    await restarted.close();
    await world.append([closed!]);
    await expect.poll(gapNow).toBeNull();
  });
  test('come from the store when memory holds too few markets', async () => {
    const small = await world.start({ maxMarkets: 1 });
    for (const path of [
      `/v3/venueb/${VENUE_B_MARKET}/orderbook/latest`,
      `/v3/venuea-prediction/${VENUE_A_MARKET}/orderbook/latest`,
      C,
    ])
      expect((await ask(small.url + path, key)).body.data).toEqual((await get(path)).body.data);
    await small.close();
  });
});

test('what is known of a market is read once, and again when the log has more of it', async () => {
  const asked: string[] = [];
  const store: World['store'] = {
    ...world.store,
    query: (query, options) => {
      asked.push(options?.name ?? '');
      return world.store.query(query, options);
    },
  };
  const kept = await world.start({ store, memoMs: 1 });
  const page = async () => (await ask(`${kept.url}${B}?limit=10`, key)).body;
  // The tables hold all there is: from here on nothing but the page itself is asked for.
  const settled = async (): Promise<number> => {
    await page();
    asked.length = 0;
    await page();
    return asked.length;
  };
  await expect.poll(settled).toBe(0);
  await world.append([book(B_YES, { observedAt: T0 + 9 * MINUTE + SECOND, ordinal: 31 })]);
  expect(await settled()).toBe(0);
  const causes = async () => (await page()).meta.coverage.gaps.map(({ cause }: { cause: string }) => cause);
  expect(await causes()).not.toContain('disconnected');
  await world.append(gap(B_YES, T0 + 10 * SECOND, T0 + 11 * SECOND));
  await expect.poll(causes).toContain('disconnected');
  await world.append([market('venueb', VENUE_B_MARKET, T0 + 9 * MINUTE, { title: 'A new title' })]);
  await expect.poll(async () => (await page()).meta.market.title).toBe('A new title');
  await expect.poll(settled).toBe(0);
  await kept.close();
});

describe('under trouble', () => {
  test('a store that is busy or away is 503 with Retry-After; anything else is 500 without its message', async () => {
    const broken = (code: 'STORE_BUSY' | 'STORE_QUERY_FAILED') => ({
      ...world.store,
      queryRaw: () => Promise.reject(new LadderlogError(code, 'SELECT secret FROM inside')),
    });
    const busy = await world.start({ store: broken('STORE_BUSY') });
    const away = await ask(busy.url + B, key);
    expect([away.status, away.body.error.code, away.headers.get('retry-after')]).toEqual([
      503,
      'STORE_UNAVAILABLE',
      '1',
    ]);
    expect((await ask(`${busy.url}/v3/venueb/${VENUE_B_MARKET}/orderbook/latest`, key)).status).toBe(200);
    await busy.close();
    const failing = await world.start({ store: broken('STORE_QUERY_FAILED') });
    const failed = await ask(failing.url + B, key);
    expect([failed.status, failed.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(failed.body)).not.toContain('secret');
    await failing.close();
  });
  test('closing answers what is in flight and accepts nothing new', async () => {
    const ending = await world.start({ validateResponses: false, memoMs: 60_000 });
    const arrived = new Promise<void>((resolve) => {
      let count = 0;
      ending.server.server.on('request', () => ++count === 6 && resolve());
    });
    const inFlight = Array.from({ length: 6 }, () => ask(`${ending.url}${B}?limit=10`, key));
    await arrived;
    const closed = ending.close();
    for (const { status } of await Promise.all(inFlight)) expect(status).toBe(200);
    await closed;
    await expect(fetch(`${ending.url}/v3/health`)).rejects.toThrow('fetch failed');
  });
  test('closing ends a kept connection with the answer in flight', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let reach = (): void => undefined;
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const queryRaw: World['store']['queryRaw'] = async (...query) => {
      reach();
      await held;
      return world.store.queryRaw(...query);
    };
    const ending = await world.start({ validateResponses: false, store: { ...world.store, queryRaw } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const page = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { Authorization: `Bearer ${key}` };
        const sent = httpRequest(`${ending.url}${B}?limit=10`, { agent, headers }, (answer) => {
          answer.resume().on('end', () => resolve(answer));
        });
        sent.on('error', reject).end();
      });
    const inFlight = page();
    await reached;
    const closed = ending.close();
    // It waits for the one connection, or for another.
    const next = page().catch((error: unknown) => error);
    release();
    const { statusCode, headers } = await inFlight;
    expect([statusCode, headers.connection]).toEqual([200, 'close']);
    expect(await next).toMatchObject({ code: 'ECONNREFUSED' });
    await closed;
    agent.destroy();
  });
  test('closing does not cut an answer that its client reads slowly', async () => {
    // More than the sockets on both sides hold.
    const size = 32 * 1024 * 1024;
    const record = Buffer.alloc(size, ' ');
    record.write('{}');
    const store = { ...world.store, queryRaw: () => Promise.resolve(record) };
    const ending = await world.start({ validateResponses: false, store });
    const written = new Promise<ServerResponse>((resolve) => {
      ending.server.server.on('request', (_request, response) => resolve(response));
    });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${key}` };
      httpRequest(ending.url + B, { headers }, resolve)
        .on('error', reject)
        .end();
    });
    const response = await written;
    await expect.poll(() => response.writableEnded).toBe(true);
    const closed = ending.close();
    let read = 0;
    for await (const chunk of answer) read += (chunk as Buffer).length;
    expect(read).toBe(Number(answer.headers['content-length']));
    expect(read).toBeGreaterThan(size);
    await closed;
  });
  test('a Redis that is not there does not stop the service', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const alone = await world.start({ redisUrl: `redis://127.0.0.1:${port}` });
    expect((await ask(`${alone.url}/v3/whoami`, key)).status).toBe(200);
    await alone.close();
  });
});
