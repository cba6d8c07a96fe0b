// A long replay without a pace: what its client says in the middle is obeyed there, a close ends its reading, and there are only so
// many. By the order of messages and by counts, never by the clock.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Micros } from '@ladderlog/core';
import type { EventLog, SqliteLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import type { ReplayServer } from '@ladderlog/replay';
import { serveReplay } from '@ladderlog/replay';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Reading } from '../../../test/harness/counted-log.ts';
import { countedLog } from '../../../test/harness/counted-log.ts';
import type { HistoryClients, HistoryRequest } from '../../../test/harness/history-clients.ts';
import { booksOf, historyClients } from '../../../test/harness/history-clients.ts';
import { books, timeOfBook } from '../../../test/harness/log-events.ts';

/** Of 5 KB each: several times what sockets hold between server and client. */
const HISTORY = 6_000;
const timeOf = (n: number): Micros => timeOfBook(0) + n * 1_000_000;

let folder: string;
let file: SqliteLog;
let log: EventLog;
let reading: Reading;
let server: ReplayServer;
let clients: HistoryClients | null;

beforeEach(async () => {
  clients = null;
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-replay-'));
  file = await openSqliteLog({ path: join(folder, 'log.sqlite') });
  ({ log, reading } = countedLog(file));
  // One a second, so that the replay does not have all of them in memory when it begins.
  const events = books(0, HISTORY, { levels: 100 }).map((event, n) => ({ ...event, observedAt: timeOf(n) }));
  for (let n = 0; n < HISTORY; n += 500) await log.append(events.slice(n, n + 500));
});
afterEach(async () => {
  await clients?.close();
  await server.close();
  await file.close();
  rmSync(folder, { recursive: true, force: true });
});

async function begin(request: Partial<HistoryRequest>): Promise<HistoryClients> {
  const range = { venues: ['venueb' as const], from: timeOf(0), to: timeOf(HISTORY) };
  server = await serveReplay({ log, request: range, speed: 'max', port: 0 });
  clients = historyClients({
    url: server.url,
    clients: 1,
    subscribe: { type: 'subscribe', id: 'long', venue: 'venueb' },
    say: [],
    until: 'replay',
    ...request,
  });
  return clients;
}

test('ping and subscribe are answered in the middle of a replay', async () => {
  const say = [
    { type: 'ping', id: 'p' },
    { type: 'subscribe', id: 'other', venue: 'venueb', market: 'M1' },
  ];
  const [got] = await (await begin({ say })).got;
  const order = got!.map(({ type }) => type);
  expect(order.at(-1)).toBe('replay');
  expect(booksOf(got!)).toBe(HISTORY);
  for (const answer of [order.indexOf('pong'), order.lastIndexOf('subscribed')]) {
    expect(booksOf(got!.slice(0, answer))).toBeGreaterThan(0);
    expect(booksOf(got!.slice(answer))).toBeGreaterThan(0);
  }
});

test('after unsubscribed, which comes at once, the replay says no more of it', async () => {
  const [got] = await (await begin({ say: [{ type: 'unsubscribe', id: 'long' }] })).got;
  expect(got!.slice(-2).map(({ type }) => type)).toEqual(['unsubscribed', 'replay']);
  expect(booksOf(got!)).toBeLessThan(HISTORY);
});

test('a close ends the reading of the log', async () => {
  const whole = await begin({});
  await whole.got;
  const all = reading.batches;
  await whole.close();
  await server.close();
  reading.batches = 0;
  await (
    await begin({ say: 'close' })
  ).got;
  while (reading.now > 0) await new Promise((resolve) => setImmediate(resolve));
  const read = reading.batches;
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(all);
  expect(reading.batches).toBe(read);
});

test('one client more than there may be is told so', async () => {
  server = await serveReplay({
    log,
    request: { venues: ['venueb'], from: timeOf(0), to: timeOf(HISTORY) },
    speed: 'max',
    port: 0,
    maxClients: 1,
  });
  const { url } = server;
  const opened = (socket: WebSocket): Promise<string> =>
    new Promise((resolve) => {
      socket.once('open', () => resolve('open'));
      socket.once('error', (error) => resolve(error.message));
    });
  const first = new WebSocket(url);
  expect(await opened(first)).toBe('open');
  expect(await opened(new WebSocket(url))).toMatch(/503/);
  const closed = new Promise((resolve) => first.once('close', resolve));
  first.close();
  await closed;
  await expect.poll(() => opened(new WebSocket(url))).toBe('open');
});
