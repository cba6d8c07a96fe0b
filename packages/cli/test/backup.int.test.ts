// A backup while others write, and a restore into the root of a volume.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';

import type { SqliteLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { books, FULL_EVENTS } from '../../../test/harness/log-events.ts';
import { readAll } from '../../../test/harness/log-reading.ts';
import { backupTo, restoreFrom } from '../src/data/backup.ts';
import type { Context } from '../src/context.ts';
import { openDataDirectory } from '../src/data/data-directory.ts';
import type { Runtime } from '../src/processes/runtime.ts';
import type { OnProgress } from '../src/progress.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-backup-int-'));
const copy = join(folder, 'backup');
const logger = pino({ level: 'silent' });
/** Enough for several steps of a copy, in frames that do not compress. */
const FRAMES = 400;
const FRAME_BYTES = 40_000;
let runtime: Runtime;
let log: SqliteLog;
let written = 0;

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const take = (to: string, progress: OnProgress, signal = new AbortController().signal): Promise<unknown> =>
  backupTo({ context: { logger } as unknown as Context, runtime, progress, signal, follower: null }, { to });
/** In small batches, so that packing has something to do. */
async function append(frames: number): Promise<void> {
  for (let n = 0; n < frames; n += 4)
    await log.append(
      Array.from({ length: 4 }, () => ({
        ...FULL_EVENTS.FrameCaptured,
        ordinal: written++,
        body: randomBytes(FRAME_BYTES),
      })),
    );
}

beforeAll(async () => {
  const directory = openDataDirectory(join(folder, 'data'), logger);
  log = await openSqliteLog({ path: directory.log, partitions: 1, logger, upkeepMs: 0 });
  runtime = { directory, log } as unknown as Runtime;
  await append(FRAMES);
  await log.append(books(0, 500));
});

afterAll(async () => {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a backup holds what was there when it began, whatever is written and packed meanwhile', async () => {
  const before = await readAll(log);
  const steps: Promise<void>[] = [];
  const other = new DatabaseSync(runtime.directory.log);
  await take(copy, () => {
    steps.push(append(8).then(() => log.tidy()));
    // Between two steps nothing is held: all of the write-ahead log can go into the file.
    expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 });
  });
  other.close();
  await Promise.all(steps);
  expect(steps.length).toBeGreaterThan(2);
  const ask = (sql: string): unknown => {
    const taken = new DatabaseSync(join(copy, 'log.sqlite'), { readOnly: true });
    try {
      return taken.prepare(sql).get();
    } finally {
      taken.close();
    }
  };
  expect(ask('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
  expect(ask('PRAGMA journal_mode')).toEqual({ journal_mode: 'delete' });
  const volume = join(folder, 'read');
  await restoreFrom(copy, volume);
  const restored = await openSqliteLog({ path: join(volume, 'log.sqlite') });
  expect(isDeepStrictEqual(await readAll(restored), before)).toBe(true);
  await restored.close();
});

test('a backup that is interrupted leaves room for the next', async () => {
  const stop = new AbortController();
  const target = join(folder, 'interrupted');
  await expect(take(target, () => stop.abort(), stop.signal)).rejects.toThrow('aborted');
  expect(readdirSync(target)).toEqual([]);
});

test('what holds keys is readable for its owner only', async () => {
  expect(modeOf(runtime.directory.path)).toBe(0o700);
  expect(modeOf(copy)).toBe(0o700);
  expect(modeOf(join(copy, 'log.sqlite'))).toBe(0o600);
});

test('a restore goes into a directory that cannot be replaced, such as the root of a volume', async () => {
  const volume = join(folder, 'volume');
  mkdirSync(join(volume, 'lost+found'), { recursive: true });
  const { ino } = statSync(volume);
  let checked = 0;
  await restoreFrom(copy, volume, (done) => (checked = done));
  expect(checked).toBeGreaterThan(FRAMES * FRAME_BYTES);
  expect(readdirSync(volume).sort()).toEqual(['VERSION', 'log.sqlite', 'lost+found']);
  expect(statSync(volume).ino).toBe(ino);
  expect(modeOf(join(volume, 'log.sqlite'))).toBe(0o600);
  await expect(restoreFrom(copy, volume)).rejects.toThrow('not empty');
});

test('a restore that was interrupted can be repeated, one beside a log cannot', async () => {
  const half = join(folder, 'half');
  mkdirSync(join(half, '.restoring'), { recursive: true });
  writeFileSync(join(half, 'VERSION'), '1\n');
  await restoreFrom(copy, half);
  expect(readdirSync(half).sort()).toEqual(['VERSION', 'log.sqlite']);
  mkdirSync(join(half, '.restoring'));
  await expect(restoreFrom(copy, half)).rejects.toThrow('not empty');
  expect(existsSync(join(half, 'log.sqlite'))).toBe(true);
});
