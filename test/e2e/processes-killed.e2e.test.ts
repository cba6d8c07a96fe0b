// Real processes under load, killed and stopped one by one: recording goes on, nothing is lost, and the tables are the log.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventually, ladderlog } from '../harness/ladderlog.ts';
import type { Load } from '../harness/load/load.ts';
import { startLoad } from '../harness/load/load.ts';
import { processState } from '../harness/processes.ts';
import { bookName, observations, recordedGaps, watchedBooks } from '../harness/recorded.ts';
import type { Role, RunningUp } from '../harness/up.ts';
import { startUp } from '../harness/up.ts';

const FULL = process.env['LADDERLOG_FULL'] === '1';
/** Each restart waits twice as long as the one before: ten take minutes. */
const KILLS = { service: FULL ? 10 : 3, engine: FULL ? 5 : 2 };
const RATE = 200;
/** Less than what is stopped here stands still, and more than a busy machine holds up a recorder that nobody stops. */
const HELD_UP_MS = 4_000;
/** Many times what is recorded in a second. */
const WHILE_STOPPED = 5 * RATE;

let load: Load;
let up: RunningUp;

beforeAll(async () => {
  load = await startLoad();
  up = await startUp({
    args: ['--venues', 'venueb,venuec', '--log-level', 'warn'],
    env: { ...load.env, LADDERLOG_STAMP_LIMIT_MS: String(HELD_UP_MS) },
  });
  await eventually(
    'every book watched',
    () => load.stats(),
    ({ watched, books }) => watched === books,
  );
}, 200_000);

afterAll(async () => {
  await up?.remove();
  await load?.close();
});

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const recorded = async (): Promise<number> => sum(await observations(up.data));

const answers = (): Promise<unknown> =>
  eventually(
    'answers of the API',
    async () => (await fetch(`${up.url}/v3/health`)).ok,
    (ok) => ok,
  );

/** Everything that was sent so far is in the log, once, and no book has a gap; and the tables are the log. */
async function expectNothingLost(): Promise<void> {
  load.rate(0);
  await eventually(
    'every book that was sent, once',
    async () => ({ recorded: await observations(up.data), sent: (await load.stats()).sent }),
    ({ recorded: found, sent }) => isDeepStrictEqual(found, sent),
  );
  expect(await recordedGaps(up.data)).toEqual([]);
  const verified = await ladderlog(['verify', '--json', '--data', up.data]);
  expect(verified).toMatchObject({ code: 0 });
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true });
}

/** Recording goes on: so many more books are in the log by now. */
async function expectRecording(more: number): Promise<void> {
  const before = await recorded();
  await eventually(`${more} more books`, recorded, (count) => count >= before + more);
}

test.each(['service', 'engine'] as const)(
  'the %s is killed again and again: no gap, nothing lost',
  { timeout: FULL ? 1_800_000 : 600_000 },
  async (role: Exclude<Role, 'recorder' | 'simulators'>) => {
    const recorder = up.pid('recorder');
    load.rate(RATE);
    for (let kill = 0; kill < KILLS[role]; kill++) {
      await up.killAndAwait(role);
      await answers();
      await expectRecording(RATE);
    }
    expect(up.restarts(role)).toBe(KILLS[role]);
    expect(up.pid('recorder')).toBe(recorder);
    await expectNothingLost();
  },
);

test('a service that is stopped does not stop the recorder', { timeout: 600_000 }, async () => {
  load.rate(RATE);
  up.signal('service', 'SIGSTOP');
  try {
    await expectRecording(WHILE_STOPPED);
    expect(processState(up.pid('service'))).toBe('stopped');
  } finally {
    up.signal('service', 'SIGCONT');
  }
  await answers();
  await expectNothingLost();
});

/** Holds the write locks of these files until it is killed. */
const HOLDER = `
const { DatabaseSync } = require('node:sqlite');
for (const path of process.argv.slice(1)) {
  const database = new DatabaseSync(path, { timeout: 60000 });
  database.exec('BEGIN IMMEDIATE');
  globalThis[path] = database;
}
console.log('held');
setInterval(() => undefined, 1e6);
`;

test(
  'whoever is stopped in the middle of a write beside the log does not stop the recorder',
  { timeout: 600_000 },
  async () => {
    load.rate(RATE);
    const files = ['cursors.sqlite', 'groups.sqlite'].map((name) => join(up.data, name));
    const holder = spawn(process.execPath, ['-e', HOLDER, ...files], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(holder.stdout, 'data');
      holder.kill('SIGSTOP');
      up.signal('service', 'SIGSTOP');
      await expectRecording(WHILE_STOPPED);
      up.signal('service', 'SIGCONT');
      await expectRecording(WHILE_STOPPED);
      expect(processState(holder.pid!)).toBe('stopped');
    } finally {
      holder.kill('SIGKILL');
    }
    await expectNothingLost();
  },
);

test(
  'a recorder that is killed comes back and writes its gap, and nothing else',
  { timeout: 600_000 },
  async () => {
    load.rate(RATE);
    const watched = await watchedBooks(up.data);
    expect(watched.length).toBeGreaterThan(0);
    const others = [up.pid('service'), up.pid('engine')];
    await up.killAndAwait('recorder');
    const gaps = await eventually(
      'a gap of every book, closed',
      () => recordedGaps(up.data),
      (found) => found.length >= watched.length && found.every(({ to }) => to !== null),
    );
    expect(new Set(gaps.map(({ cause }) => cause))).toEqual(new Set(['collector_down']));
    expect(gaps.map(bookName).sort()).toEqual(watched.map(bookName).sort());
    expect([up.pid('service'), up.pid('engine')]).toEqual(others);
    await expectRecording(RATE);
    const verified = await ladderlog(['verify', '--json', '--data', up.data]);
    expect(verified).toMatchObject({ code: 0 });
  },
);
