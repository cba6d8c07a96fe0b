// The union of all pages is the same for every page size, with equal timestamps, and while data is being appended.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BookObserved, LadderEvent } from '@ladderlog/core';
import type { Running, World } from './api-harness.ts';
import {
  B_YES,
  C_DOWN,
  C_OF_DOWN,
  C_OF_UP,
  C_UP,
  MINUTE,
  SECOND,
  VENUE_B_MARKET,
  VENUE_C_MARKET,
  ask,
  book,
  captureStarted,
  market,
  openWorld,
} from './api-harness.ts';

const T0 = 1_794_700_800_000_000;
const COUNT = 12;
let world: World;
let api: Running;
let key: string;

/** Runs of equal timestamps, of both outcomes. */
const times = Array.from({ length: COUNT }, (_, at) => T0 + Math.floor(at / 5) * 7 * SECOND);
const upBooks = times.map((observedAt, ordinal) => book(C_OF_UP, { observedAt, ordinal }));
const downBooks = times.map((observedAt, ordinal) => book(C_OF_DOWN, { observedAt, ordinal }));
const interleaved: LadderEvent[] = upBooks.flatMap((one, at) => [one, downBooks[at]!]);

beforeAll(async () => {
  world = await openWorld(T0 + 30 * MINUTE);
  key = await world.key('quant');
  await world.append([
    market('venuec', VENUE_C_MARKET, T0),
    captureStarted(C_OF_UP, T0),
    captureStarted(C_OF_DOWN, T0),
    ...interleaved,
    captureStarted(B_YES, T0),
    ...Array.from({ length: 5 }, (_, at) => market('venueb', `KX-${at}`, T0 + (at % 2) * SECOND)),
  ]);
  api = await world.start({ validateResponses: false, memoMs: 60_000 });
});
afterAll(() => world.close());

type Served = { readonly ids: string[]; readonly pages: number };

async function walk(path: string, limit: number, between?: () => Promise<void>): Promise<Served> {
  const ids: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const url: string = `${api.url}${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`;
    const { status, body } = await ask(url, key);
    expect(status).toBe(200);
    expect(body.pagination.count).toBe(body.data.length);
    ids.push(
      ...body.data.map((one: { position?: string; market_id: string }) => one.position ?? one.market_id),
    );
    cursor = body.pagination.next_cursor;
    expect(body.pagination.has_more).toBe(cursor !== null);
    pages++;
    await between?.();
  } while (cursor !== null);
  return { ids, pages };
}

test('snapshots: every page size from 1 to N gives the identical union, equal timestamps included', async () => {
  const path = `/v3/btc/markets/${VENUE_C_MARKET}/snapshots`;
  const whole = await walk(path, 1000);
  expect(new Set(whole.ids).size).toBe(2 * COUNT);
  for (let limit = 1; limit <= 2 * COUNT; limit++) {
    const { ids, pages } = await walk(path, limit);
    expect(ids, `limit ${limit}`).toEqual(whole.ids);
    expect(pages).toBe(Math.ceil((2 * COUNT) / limit));
  }
});

test('one outcome, an interval, and markets: the same', async () => {
  for (const path of [
    `/v3/btc/markets/${VENUE_C_MARKET}/snapshots?outcome=${C_UP}`,
    `/v3/btc/markets/${VENUE_C_MARKET}/snapshots?interval=10s`,
    `/v3/btc/markets/${VENUE_C_MARKET}/snapshots?interval=1s&outcome=${C_DOWN}`,
    '/v3/venueb/markets',
  ]) {
    const whole = await walk(path, 500);
    expect(new Set(whole.ids).size).toBe(whole.ids.length);
    for (const limit of [1, 2, 3, 4, 7])
      expect((await walk(path, limit)).ids, `${path} limit ${limit}`).toEqual(whole.ids);
  }
});

test('while data is being appended, at the same timestamps too, nothing is lost or repeated', async () => {
  const path = `/v3/venueb/${VENUE_B_MARKET}/snapshots`;
  const appended: BookObserved[] = [];
  const add = async (): Promise<void> => {
    const ordinal = appended.length;
    if (ordinal >= 24) return;
    const next = book(B_YES, { observedAt: T0 + Math.floor(ordinal / 4) * SECOND, ordinal });
    appended.push(next);
    await world.append([next]);
  };
  for (let at = 0; at < 6; at++) await add();
  const { ids } = await walk(path, 2, add);
  expect(ids.length).toBeGreaterThan(8);
  expect(new Set(ids).size).toBe(ids.length);
  // One more was appended after the last page.
  expect((await walk(path, 1000)).ids.slice(0, ids.length)).toEqual(ids);
  expect(appended.length).toBe(ids.length + 1);
});

test('a page without limit has 50 markets, or 100 of anything else', async () => {
  const of = { ...B_YES, market: 'KX-MANY' };
  await world.append([
    ...Array.from({ length: 51 }, (_, at) => market('venuea', String(at), T0)),
    captureStarted(of, T0),
    ...Array.from({ length: 101 }, (_, ordinal) => book(of, { observedAt: T0 + ordinal * SECOND, ordinal })),
  ]);
  for (const [path, limit] of [
    ['/v3/venuea-prediction/markets', 50],
    ['/v3/venueb/KX-MANY/snapshots', 100],
  ] as const) {
    const { body } = await ask(api.url + path, key);
    expect(body.pagination).toMatchObject({ limit, count: limit, has_more: true });
  }
  for (const path of ['/v3/venuea-prediction/1/timeseries?metric=chance', '/v3/gaps?venue=venueb'])
    expect((await ask(api.url + path, key)).body.pagination.limit).toBe(100);
});

test('with an interval, an outcome comes once a bucket, also when the bucket goes on while it is walked', async () => {
  const id = `0x${'7'.repeat(64)}`;
  const [up, down] = [C_OF_UP, C_OF_DOWN].map((of) => ({ ...of, market: id }));
  const at = T0 + 10 * MINUTE;
  const put = (of: typeof C_OF_UP, second: number) =>
    world.append([book(of, { observedAt: at + second * SECOND, ordinal: second })]);
  await world.append([market('venuec', id, at), captureStarted(up!, at), captureStarted(down!, at)]);
  await put(up!, 10);
  await put(down!, 20);
  const later = [() => put(up!, 45), () => put(up!, 65), () => put(down!, 70)];
  const path = `/v3/btc/markets/${id}/snapshots?interval=1m`;
  const label = (one: { timestamp: string; outcome_label: string }) =>
    `${one.timestamp.slice(14, 19)} ${one.outcome_label}`;
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await ask(`${api.url}${path}&limit=1${cursor ? `&cursor=${cursor}` : ''}`, key);
    seen.push(...body.data.map(label));
    cursor = body.pagination.next_cursor;
    while (later.length > 0) await later.shift()!();
  } while (cursor !== null);
  // By bucket, then outcome id; what was served before the bucket went on stays served.
  expect(seen).toEqual(['10:20 Down', '10:45 Up', '11:10 Down', '11:05 Up']);
  expect((await ask(api.url + path, key)).body.data.map(label)).toEqual(seen);
});

test('Link names the next page, and following it gives the same records', async () => {
  const first = await fetch(`${api.url}/v3/btc/markets/${VENUE_C_MARKET}/snapshots?limit=2&outcome=${C_UP}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const body = (await first.json()) as { pagination: { next_cursor: string } };
  const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
  expect(link).toContain(`cursor=${body.pagination.next_cursor}`);
  expect((await ask(api.url + link, key)).status).toBe(200);
});
