// One order, whatever the log went through: out-of-order appends, imports after and among live capture, both clocks.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BookObserved, LadderEvent, Position } from '@ladderlog/core';
import type { EventLog, SqliteLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import type { ReplayItem, ReplayRange } from '@ladderlog/replay';
import { inOrder, replayBatches, replayEvents } from '@ladderlog/replay';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FULL_EVENTS, bookAt } from '../../../test/harness/log-events.ts';

let folder: string;
let log: SqliteLog;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-replay-'));
  log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0 });
});
afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

const T0 = 1_780_000_000_000_000;
const at = (seconds: number, changes: Partial<BookObserved> = {}): BookObserved => ({
  ...bookAt(0),
  ...changes,
  observedAt: T0 + Math.round(seconds * 1_000_000),
});
const RANGE: ReplayRange = { venues: ['venuea', 'venueb', 'venuec'], from: T0, to: T0 + 1e15 };

const collect = async (range: Partial<ReplayRange> = {}, from: EventLog = log): Promise<ReplayItem[]> => {
  const items: ReplayItem[] = [];
  for await (const item of replayEvents(from, { ...RANGE, ...range })) items.push(item);
  return items;
};

/** The same log without its knowledge of times, as Kafka has none. */
const withoutSpans = (): EventLog => {
  const { timeSpans: _hidden, ...rest } = log;
  return rest;
};

test('merges venues and partitions by time, then by place', async () => {
  await log.append([
    at(3, { venue: 'venuec', market: 'C' }),
    at(1, { venue: 'venuea', market: 'A' }),
    at(2, { venue: 'venueb', market: 'B' }),
    at(2, { venue: 'venuea', market: 'A' }),
    { ...FULL_EVENTS.GapOpened, observedAt: T0 + 1_500_000 },
  ]);
  const items = await collect();
  expect(items.map(({ event }) => [event.type, event.venue, (event.observedAt - T0) / 1e6])).toEqual([
    ['BookObserved', 'venuea', 1],
    ['GapOpened', 'venueb', 1.5],
    ['BookObserved', 'venuea', 2],
    ['BookObserved', 'venueb', 2],
    ['BookObserved', 'venuec', 3],
  ]);
});

test('an import appended later, and one packed together with live capture, take their place in time', async () => {
  for (let n = 0; n < 300; n++)
    await log.append([
      at(100_000 + n, { ordinal: n }),
      at(n, { ordinal: 1_000 + n, provenance: 'imported' }),
    ]);
  await log.append(Array.from({ length: 300 }, (_, n) => at(50_000 + n, { ordinal: 2_000 + n })));
  await log.tidy();
  const items = await collect();
  expect(items).toHaveLength(900);
  expect(items.map(({ event }) => event.ordinal)).toEqual([
    ...Array.from({ length: 300 }, (_, n) => 1_000 + n),
    ...Array.from({ length: 300 }, (_, n) => 2_000 + n),
    ...Array.from({ length: 300 }, (_, n) => n),
  ]);
  expect(await collect({}, withoutSpans())).toEqual(items);
});

test('the venue clock orders by what the venue claimed, and by ours where it claimed nothing', async () => {
  await log.append([
    at(1, { ordinal: 1, sourceTs: T0 + 9_000_000 }),
    at(2, { ordinal: 2, sourceTs: T0 + 1_000_000 }),
    at(3, { ordinal: 3, sourceTs: null }),
  ]);
  expect((await collect({ clock: 'source' })).map(({ event }) => event.ordinal)).toEqual([2, 3, 1]);
  expect((await collect()).map(({ event }) => event.ordinal)).toEqual([1, 2, 3]);
});

describe('choosing', () => {
  test('half-open range, markets and types', async () => {
    await log.append([0, 1, 2, 3].flatMap((n) => [at(n, { market: 'X' }), at(n, { market: 'Y' })]));
    await log.append([{ ...FULL_EVENTS.FrameCaptured, observedAt: T0 }]);
    const items = await collect({ from: T0 + 1_000_000, to: T0 + 3_000_000, markets: ['Y'] });
    expect(items.map(({ event, time }) => [event.market, (time - T0) / 1e6])).toEqual([
      ['Y', 1],
      ['Y', 2],
    ]);
    expect((await collect({ types: new Set(['FrameCaptured']) })).map(({ event }) => event.type)).toEqual([
      'FrameCaptured',
    ]);
  });
});

test('any log gives the order of its times and places, on both ways of finding them', async () => {
  const event = fc.record({
    second: fc.integer({ min: 0, max: 400_000 }),
    market: fc.constantFrom('M0', 'M1', 'M2', 'M3'),
    venue: fc.constantFrom('venuea' as const, 'venuec' as const),
    lag: fc.option(fc.integer({ min: -5, max: 100_000 })),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(event, { minLength: 1, maxLength: 20 }), { maxLength: 8 }),
      async (appends) => {
        const path = join(mkdtempSync(join(folder, 'run-')), 'log.sqlite');
        const own = await openSqliteLog({ path, upkeepMs: 0 });
        try {
          const all: { event: LadderEvent; position: Position }[] = [];
          for (const append of appends) {
            const events = append.map(({ second, market, venue, lag }) =>
              at(second, { market, venue, sourceTs: lag === null ? null : T0 + (second - lag) * 1_000_000 }),
            );
            const positions = await own.append(events);
            all.push(...events.map((one, index) => ({ event: one, position: positions[index]! })));
          }
          await own.tidy();
          for (const clock of ['observed', 'source'] as const) {
            const expected = all
              .map(({ event: one, position }) => {
                const book = one as BookObserved;
                return {
                  position,
                  time: clock === 'source' ? (book.sourceTs ?? book.observedAt) : book.observedAt,
                };
              })
              .sort(inOrder);
            const { timeSpans: _hidden, ...hidden } = own;
            for (const each of [own, hidden])
              expect(
                (await collect({ clock }, each)).map(({ position, time }) => ({ position, time })),
              ).toEqual(expected);
          }
        } finally {
          await own.close();
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('memory is bounded by what is due soon, also where every batch spans the whole range', async () => {
  // Live capture and an import of the same length, in turns: each packed batch holds both ends of the range.
  const half = 60_000;
  for (let n = 0; n < half; n += 500)
    await log.append(
      Array.from({ length: 500 }, (_, index) => [
        at(1_000_000 + (n + index) * 2, { ordinal: n + index, market: 'M' }),
        at((n + index) * 2, { ordinal: half + n + index, market: 'M' }),
      ]).flat(),
    );
  let last = -Infinity;
  let count = 0;
  for await (const items of replayBatches(log, RANGE))
    for (const { time } of items) {
      expect(time).toBeGreaterThanOrEqual(last);
      last = time;
      count++;
    }
  expect(count).toBe(2 * half);
});
