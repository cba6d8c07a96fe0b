// A backup while others write, and a restore into the root of a volume.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { openSqliteLog } from '@ladderlog/log';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { backupTo, restoreFrom } from '../src/data/backup.ts';
import type { Context } from '../src/context.ts';
import { openDataDirectory } from '../src/data/data-directory.ts';
import type { Runtime } from '../src/processes/runtime.ts';
import type { OnProgress } from '../src/progress.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-backup-int-'));
const copy = join(folder, 'backup');
const logger = pino({ level: 'silent' });
const PAGES = 10_000;
let runtime: Runtime;

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const take = (to: string, progress: OnProgress, signal = new AbortController().signal): Promise<unknown> =>
  backupTo({ context: { logger } as unknown as Context, runtime, progress, signal, follower: null }, { to });

beforeAll(async () => {
  const directory = openDataDirectory(join(folder, 'data'), logger);
  const log = await openSqliteLog({ path: directory.log, partitions: 1, logger });
  runtime = { directory, log } as unknown as Runtime;
  const database = new DatabaseSync(directory.log);
  database.exec(`CREATE TABLE filler (body BLOB); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${PAGES})
    INSERT INTO filler SELECT zeroblob(4000) FROM n`);
  database.close();
});

afterAll(async () => {
  await runtime.log.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a backup ends although a writer commits between any two of its steps', async () => {
  const writer = new DatabaseSync(runtime.directory.log);
  let commits = 0;
  // A copy that began anew with each commit would end only with the last one.
  await take(copy, () => {
    if (commits < 100) commits += Number(writer.prepare('INSERT INTO filler VALUES (1)').run().changes);
  });
  writer.close();
  expect(commits).toBeGreaterThan(1);
  expect(commits).toBeLessThan(100);
  const taken = new DatabaseSync(join(copy, 'log.sqlite'), { readOnly: true });
  expect(taken.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(taken.prepare('SELECT count(*) AS rows FROM filler').get()).toEqual({ rows: PAGES });
  taken.close();
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
  expect(checked).toBeGreaterThan(PAGES * 4_000);
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
