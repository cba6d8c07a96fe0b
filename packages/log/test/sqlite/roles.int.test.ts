// What the roles of an embedded log promise, and the files beside it: groups and bell.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, watch } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LogBatch, SqliteLog } from '@ladderlog/log';
import { createCodec, openSqliteLog, positionsAtEnd } from '@ladderlog/log';
import { bookAt, books } from '../../../../test/harness/log-events.ts';
import { readAll } from '../../../../test/harness/log-reading.ts';
import { PartitionTable } from '../../src/sqlite/partitions.ts';
import { schemaTable } from '../../src/sqlite/schema-table.ts';
import type { SqliteLogOptions } from '../../src/sqlite/sqlite-log.ts';
import { WriterThread } from '../../src/sqlite/thread.ts';

const FIXTURE = join(import.meta.dirname, '../../../../test/fixtures/recording-0.1.0/data.tar.zst');

let folder: string;
let path: string;
const logs: SqliteLog[] = [];
const open = async (options: Partial<SqliteLogOptions> = {}): Promise<SqliteLog> => {
  const log = await openSqliteLog({ path, upkeepMs: 0, ...options });
  logs.push(log);
  return log;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-roles-'));
  path = join(folder, 'log.sqlite');
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** Whoever has it is the only writer of the file until it is released. */
function writeLock(file: string): { release(): void } {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec('BEGIN IMMEDIATE');
  return { release: () => db.close() };
}

/** Gives the sizes of the batches that are appended from now on. */
async function follow(log: SqliteLog): Promise<() => Promise<number>> {
  const reading = log.read({ from: await positionsAtEnd(log, ['venueb']), follow: true });
  const batches = reading[Symbol.asyncIterator]();
  return async () => ((await batches.next()).value as LogBatch).records.length;
}

describe('a reader', () => {
  test('opens, reads and keeps offsets while another holds the write lock of the log', async () => {
    const writer = await open();
    await writer.append(books(0, 50));
    const lock = writeLock(path);
    const reader = await open({ role: 'reader' });
    expect(await readAll(reader, ['venueb'])).toHaveLength(50);
    await reader.commit('g', [{ topic: 'venueb', partition: 1, offset: 7 }]);
    expect(await reader.committed('g', 'venueb')).toEqual([null, 7, null, null]);
    lock.release();
    expect(await writer.committed('g', 'venueb')).toEqual([null, 7, null, null]);
  });

  test('holds up no append, wherever it is: not even one that has the write lock of the groups', async () => {
    const [writer, reader] = [await open(), await open({ role: 'reader' })];
    await reader.commit('g', []);
    const lock = writeLock(join(folder, 'groups.sqlite'));
    const ends = await writer.append(books(0, 10, { markets: 1 }));
    expect(ends.at(-1)!.offset).toBe(9);
    await writer.close();
    await (await open()).append(books(10, 20));
    lock.release();
  });

  test('appends nothing, and says so', async () => {
    const reader = await open({ role: 'reader' });
    await expect(reader.append([bookAt(0)])).rejects.toMatchObject({ code: 'NOT_SUPPORTED_HERE' });
    await reader.tidy();
    expect(await readAll(reader, ['venueb'])).toEqual([]);
  });

  test('makes a file that is not there yet, and follows what others write to it', async () => {
    const reader = await open({ role: 'reader' });
    const first = (await follow(reader))();
    await (await open()).append(books(0, 5, { markets: 1 }));
    expect(await first).toBe(5);
  });
});

describe('the bell', () => {
  test('rings after a commit', async () => {
    const [writer, reader] = [await open(), await open({ role: 'reader' })];
    const next = await follow(reader);
    const waiting = next();
    // It hangs where somebody waits.
    await nextTurn();
    const bell = watch(`${path}-bell`);
    const rung = once(bell, 'change');
    await writer.append([bookAt(0)]);
    await rung;
    bell.close();
    expect(await waiting).toBe(1);
    expect(statSync(`${path}-bell`).mode).toBe(statSync(path).mode);
  });

  test('may be lost: those who wait find what is new by themselves', async () => {
    const [writer, reader] = [await open(), await open({ role: 'reader' })];
    const next = await follow(reader);
    for (let n = 0; n < 3; n++) {
      const waiting = next();
      await nextTurn();
      rmSync(`${path}-bell`, { force: true });
      await writer.append([bookAt(n)]);
      expect(await waiting).toBe(1);
    }
  });
});

describe('the groups of version 0.1.0', () => {
  const old = (): Record<string, unknown>[] => {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return db.prepare('SELECT * FROM group_offsets ORDER BY partition_id').all();
    } finally {
      db.close();
    }
  };
  const oldTables = (): number => {
    const db = new DatabaseSync(path, { readOnly: true });
    const found = db.prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'group%'`).get();
    db.close();
    return Number(found!['n']);
  };
  const TOPICS = ['venuea', 'venueb', 'venuec'];
  const committed = async (log: SqliteLog): Promise<number[]> =>
    (await Promise.all(TOPICS.map((topic) => log.committed('projector-g1', topic)))).flat() as number[];
  let before: unknown[];

  beforeEach(() => {
    const input = zstdDecompressSync(readFileSync(FIXTURE));
    spawnSync('tar', ['-x', '-C', folder, 'data/log.sqlite'], { input });
    path = join(folder, 'data', 'log.sqlite');
    before = old().map((row) => row['next_offset']);
    if (before.length !== 12) throw new Error('the recording has the offsets of 12 partitions');
  });

  test('are taken over by a writer, and leave the log', async () => {
    expect(await committed(await open())).toEqual(before);
    expect(oldTables()).toBe(0);
    expect(await committed(await open())).toEqual(before);
  });

  test('are taken over by a reader, which leaves the log as it is; what follows counts', async () => {
    const reader = await open({ role: 'reader' });
    expect(await committed(reader)).toEqual(before);
    expect(oldTables()).toBe(3);
    const moved = { topic: 'venuea', partition: 0, offset: 1 };
    await reader.commit('projector-g1', [moved]);
    const writer = await open();
    expect(oldTables()).toBe(0);
    expect(await committed(writer)).toEqual([1, ...before.slice(1)]);
  });

  test('stay where they are while the new file is held by another; opening waits for nobody', async () => {
    const groups = join(folder, 'data', 'groups.sqlite');
    const lock = writeLock(groups);
    await (await open()).close();
    expect(oldTables()).toBe(3);
    lock.release();
    expect(await committed(await open())).toEqual(before);
    expect(oldTables()).toBe(0);
    expect(existsSync(groups)).toBe(true);
  });
});

describe('the thread of a recorder', () => {
  test('that ends unasked refuses every append for good: a repeat could double what it had not acknowledged', async () => {
    await (await open({ role: 'recorder' })).append([bookAt(0)]);
    const db = new DatabaseSync(path);
    const codec = createCodec(schemaTable(db));
    const thread = new WriterThread({
      db,
      path,
      codec,
      partitions: new PartitionTable(db),
      clock: () => 0,
      retention: {},
      upkeepMs: 0,
      logger: undefined,
      onCommitted: () => undefined,
    });
    await thread.ready;
    expect(await thread.append([bookAt(1)])).toHaveLength(1);
    const lock = writeLock(path);
    const lost = thread.append([bookAt(2)]);
    await (Reflect.get(thread, 'worker') as Worker).terminate();
    const refused = { code: 'LOG_UNAVAILABLE', retryable: false };
    await expect(lost).rejects.toMatchObject(refused);
    await expect(thread.append([bookAt(3)])).rejects.toMatchObject(refused);
    await thread.close();
    lock.release();
    db.close();
  });

  test('keeps the order of appends while another holds the file', async () => {
    const recorder = await open({ role: 'recorder' });
    let next = 0;
    const append = () => recorder.append([bookAt(next++, { markets: 1 })]);
    const positions = [];
    for (let round = 0; round < 8; round++) {
      const lock = writeLock(path);
      const first = [append(), append(), append()];
      // It has seen all three when it answers.
      await recorder.tidy();
      const second = [append(), append()];
      await recorder.tidy();
      lock.release();
      positions.push(...(await Promise.all([...first, ...second])).flat());
    }
    expect(positions.map(({ offset }) => offset)).toEqual(positions.map((_, index) => index));
  });

  test('packs and keeps to retention; a writer leaves that to it, and goes on when it is gone', async () => {
    const one = { markets: 1 };
    const recorder = await open({ role: 'recorder' });
    const writer = await open();
    for (let n = 0; n < 2_000; n += 100) await recorder.append(books(n, n + 100, one));
    const batches = (): number => {
      const db = new DatabaseSync(path, { readOnly: true });
      const found = db.prepare('SELECT count(*) AS n FROM batches').get()!;
      db.close();
      return Number(found['n']);
    };
    await writer.tidy();
    expect(batches()).toBe(20);
    await recorder.tidy();
    expect(batches()).toBe(1);
    for (let n = 2_000; n < 4_000; n += 100) await recorder.append(books(n, n + 100, one));
    await recorder.close();
    await writer.tidy();
    expect(batches()).toBe(2);
  });

  test('is refused what it cannot use, with the reason', async () => {
    await expect(open({ role: 'recorder', retention: { nowhere: 1 } })).rejects.toMatchObject({
      code: 'LOG_UNKNOWN_TOPIC',
    });
  });
});
