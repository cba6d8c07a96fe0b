// A full disk and a damaged file: a clear error, everything acknowledged intact, the rest readable.

import {
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { BookObserved, LadderEvent, Position } from '@ladderlog/core';
import { isLadderlogError } from '@ladderlog/core';
import { openSqliteLog, positionsFromBeginning } from '@ladderlog/log';
import type { EventLog, LogRecord } from '@ladderlog/log';
import pino from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bookAt, books, FULL_EVENTS } from '../harness/log-events.ts';
import { Consumer, readAll } from '../harness/log-reading.ts';
import { mountSmallDisk } from '../harness/log-small-disk.ts';

const noise = (n: number): LadderEvent => ({
  ...FULL_EVENTS.FrameCaptured,
  ordinal: n,
  body: Uint8Array.from(
    { length: 40_000 },
    (_, index) => (Math.imul(index + n * 7_919, 2_654_435_761) >>> 13) & 0xff,
  ),
});

const disks = [mountSmallDisk(4), mountSmallDisk(4), mountSmallDisk(4)];
if (!disks[0]) console.warn('SKIPPED: the full-disk tests of the log need the right to mount a tmpfs');
afterAll(() => disks.forEach((disk) => disk?.remove()));

test.skipIf(!disks[0]).for([
  ['writer', disks[0]],
  ['recorder', disks[2]],
] as const)(
  'a full disk refuses a %s, keeps what was acknowledged, and goes on when there is space',
  async ([role, disk]) => {
    const { folder, grow } = disk!;
    const path = join(folder, 'log.db');
    const log = await openSqliteLog({ path, role, upkeepMs: 10 });
    const acknowledged: Position[] = [];
    let refused: unknown = null;
    for (let n = 0; n < 1_000 && refused === null; n++)
      try {
        acknowledged.push(...(await log.append([noise(n)])));
      } catch (error) {
        refused = error;
      }
    expect(refused).toMatchObject({ code: 'LOG_DISK_FULL', retryable: true });
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(await readAll(log, ['venueb.frames'])).toHaveLength(acknowledged.length);

    // A filler that goes away would do as well; the disk grows.
    grow(16);
    acknowledged.push(...(await log.append([noise(5_000)])));
    await log.close();
    const again = await openSqliteLog({ path });
    const read = await readAll(again, ['venueb.frames']);
    expect(read.map((one) => one.position)).toEqual(acknowledged);
    expect(read.at(-1)!.event).toEqual(noise(5_000));
    await again.close();
  },
);

test.skipIf(!disks[1])('a member of a group outlives a full disk', async () => {
  const { folder, grow } = disks[1]!;
  const failed = Promise.withResolvers<void>();
  const logger = pino(
    { level: 'warn' },
    { write: (line: string) => void (line.includes('log.beat_failed') && failed.resolve()) },
  );
  const log = await openSqliteLog({ path: join(folder, 'log.db'), upkeepMs: 0, sessionMs: 600_000, logger });
  const staying = new Consumer(log, { group: 'stays', topics: ['venueb'] });
  const leaving = new Consumer(log, { group: 'leaves', topics: ['venueb'] });
  await log.append(books(0, 100));
  await Promise.all([staying.saw(100), leaving.saw(100)]);
  const filler = openSync(join(folder, 'filler'), 'w');
  expect(() => {
    for (;;) writeSync(filler, Buffer.alloc(1_000));
  }).toThrow('ENOSPC');
  closeSync(filler);
  await Promise.race([failed.promise, staying.saw(101), leaving.saw(101)]);
  await leaving.stop();
  grow(16);
  await log.append(books(100, 200));
  await staying.saw(200);
  await staying.stop();
  expect(staying.ordinals()).toEqual(Array.from({ length: 200 }, (_, index) => index));
  await log.close();
});

describe('a damaged file', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ladderlog-damage-'));
    path = join(folder, 'log.db');
    const log = await openSqliteLog({ path, upkeepMs: 0 });
    for (let n = 0; n < 6_000; n += 100) await log.append(books(n, n + 100, options));
    await log.close();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  type Survey = { whole: number; faults: LogRecord[]; foreign: number; ended: unknown[] };

  /** Reads all there is: whole records, faulty ones, and the errors that ended a partition. Offsets must be dense. */
  async function survey(log: EventLog): Promise<Survey> {
    const found: Survey = { whole: 0, faults: [], foreign: 0, ended: [] };
    for (const from of await positionsFromBeginning(log, ['venueb']))
      try {
        let next = 0;
        for await (const batch of log.read({ from: [from] }))
          for (const record of batch.records) {
            if (record.offset !== next++) throw new Error('a hole in the offsets');
            if (record.fault) found.faults.push(record);
            else if (isWritten(log, record)) found.whole++;
            else found.foreign++;
          }
      } catch (error) {
        if (!isLadderlogError(error, 'LOG_CORRUPT')) throw error;
        found.ended.push(error);
      }
    return found;
  }

  const options = { levels: 30, markets: 20 };
  const isWritten = (log: EventLog, record: LogRecord): boolean => {
    const decoded = log.codec.decode(record.value);
    return (
      decoded.ok && isDeepStrictEqual(decoded.event, bookAt((decoded.event as BookObserved).ordinal, options))
    );
  };

  test('with flipped bytes in its batches: reported by position, the rest readable', async () => {
    const bytes = readFileSync(path);
    const damaged = new Set<number>();
    const db = new DatabaseSync(path, { readOnly: true });
    const rows = db.prepare('SELECT id, count, body FROM batches WHERE id % 10 = 0').all();
    db.close();
    for (const row of rows) {
      const at = bytes.indexOf((row['body'] as Buffer).subarray(0, 60));
      expect(at).toBeGreaterThan(0);
      for (let index = 30; index < 40; index++) bytes[at + index]! ^= 0xff;
      damaged.add(row['count'] as number);
    }
    expect(damaged.size).toBeGreaterThan(0);
    writeFileSync(path, bytes);
    const log = await openSqliteLog({ path, upkeepMs: 0 });
    const { whole, faults, foreign, ended } = await survey(log);
    expect([foreign, ended]).toEqual([0, []]);
    expect(faults.length).toBeGreaterThan(0);
    for (const { fault, offset } of faults)
      expect(fault).toMatchObject({ code: 'LOG_CORRUPT', details: { topic: 'venueb', offset } });
    expect(whole + faults.length).toBe(6_000);
    expect(whole).toBeGreaterThan(5_000);
    await log.close();
  });

  test('with a page overwritten anywhere: never an event that was not written', async () => {
    const intact = readFileSync(path);
    const pages = Math.floor(intact.length / 4_096);
    let readable = 0;
    // Page 1 is SQLite's own; without it there is no database.
    for (let page = 2; page < pages; page += Math.ceil(pages / 12)) {
      const bytes = Buffer.from(intact);
      bytes.fill(0xa5, page * 4_096, (page + 1) * 4_096);
      writeFileSync(path, bytes);
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      const log = await openSqliteLog({ path, upkeepMs: 0 }).catch((error: unknown) => {
        if (!isLadderlogError(error, 'LOG_CORRUPT')) throw error;
        return null;
      });
      if (!log) continue;
      const { whole, faults, foreign, ended } = await survey(log);
      expect(foreign).toBe(0);
      expect(ended.length > 0 || whole + faults.length === 6_000).toBe(true);
      if (whole > 5_000) readable++;
      await log.close();
    }
    expect(readable).toBeGreaterThan(6);
  });

  test('cut off at its end: reported, the rest readable', async () => {
    const { size } = statSync(path);
    truncateSync(path, Math.floor((size * 0.8) / 4_096) * 4_096 - 1_000);
    const log = await openSqliteLog({ path, upkeepMs: 0 });
    const { whole, faults, foreign, ended } = await survey(log);
    expect(foreign).toBe(0);
    expect(faults.length + ended.length).toBeGreaterThan(0);
    expect(whole).toBeGreaterThan(3_000);
    await log.close();
  });

  test('whose write-ahead log is cut off or garbage: ends on a whole append', async () => {
    const log = await openSqliteLog({ path, upkeepMs: 0 });
    for (let n = 6_000; n < 6_400; n += 100) await log.append(books(n, n + 100, options));
    // As a power cut leaves it: the file and its write-ahead log, copied while open.
    const [copy, wal] = [join(folder, 'copy.db'), join(folder, 'copy.db-wal')];
    for (const keep of [0.2, 0.5, 0.95]) {
      copyFileSync(path, copy);
      copyFileSync(`${path}-wal`, wal);
      rmSync(`${copy}-shm`, { force: true });
      const { size } = statSync(wal);
      truncateSync(wal, Math.floor(size * keep));
      const file = openSync(wal, 'a');
      writeSync(file, Buffer.alloc(5_000, 0x5a));
      closeSync(file);
      const damaged = await openSqliteLog({ path: copy, upkeepMs: 0 });
      const { whole, faults, foreign, ended } = await survey(damaged);
      expect([faults, foreign, ended]).toEqual([[], 0, []]);
      expect(whole % 100).toBe(0);
      expect(whole).toBeGreaterThanOrEqual(6_000);
      expect((await damaged.append(books(0, 10))).length).toBe(10);
      await damaged.close();
    }
    await log.close();
  });
});
