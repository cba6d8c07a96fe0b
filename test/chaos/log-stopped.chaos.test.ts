// A process stopped at any moment (SIGSTOP) does not hold up the recorder, and does not make the write-ahead log grow for good.

import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqliteLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { books } from '../harness/log-events.ts';
import { LogProcess } from '../harness/log-process.ts';
import { readAll } from '../harness/log-reading.ts';

let folder: string;
let path: string;
let log: SqliteLog;
let child: LogProcess | null = null;
let written = 0;

/** Appends so many books in turn, each durable before the next. */
async function append(batches: number): Promise<void> {
  for (let n = 0; n < batches; n++) {
    await log.append(books(written, written + 100, { levels: 20, markets: 12 }));
    written += 100;
  }
}
const stopped = async (where: string): Promise<LogProcess> => {
  child = new LogProcess('log-stopped.ts', [path, where]);
  await child.line((line) => line === 'here');
  if (where === 'anywhere') await sleep(Math.random() * 100);
  child.child.kill('SIGSTOP');
  return child;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ladderlog-stopped-'));
  path = join(folder, 'log.db');
  log = await openSqliteLog({ path, role: 'recorder', upkeepMs: 20 });
  written = 0;
  await append(20);
});
afterEach(async () => {
  await child?.kill();
  child = null;
  await log.close();
  await rm(folder, { recursive: true, force: true });
});

const walBytes = (): number => statSync(`${path}-wal`).size;

test('a reader stopped inside a statement: appends go on, and the write-ahead log is reset once it is gone', async () => {
  const reader = await stopped('statement');
  let batches = 0;
  // Twice as much as is taken into the file at once.
  for (; walBytes() < 8 * 1024 * 1024; batches += 10) await append(10);
  const grown = walBytes();
  await reader.kill();
  child = null;
  await append(batches);
  // As much again was written, and it lies where the first half lay.
  expect(walBytes()).toBeLessThan(grown * 1.2);
  expect(await readAll(log, ['venueb'])).toHaveLength(written);
});

test('a process stopped in the middle of a write to the groups: appends go on, and so does a start', async () => {
  await stopped('groups');
  await append(50);
  await log.close();
  log = await openSqliteLog({ path, role: 'recorder', upkeepMs: 20 });
  await append(50);
  expect(await readAll(log, ['venueb'])).toHaveLength(written);
});

test('a busy reader stopped anywhere, ten times over: appends go on', async () => {
  for (let round = 0; round < 10; round++) {
    const reader = await stopped('anywhere');
    await append(10);
    await reader.kill();
    child = null;
  }
  expect(await readAll(log, ['venueb'])).toHaveLength(written);
});
