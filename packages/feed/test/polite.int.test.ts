// Long history beside everything else: what a client says in the middle of it is obeyed there, others are served between, and
// few histories are read at a time. All by the order of messages and by counts, never by the clock.

import type { BookObserved } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Reading } from '../../../test/harness/counted-log.ts';
import { countedLog } from '../../../test/harness/counted-log.ts';
import type { HistoryClients, HistoryRequest } from '../../../test/harness/history-clients.ts';
import { booksOf, historyClients } from '../../../test/harness/history-clients.ts';
import { bookAt } from '../../../test/harness/log-events.ts';
import type { TestFeed } from './harness.ts';
import { keyText, openTempLog, startFeed } from './harness.ts';

/** Of 5 KB each: several times what sockets hold between server and client. */
const HISTORY = 6_000;
/** Of each of many clients. */
const EACH = 2_000;
const NOW = Date.now() * 1_000;
const book = (n: number, market: string): BookObserved => ({
  ...bookAt(n, { levels: 100 }),
  market,
  observedAt: NOW + n,
});

let temporary: Awaited<ReturnType<typeof openTempLog>>;
let feed: TestFeed;
let clients: HistoryClients | null;
let partition: number;
let log: EventLog;
let reading: Reading;

beforeEach(async () => {
  clients = null;
  temporary = await openTempLog();
  ({ log, reading } = countedLog(temporary.log));
  for (let n = 0; n < HISTORY; n += 500) {
    const events = Array.from({ length: 500 }, (_, at) => book(n + at, 'M'));
    partition = (await log.append(events))[0]!.partition;
  }
});
afterEach(async () => {
  await clients?.close();
  await feed.close();
  await temporary.remove();
});

const historyFrom = (offset: number) => ({
  type: 'subscribe',
  id: 'long',
  venue: 'venueb',
  market: 'M',
  from: { position: `venueb/${partition}/${offset}` },
});

const begin = (request: Partial<HistoryRequest>): HistoryClients =>
  (clients = historyClients({
    url: feed.url,
    key: keyText('desk'),
    clients: 1,
    subscribe: historyFrom(-1),
    say: [],
    ...request,
  }));

test('ping and subscribe are answered in the middle of history', async () => {
  feed = await startFeed(log);
  const [got] = await begin({
    say: [
      { type: 'ping', id: 'p' },
      { type: 'subscribe', id: 'other', venue: 'venuec' },
    ],
  }).got;
  const order = got!.map(({ type }) => type);
  expect(order.at(-1)).toBe('live');
  expect(booksOf(got!)).toBe(HISTORY);
  const answers = [order.indexOf('pong'), order.lastIndexOf('subscribed')];
  for (const answer of answers) {
    expect(booksOf(got!.slice(0, answer))).toBeGreaterThan(0);
    expect(booksOf(got!.slice(answer))).toBeGreaterThan(0);
  }
});

test('unsubscribe ends history at once, and its reading of the log', async () => {
  feed = await startFeed(log);
  const [got] = await begin({
    say: [
      { type: 'unsubscribe', id: 'long' },
      { type: 'ping', id: 'p' },
    ],
    until: 'pong',
  }).got;
  expect(got!.slice(-2).map(({ type }) => type)).toEqual(['unsubscribed', 'pong']);
  expect(booksOf(got!)).toBeLessThan(HISTORY);
  while (reading.now > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a close ends the reading of the log', async () => {
  const sent = { messages: 0 };
  feed = await startFeed(log, {
    observer: { onCatchUp: (messages) => (sent.messages += messages) },
  });
  await begin({ say: 'close' }).got;
  while (reading.now > 0 || feed.feed.clients > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(sent.messages).toBeGreaterThan(0);
  expect(sent.messages).toBeLessThan(HISTORY);
});

test('twenty that read history let a live client have its messages between, and few of them read at a time', async () => {
  const sent = { messages: 0 };
  const limits = { catchUps: 4 };
  feed = await startFeed(log, {
    limits,
    observer: { onCatchUp: (messages) => (sent.messages += messages) },
  });
  const live = await feed.connect();
  live.send({ type: 'subscribe', venue: 'venueb', market: 'N' });
  await live.next('subscribed');
  const long = begin({ clients: 20, subscribe: historyFrom(HISTORY - EACH - 1) });
  await long.begun;
  const between: number[] = [];
  for (let n = 0; n < 5; n++) {
    const before = sent.messages;
    await log.append([book(HISTORY + n, 'N')]);
    await live.next('book', n + 1);
    between.push(sent.messages - before);
  }
  expect(long.ended()).toBeLessThan(20);
  expect(Math.max(...between)).toBeLessThan((20 * EACH) / 4);
  expect((await long.got).map(booksOf)).toEqual(Array.from({ length: 20 }, () => EACH));
  expect(reading.most).toBeLessThanOrEqual(limits.catchUps);
});

test('many histories of one client are read one after another, each whole', async () => {
  feed = await startFeed(log);
  const client = await feed.connect();
  for (let n = 0; n < 5; n++) client.send({ ...historyFrom(HISTORY - 1_001), id: `s${n}` });
  await client.next('live', 5);
  expect(reading.most).toBe(1);
  expect(client.of('book')).toHaveLength(5 * 1_000);
});
