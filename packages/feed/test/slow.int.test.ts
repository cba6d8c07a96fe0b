// One reader that stops for a while and goes on: what it gets is the newest of each book, and word of what it did not get.

import { formatPosition } from '@ladderlog/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bookAt } from '../../../test/harness/log-events.ts';
import { openTempLog, startFeed } from './harness.ts';
import type { TestFeed } from './harness.ts';

let temporary: Awaited<ReturnType<typeof openTempLog>>;
let feed: TestFeed;

beforeEach(async () => {
  temporary = await openTempLog();
});
afterEach(async () => {
  await feed.close();
  await temporary.remove();
});

const MARKETS = 5;
const book = (n: number): ReturnType<typeof bookAt> => ({
  ...bookAt(n, { markets: MARKETS, levels: 100 }),
  observedAt: Date.now() * 1_000 + n,
});

test('a reader that pauses is conflated, told so, and ends with the newest book of every market', async () => {
  const counted = { conflated: 0 };
  feed = await startFeed(temporary.log, {
    limits: { softBytes: 64 * 1024, stalledMs: 60_000 },
    observer: { onConflated: () => counted.conflated++ },
  });
  const client = await feed.connect();
  client.send({ type: 'subscribe', venue: 'venueb' });
  await client.next('subscribed');
  client.socket.pause();
  let written = 0;
  // Until the kernel's buffers are full too.
  while (counted.conflated < 200) {
    await temporary.log.append(Array.from({ length: 50 }, (_, at) => book(written + at)));
    written += 50;
    // An append that is awaited turns no event loop, and the feed is in this process.
    await new Promise((resolve) => setImmediate(resolve));
  }
  client.socket.resume();
  const newest = (): number[] =>
    Array.from({ length: MARKETS }, (_, market) =>
      Math.max(
        ...client.of('book').map(({ data }) => (data.market_id === `M${market}` ? data.native.ordinal : -1)),
      ),
    );
  await client.until('the newest of every market', () => Math.min(...newest()) >= written - MARKETS);
  const got = client.of('book').length;
  const skipped = client.of('skipped');
  expect(skipped.length).toBeGreaterThan(0);
  // Each message was sent or counted, none both.
  expect(got + skipped.reduce((sum, { count }) => sum + count, 0)).toBe(written);
  for (const { from, to } of skipped)
    expect(from.slice(0, from.lastIndexOf('/'))).toBe(to.slice(0, to.lastIndexOf('/')));
  // Within a market the order is the log's.
  const last = new Map<string, number>();
  const ordered = client.of('book').every(({ data }) => {
    const before = last.get(data.market_id) ?? -1;
    last.set(data.market_id, data.native.ordinal);
    return data.native.ordinal > before;
  });
  expect(ordered).toBe(true);
  // And it is live again: the next ones come one by one.
  await temporary.log.append([book(written), book(written + 1)]);
  await client.until('live again', () => client.of('book').length === got + 2);
});

test('history is never conflated: the server waits for the reader', async () => {
  const events = Array.from({ length: 3_000 }, (_, n) => ({ ...book(n), market: 'M' }));
  const [first] = await temporary.log.append(events.slice(0, 1));
  for (let n = 1; n < events.length; n += 500) await temporary.log.append(events.slice(n, n + 500));
  feed = await startFeed(temporary.log, { limits: { softBytes: 64 * 1024, graceMs: 0 } });
  const client = await feed.connect();
  client.send({
    type: 'subscribe',
    venue: 'venueb',
    market: 'M',
    from: { position: `venueb/${first!.partition}/-1` },
  });
  await client.next('subscribed');
  client.socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 300));
  client.socket.resume();
  await client.next('live');
  expect(client.of('skipped')).toEqual([]);
  expect(client.of('book').map(({ data }) => data.native.ordinal)).toEqual(
    events.map(({ ordinal }) => ordinal),
  );
});

test('resuming readers that take nothing keep no other from resuming', async () => {
  const events = Array.from({ length: 3_000 }, (_, n) => ({ ...book(n), market: 'M' }));
  let last = { topic: '', partition: 0, offset: 0 };
  for (let n = 0; n < events.length; n += 500)
    last = (await temporary.log.append(events.slice(n, n + 500))).at(-1)!;
  const sent = { messages: 0 };
  feed = await startFeed(temporary.log, {
    limits: { softBytes: 64 * 1024, stalledMs: 600_000, catchUps: 1 },
    observer: { onCatchUp: (messages) => (sent.messages += messages) },
  });
  const subscribe = { type: 'subscribe', venue: 'venueb', market: 'M' };
  const stalled = await feed.connect();
  stalled.send({ ...subscribe, from: { position: `venueb/${last.partition}/-1` } });
  stalled.socket.pause();
  // It has the only turn, and 27 MB to come are more than buffers take.
  while (sent.messages === 0) await new Promise((resolve) => setImmediate(resolve));
  const other = await feed.connect();
  other.send({ ...subscribe, from: { position: formatPosition({ ...last, offset: last.offset - 10 }) } });
  await other.next('live');
  expect(other.of('book')).toHaveLength(10);
  stalled.socket.resume();
  await stalled.next('live');
  expect(stalled.of('book').map(({ data }) => data.native.ordinal)).toEqual(
    events.map(({ ordinal }) => ordinal),
  );
});

test('a reader that takes nothing holds up neither the newest books nor the others', async () => {
  const counted = { conflated: 0 };
  feed = await startFeed(temporary.log, {
    limits: { softBytes: 64 * 1024, stalledMs: 600_000, graceMs: 600_000 },
    observer: { onConflated: () => counted.conflated++ },
  });
  const paused = await feed.connect();
  const other = await feed.connect();
  for (const client of [paused, other]) {
    client.send({ type: 'subscribe', venue: 'venueb' });
    await client.next('subscribed');
  }
  paused.socket.pause();
  let written = 0;
  // Several times what sockets hold; the moment that a client gets before it is conflated lasts longer than this test.
  for (; written < 4_000; written += 50) {
    const positions = await temporary.log.append(Array.from({ length: 50 }, (_, at) => book(written + at)));
    while (positions.some(({ topic, partition, offset }) => feed.live.next(topic, partition) <= offset))
      await new Promise((resolve) => setImmediate(resolve));
  }
  await other.next('book', written);
  expect(other.of('skipped')).toEqual([]);
});

test('a reader that is closed for its slowness reads why, behind what was sent before', async () => {
  const closed: number[] = [];
  feed = await startFeed(temporary.log, {
    limits: { softBytes: 64 * 1024, held: MARKETS - 1, closeMs: 600_000 },
    observer: { onClosed: (code) => closed.push(code) },
  });
  const client = await feed.connect();
  client.send({ type: 'subscribe', venue: 'venueb' });
  await client.next('subscribed');
  client.socket.pause();
  for (let written = 0; closed.length === 0; written += 50) {
    await temporary.log.append(Array.from({ length: 50 }, (_, at) => book(written + at)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  client.socket.resume();
  expect(await client.closed).toEqual({ code: 1013, reason: 'reading too slowly' });
  expect(closed).toEqual([1013]);
});
