// Copies of a log in use: each is the log as it was at one moment, whatever is appended and packed while it is taken.

import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LadderEvent } from '@ladderlog/core';
import type { SqliteLog } from '@ladderlog/log';
import { copySqliteLog, openSqliteLog } from '@ladderlog/log';
import { bookAt, FULL_EVENTS } from '../../../../test/harness/log-events.ts';
import { readAll } from '../../../../test/harness/log-reading.ts';

let folder: string;
let log: SqliteLog;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ladderlog-copy-'));
  log = await openSqliteLog({ path: join(folder, 'log.db'), partitions: 1, upkeepMs: 0 });
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true, force: true });
});

const frame = (ordinal: number): LadderEvent => ({
  ...FULL_EVENTS.FrameCaptured,
  ordinal,
  body: randomBytes(40_000),
});
const ordinals = (events: readonly { readonly event: LadderEvent | null }[]): number[] =>
  events.map(({ event }) => (event as { readonly ordinal: number }).ordinal);

test('a copy ends with whole appends, each event once, while everything is written and packed', async () => {
  let written = 0;
  const done = new AbortController();
  const grown = new EventEmitter();
  // One event to each of two topics, always together.
  const write = (async () => {
    while (!done.signal.aborted) {
      await log.append([frame(written), bookAt(written)]);
      written++;
      grown.emit('grown');
    }
  })();
  const pack = (async () => {
    while (!done.signal.aborted) await log.tidy().then(() => new Promise(setImmediate));
  })();
  const sizes: number[] = [];
  for (let round = 0; round < 12; round++) {
    for (let more = 0; more < 20; more++) await once(grown, 'grown');
    const before = written;
    const to = join(folder, `copy-${round}.db`);
    await copySqliteLog(log.path, to);
    const copy = await openSqliteLog({ path: to, upkeepMs: 0 });
    const [frames, books] = [await readAll(copy, ['venueb.frames']), await readAll(copy, ['venueb'])];
    await copy.close();
    expect(ordinals(frames)).toEqual(Array.from({ length: frames.length }, (_, ordinal) => ordinal));
    expect(ordinals(books)).toEqual(ordinals(frames));
    expect(frames.length).toBeGreaterThanOrEqual(before);
    sizes.push(frames.length);
  }
  done.abort();
  await Promise.all([write, pack]);
  expect(sizes.at(-1)).toBeGreaterThan(sizes[0]!);
});

test('a batch that was packed over the edge of a step, or of the copy, is cut there', async () => {
  let written = 0;
  const append = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await log.append([frame(written++)]);
  };
  await append(130);
  // Held at the end of its first step, the copy finds the rest packed otherwise, and longer than it was.
  const to = join(folder, 'copy.db');
  let steps = 0;
  await copySqliteLog(log.path, to, {
    pause: async () => {
      if (steps++ > 0) return;
      await append(130);
      await log.tidy();
    },
  });
  expect(steps).toBeGreaterThan(1);
  const copy = await openSqliteLog({ path: to, upkeepMs: 0 });
  expect(ordinals(await readAll(copy, ['venueb.frames']))).toEqual(
    Array.from({ length: 130 }, (_, ordinal) => ordinal),
  );
  expect((await copy.append([frame(130)]))[0]!.offset).toBe(130);
  await copy.close();
});

test('retention that removes the beginning meanwhile leaves a copy that begins later', async () => {
  await log.close();
  let now = 0;
  const options = { retention: { 'venueb.frames': 1_000 }, clock: () => now, upkeepMs: 0 };
  log = await openSqliteLog({ path: log.path, ...options });
  for (let n = 0; n < 130; n++) await log.append([frame(n)]);
  now = 10_000_000;
  await log.append([frame(130)]);
  const to = join(folder, 'copy.db');
  await copySqliteLog(log.path, to, { pause: () => log.tidy() });
  const copy = await openSqliteLog({ path: to, upkeepMs: 0 });
  const found = await readAll(copy, ['venueb.frames']);
  const [info] = (await copy.topics()).find(({ topic }) => topic === 'venueb.frames')!.partitions;
  expect(info!.begin).toBe(found[0]!.position.offset);
  expect(found.at(-1)!.position.offset).toBe(130);
  await copy.close();
});
