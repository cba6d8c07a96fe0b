// The tables fed from the tail: every record once and in order, however slow they are, and nobody waits for them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConsumeRequest, EventLog, LogRecord } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { T0, book } from '../../../test/builders/events.ts';
import type { Live } from '../src/index.ts';
import { openLive, tablesInput } from '../src/index.ts';

let folder: string;
let log: EventLog;
let live: Live;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-live-'));
  log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0, pollMs: 5 });
  live = await openLive({ log, logger: pino({ level: 'silent' }), clock: () => T0, warmUpMs: 3_600_000 });
});
afterEach(async () => {
  await live.close();
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

const MARKETS = ['M1', 'M2', 'M3', 'M4', 'M5'];
const books = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) =>
    book({ market: MARKETS[(from + at) % MARKETS.length]!, ordinal: from + at, observedAt: T0 + from + at }),
  );

/** Takes what it is handed, each batch when it may; `begin` is where its tables are. */
function takeAll(begin: (partition: number) => number, mayTake: () => Promise<void> = async () => {}) {
  const taken: LogRecord[] = [];
  const stop = new AbortController();
  let more = Promise.withResolvers<void>();
  const request: ConsumeRequest = {
    group: 'tables',
    topics: ['venueb'],
    signal: stop.signal,
    onAssigned: async (_topic, partition) => begin(partition),
    async onBatch({ records }) {
      await mayTake();
      taken.push(...records);
      more.resolve();
      more = Promise.withResolvers();
    },
  };
  const done = tablesInput(log, live, 100_000).consume(request);
  return {
    taken,
    ordinals: () => ordinalsOf(taken),
    async until(count: number) {
      while (taken.length < count) await more.promise;
    },
    async end() {
      stop.abort();
      await done;
    },
    done,
  };
}

const ordinalsOf = (records: readonly LogRecord[]): number[] =>
  records.map(({ decoded }) => (decoded.ok && 'ordinal' in decoded.event ? decoded.event.ordinal : -1));
const all = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

test('what the tail brings is the same record that others were given: decoded once', async () => {
  const heard = new Set<LogRecord>();
  live.listen({ onRecord: ({ record }) => heard.add(record) });
  const tables = takeAll(() => 0);
  live.follow();
  await log.append(books(0, 50));
  await tables.until(50);
  await tables.end();
  expect(sorted(tables.ordinals())).toEqual(all(50));
  expect(tables.taken.filter((record) => heard.has(record)).length).toBe(50);
});

test('tables that are behind the tail read the log, then go on with it', async () => {
  await log.append(books(0, 500));
  live.follow();
  await live.caughtUp;
  const tables = takeAll(() => 0);
  await tables.until(500);
  await log.append(books(500, 100));
  await tables.until(600);
  await tables.end();
  expect(sorted(tables.ordinals())).toEqual(all(600));
});

test('tables that stand still delay nobody, and then miss nothing and get nothing twice', async () => {
  live.follow();
  const open = Promise.withResolvers<void>();
  const tables = takeAll(
    () => 0,
    () => open.promise,
  );
  const heard: number[] = [];
  const whole = Promise.withResolvers<void>();
  live.listen({
    onRecord({ record }) {
      heard.push(record.offset);
      if (heard.length === 20_000) whole.resolve();
    },
  });
  // More than may wait.
  for (let from = 0; from < 20_000; from += 1_000) await log.append(books(from, 1_000));
  await whole.promise;
  expect(tables.taken).toEqual([]);
  open.resolve();
  await tables.until(20_000);
  await tables.end();
  expect(sorted(tables.ordinals())).toEqual(all(20_000));
  // In order within each market.
  for (const [at] of MARKETS.entries()) {
    const ofMarket = tables.ordinals().filter((ordinal) => ordinal % MARKETS.length === at);
    expect(ofMarket).toEqual(sorted(ofMarket));
  }
});

test('a failure of the tables ends their input with it, and the tail goes on', async () => {
  live.follow();
  const tables = takeAll(
    () => 0,
    () => Promise.reject(new Error('full disk')),
  );
  await log.append(books(0, 5));
  await expect(tables.done).rejects.toThrow('full disk');
  const next = Promise.withResolvers<void>();
  live.listen({ onRecord: () => next.resolve() });
  await log.append(books(5, 1));
  await next.promise;
});
