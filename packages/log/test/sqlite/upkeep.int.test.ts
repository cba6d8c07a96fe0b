import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BookObserved, FrameCaptured } from '@ladderlog/core';
import type { LogRecord, SqliteLog } from '@ladderlog/log';
import { openSqliteLog, positionsFromBeginning } from '@ladderlog/log';
import { bookAt, books, FULL_EVENTS, timeOfBook } from '../../../../test/harness/log-events.ts';
import { firstBatch, readAll } from '../../../../test/harness/log-reading.ts';
import type { SqliteLogOptions } from '../../src/sqlite/sqlite-log.ts';

let folder: string;
let path: string;
const logs: SqliteLog[] = [];
const open = async (options: Partial<SqliteLogOptions> = {}): Promise<SqliteLog> => {
  const log = await openSqliteLog({ path, upkeepMs: 0, ...options });
  logs.push(log);
  return log;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ladderlog-upkeep-'));
  path = join(folder, 'log.db');
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
  await rm(folder, { recursive: true, force: true });
});

/** Looks into the file with a connection of its own, as a person would. */
function query<T>(sql: string, ...values: (number | string)[]): T[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all(...values) as T[];
  } finally {
    db.close();
  }
}
const batchCounts = (): number[] =>
  query<{ count: number }>('SELECT count FROM batches ORDER BY partition_id, first_offset').map(
    (row) => row.count,
  );

/** Ahead of the real clock, and a second later at every look: whatever was appended is older. */
const later = (): (() => number) => {
  let now = Date.now() * 1_000;
  return () => (now += 1_000_000);
};

// One market: one partition.
const one = { markets: 1 };

describe('packing', () => {
  test('makes one batch of many small ones, with the same offsets and the same events', async () => {
    const log = await open();
    for (let n = 0; n < 2_100; n += 30) await log.append(books(n, n + 30, { ...one, levels: 20 }));
    const before = await readAll(log, ['venueb']);
    const stored = query<{ bytes: number }>('SELECT sum(bytes) AS bytes FROM batches')[0]!.bytes;
    expect(batchCounts()).toHaveLength(70);

    await log.tidy();
    // 67 batches reach 2,000 records; the rest waits for more.
    expect(batchCounts()).toEqual([2_010, 30, 30, 30]);
    expect(await readAll(log, ['venueb'])).toEqual(before);
    expect(query<{ bytes: number }>('SELECT sum(bytes) AS bytes FROM batches')[0]!.bytes).toBeLessThan(
      stored * 0.7,
    );
    await log.tidy();
    expect(batchCounts()).toEqual([2_010, 30, 30, 30]);

    const next = await log.append([bookAt(2_100, one)]);
    expect(next[0]!.offset).toBe(2_100);
  });

  test('does not wait for more behind a large batch', async () => {
    const log = await open();
    for (let n = 0; n < 30; n += 10) await log.append(books(n, n + 10, one));
    await log.append(books(30, 1_530, one));
    await log.append(books(1_530, 1_540, one));
    await log.tidy();
    expect(batchCounts()).toEqual([30, 1_500, 10]);
    expect((await readAll(log, ['venueb'])).map((event) => event.position.offset)).toEqual(
      Array.from({ length: 1_540 }, (_, offset) => offset),
    );
  });

  test('goes on while others read and write, from two handles at once', async () => {
    const [log, other] = [await open(), await open()];
    const done = new AbortController();
    const pack = (async () => {
      while (!done.signal.aborted) {
        await Promise.all([log.tidy(), other.tidy()]);
        await nextTurn();
      }
    })();
    const ordinals: number[] = [];
    const read = (async () => {
      const from = await positionsFromBeginning(log, ['venueb']);
      for await (const batch of other.read({ from, follow: true })) {
        for (const record of batch.records) {
          const decoded = other.codec.decode(record.value);
          ordinals.push(decoded.ok ? (decoded.event as BookObserved).ordinal : -1);
        }
        if (ordinals.length >= 6_000) return;
      }
    })();
    for (let n = 0; n < 6_000; n += 25)
      await (n % 50 === 0 ? log : other).append(books(n, n + 25, { ...one, levels: 20 }));
    await read;
    done.abort();
    await pack;
    expect(ordinals).toEqual(Array.from({ length: 6_000 }, (_, ordinal) => ordinal));
    expect((await readAll(log, ['venueb'])).map((event) => event.position.offset)).toEqual(
      Array.from({ length: 6_000 }, (_, offset) => offset),
    );
    expect(Math.max(...batchCounts())).toBeGreaterThanOrEqual(2_000);
  });

  test('leaves a damaged batch where it is', async () => {
    const log = await open();
    for (let n = 0; n < 2_100; n += 100) await log.append(books(n, n + 100, { ...one, levels: 20 }));
    const db = new DatabaseSync(path);
    db.exec('UPDATE batches SET body = zeroblob(length(body)) WHERE first_offset = 500');
    db.close();
    await log.tidy();
    await log.tidy();
    expect(batchCounts()).toContain(100);
    const from = await positionsFromBeginning(log, ['venueb']);
    const faults: LogRecord[] = [];
    let whole = 0;
    for await (const batch of log.read({ from }))
      for (const record of batch.records)
        if (record.fault) faults.push(record);
        else whole++;
    expect(whole).toBe(2_000);
    expect(faults.map((record) => record.fault)).toMatchObject(
      Array.from({ length: 100 }, (_, index) => ({ code: 'LOG_CORRUPT', details: { offset: 500 + index } })),
    );
  });
});

describe('a damaged page in one partition', () => {
  const topic = 'venueb.frames';
  const hurt = 0;
  const other = 1;
  const counts = (partition: number): number[] =>
    query<{ count: number }>(
      `SELECT count FROM batches JOIN partitions ON partitions.id = partition_id
       WHERE topic = ? AND partition = ? ORDER BY first_offset`,
      topic,
      partition,
    ).map(({ count }) => count);
  const frame = (partition: number, ordinal: number, bytes: number): FrameCaptured => ({
    ...FULL_EVENTS.FrameCaptured,
    session: sessions[partition]!,
    ordinal,
    body: randomBytes(bytes),
  });
  let sessions: string[];

  beforeEach(async () => {
    const log = await open();
    const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
    sessions = [hurt, other].map((partition) =>
      names.find((name) => log.partitionOf(topic, name) === partition)!,
    );
    for (let n = 0; n < 6; n++) await log.append([frame(hurt, n, 30_000), frame(other, n, 30_000)]);
    // Large ones behind them: the six will not grow.
    for (const partition of [hurt, other])
      await log.append(Array.from({ length: 1_000 }, (_, index) => frame(partition, 6 + index, 10)));
    await log.close();

    const [row] = query<{ body: Uint8Array }>(
      `SELECT body FROM batches JOIN partitions ON partitions.id = partition_id
       WHERE topic = ? AND partition = ? AND first_offset = 2`,
      topic,
      hurt,
    );
    const file = await readFile(path);
    // One of the two lies within a page; the page begins with the number of the next.
    const [at] = [12_000, 12_100]
      .map((start) => file.indexOf(Buffer.from(row!.body).subarray(start, start + 32)))
      .filter((found) => found >= 0);
    file.writeUInt32BE(0xff_ff_ff_f0, at! - (at! % 4_096));
    await writeFile(path, file);
  });

  test('holds up the packing of its own batch only', async () => {
    const log = await open();
    await log.tidy();
    await log.tidy();
    expect(counts(other)).toEqual([6, 1_000]);
    expect(counts(hurt)).toEqual([2, 1, 3, 1_000]);
    const records: LogRecord[] = [];
    for await (const batch of log.read({ from: [{ topic, partition: hurt, offset: 0 }] }))
      records.push(...batch.records);
    expect(records.filter(({ fault }) => fault).map(({ offset }) => offset)).toEqual([2]);
    expect(records).toHaveLength(1_006);
  });

  test('holds up no retention', async () => {
    const log = await open({ clock: later(), retention: { [topic]: 0 } });
    await log.tidy();
    expect([counts(hurt), counts(other)]).toEqual([[], []]);
  });
});

describe('retention', () => {
  test('keeps everything unless it is asked for', async () => {
    const log = await open({ clock: () => 0 });
    await log.append(books(0, 50, one));
    await log.tidy();
    expect(await readAll(log, ['venueb'])).toHaveLength(50);
  });

  test('by age removes what was appended longer ago, of that topic only', async () => {
    let now = 1_000_000_000;
    const log = await open({ clock: () => now, retention: { venueb: 500 } });
    await log.append([...books(0, 20, one), FULL_EVENTS.FrameCaptured]);
    now += 400_000;
    await log.append(books(20, 30, one));
    now += 200_000;
    await log.tidy();
    const left = await readAll(log, ['venueb']);
    expect(left.map((event) => event.position.offset)).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
    expect(await readAll(log, ['venueb.frames'])).toHaveLength(1);
    const partition = log.partitionOf('venueb', 'M0');
    const info = (await log.topics()).find((topic) => topic.topic === 'venueb')!.partitions[partition];
    expect(info).toEqual({ partition, begin: 20, end: 30 });
    await expect(
      firstBatch(log.read({ from: [{ topic: 'venueb', partition, offset: 3 }] })),
    ).rejects.toMatchObject({ code: 'LOG_OFFSET_OUT_OF_RANGE' });
    now += 10_000_000;
    await log.tidy();
    expect(await readAll(log, ['venueb'])).toEqual([]);
    expect((await log.append(books(30, 31, one)))[0]!.offset).toBe(30);
  });

  test('that fails in one partition goes on in the others', async () => {
    const log = await open({ clock: later(), retention: { venueb: 0 } });
    const positions = await log.append(books(0, 40, { markets: 40 }));
    expect(new Set(positions.map(({ partition }) => partition)).size).toBe(4);
    const [hurt] = query<{ id: number }>(
      `SELECT id FROM partitions WHERE topic = 'venueb' AND partition = 0`,
    );
    const db = new DatabaseSync(path);
    db.exec(`CREATE TRIGGER refused BEFORE DELETE ON batches WHEN old.partition_id = ${hurt!.id}
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    db.close();
    await expect(log.tidy()).rejects.toThrow('refused');
    const left = await readAll(log, ['venueb']);
    expect([...new Set(left.map(({ position }) => position.partition))]).toEqual([0]);
  });

  test('of a topic that does not exist is refused', async () => {
    await expect(open({ retention: { nowhere: 1 } })).rejects.toMatchObject({ code: 'LOG_UNKNOWN_TOPIC' });
  });
});

describe('the file', () => {
  test('keeps its number of partitions', async () => {
    const first = await open({ partitions: 2 });
    await first.append(books(0, 10));
    await first.close();
    const second = await open({ partitions: 8 });
    expect((await second.topics()).every((info) => info.partitions.length === 2)).toBe(true);
    expect(await readAll(second, ['venueb'])).toHaveLength(10);
  });

  test('of a newer version is refused, and so is a file that is none of ours', async () => {
    await (await open()).close();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(open()).rejects.toMatchObject({ code: 'DATA_DIRECTORY_NEWER' });
    await writeFile(path, 'my notes\n'.repeat(1_000));
    await expect(open()).rejects.toMatchObject({ code: 'LOG_CORRUPT' });
  });

  test('of another program is refused, and stays as it was', async () => {
    const db = new DatabaseSync(path);
    db.exec(`CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine');
      PRAGMA application_id = 42; PRAGMA user_version = 1`);
    db.close();
    const before = await readFile(path);
    await expect(open()).rejects.toMatchObject({ code: 'BAD_ARGUMENT' });
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  test('is named by its errors, with what to do', async () => {
    await writeFile(path, 'my notes\n'.repeat(1_000));
    await expect(open()).rejects.toThrow(`${path} is damaged, or no log at all`);
    await expect(open()).rejects.toThrow('restore a backup');
    path = folder;
    await expect(open()).rejects.toThrow(`the log ${folder} cannot be used`);
    await expect(open()).rejects.toThrow('check that its directory is there');
  });

  test('skips whole batches by their times', async () => {
    const log = await open();
    for (let n = 0; n < 1_000; n += 100) await log.append(books(n, n + 100, one));
    const from = await positionsFromBeginning(log, ['venueb']);
    let count = 0;
    const times = { from: timeOfBook(450), to: timeOfBook(460) };
    for await (const batch of log.read({ from, times })) count += batch.records.length;
    expect(count).toBe(100);
  });

  test('is readable for a second connection of another owner: the projector keeps its cursors in it', async () => {
    const log = await open();
    const db = new DatabaseSync(log.path, { timeout: 30_000 });
    db.exec('CREATE TABLE cursors (name TEXT PRIMARY KEY, offset INTEGER)');
    for (let n = 0; n < 20; n++) {
      await log.append([bookAt(n, one)]);
      db.prepare('INSERT OR REPLACE INTO cursors VALUES (?, ?)').run('p', n);
    }
    expect(db.prepare('SELECT offset FROM cursors').get()).toEqual({ offset: 19 });
    db.close();
    expect(await readAll(log, ['venueb'])).toHaveLength(20);
  });
});
