import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';

import { openSqliteCursors } from '../../src/index.ts';
import { cursorContract } from './cursor-contract.ts';

const directory = mkdtempSync(join(tmpdir(), 'cursors-'));
const path = join(directory, 'log.db');
const cursors = openSqliteCursors(path);
afterAll(async () => {
  await cursors.close();
  rmSync(directory, { recursive: true });
});

cursorContract('SQLite', async () => cursors);

test('a file that another connection holds is waited for, and the event loop goes on', async () => {
  const claim = await cursors.claim({ generation: 1, topic: 'venuec', partition: 0 }, 0, 'a:v1');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const intended = cursors.intend(claim, { first: 0, last: 5 });
  // Held, the loop would not come here before the wait was over.
  other.exec('ROLLBACK');
  other.close();
  expect(await intended).toBe(true);
});

test('what SQLite reports is an error of the log', async () => {
  const other = new DatabaseSync(path);
  other.exec('ALTER TABLE projector_cursors RENAME TO moved');
  await expect(cursors.list(1)).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  other.exec('ALTER TABLE moved RENAME TO projector_cursors');
  other.close();
  expect(await cursors.list(1)).not.toEqual([]);
});

describe('cursors of version 0.1.0, which were in the log', () => {
  let logs = 0;
  const oldLog = (): string => {
    const old = join(directory, `old-${++logs}.db`);
    const log = new DatabaseSync(old);
    log.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE projector_cursors (generation INTEGER NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL,
        epoch INTEGER NOT NULL, hwm INTEGER NOT NULL, pending_first INTEGER, pending_last INTEGER,
        fingerprint TEXT NOT NULL, PRIMARY KEY (generation, topic, partition)) WITHOUT ROWID, STRICT;
      INSERT INTO projector_cursors VALUES (1, 'venuea', 0, 4, -1, NULL, NULL, ''),
        (2, 'venueb', 0, 7, 99, 100, 120, 'a:v1'), (2, 'venueb', 1, 7, 5, NULL, NULL, 'a:v1')`);
    log.close();
    return old;
  };
  const taken = [
    { generation: 2, topic: 'venueb', partition: 0, epoch: 7, hwm: 99, pending: { first: 100, last: 120 } },
    { generation: 2, topic: 'venueb', partition: 1, epoch: 7, hwm: 5, pending: null },
  ];
  const hasOldTable = (log: string): boolean => {
    const database = new DatabaseSync(log, { readOnly: true });
    const row = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'projector_cursors'").get();
    database.close();
    return row !== undefined;
  };
  const open = (log: string) => openSqliteCursors(`${log}.cursors`, { takeOverFrom: log });

  test('are taken over once, and removed from the log', async () => {
    const log = oldLog();
    const first = open(log);
    expect(await first.list(2)).toMatchObject(taken);
    expect(await first.generations()).toEqual([1, 2]);
    expect(hasOldTable(log)).toBe(false);
    const claim = await first.claim({ generation: 2, topic: 'venueb', partition: 1 }, 0, 'a:v1');
    await first.advance(claim, 8);
    await first.close();
    const again = open(log);
    expect((await again.list(2)).map(({ hwm }) => hwm)).toEqual([99, 8]);
    await again.close();
  });

  test('stay in a log that another process holds, and go with a later start, which reads them no more', async () => {
    const log = oldLog();
    const recorder = new DatabaseSync(log);
    recorder.exec('BEGIN IMMEDIATE');
    const first = open(log);
    expect(await first.list(2)).toMatchObject(taken);
    expect(hasOldTable(log)).toBe(true);
    const claim = await first.claim({ generation: 2, topic: 'venueb', partition: 1 }, 0, 'a:v1');
    await first.advance(claim, 8);
    await first.close();
    recorder.exec('ROLLBACK');
    recorder.close();
    const again = open(log);
    expect((await again.list(2)).map(({ hwm }) => hwm)).toEqual([99, 8]);
    expect(hasOldTable(log)).toBe(false);
    await again.close();
  });

  test('are left alone where the file has cursors already', async () => {
    const log = oldLog();
    const before = openSqliteCursors(`${log}.cursors`);
    await before.claim({ generation: 3, topic: 'venuec', partition: 0 }, 0, 'a:v1');
    await before.close();
    const after = open(log);
    expect(await after.generations()).toEqual([3]);
    await after.close();
  });

  test('are not there in a new directory, or in a log of this version', async () => {
    const none = open(join(directory, 'no-log.db'));
    expect(await none.generations()).toEqual([]);
    await none.close();
    const log = join(directory, 'new-log.db');
    new DatabaseSync(log).close();
    const cursors = open(log);
    expect(await cursors.generations()).toEqual([]);
    await cursors.close();
  });
});
