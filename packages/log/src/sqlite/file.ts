// The file of the SQLite log: its tables, and how it is opened. Several connections may look at one file from one process, and
// any number of processes.

import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';

/** Raised when an older version could not read what this one writes. */
const FILE_VERSION = 1;
/** "LLog": tells this file from other SQLite files. */
const APPLICATION_ID = 0x4c_4c_6f_67;
/** What the write-ahead log is cut back to once all of it is in the file: one that a long reader let grow does not stay. */
const WAL_LIMIT = 16 * 1024 * 1024;

// A batch's row is never changed: appended, replaced by a larger one over the same offsets, or removed by retention.
// The index has all that a reader needs to pass over a batch, so the blobs of skipped batches are never touched.
const TABLES = `
CREATE TABLE IF NOT EXISTS schemas (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL UNIQUE,
  schema TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS partitions (
  id INTEGER PRIMARY KEY,
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  begin_offset INTEGER NOT NULL DEFAULT 0,
  end_offset INTEGER NOT NULL DEFAULT 0,
  UNIQUE (topic, partition)
) STRICT;
CREATE TABLE IF NOT EXISTS batches (
  id INTEGER PRIMARY KEY,
  partition_id INTEGER NOT NULL REFERENCES partitions (id),
  first_offset INTEGER NOT NULL,
  last_offset INTEGER NOT NULL,
  count INTEGER NOT NULL,
  min_time INTEGER NOT NULL,
  max_time INTEGER NOT NULL,
  appended_at INTEGER NOT NULL,
  raw_bytes INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  packed INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS batches_by_offset
  ON batches (partition_id, last_offset, first_offset, min_time, max_time, packed);
`;

/** Opens or creates the file. `durable` connections wait for the disk at every commit. */
export function connect(path: string, durable: boolean): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  return opened(
    path,
    false,
    `PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}; PRAGMA foreign_keys = OFF;
     PRAGMA journal_size_limit = ${WAL_LIMIT};`,
  );
}

/** A connection that can take no lock but that of a reader, and so holds up nobody, whatever becomes of its process. */
export const connectToRead = (path: string): DatabaseSync => opened(path, true, 'PRAGMA foreign_keys = OFF;');

function opened(path: string, readOnly: boolean, pragmas: string): DatabaseSync {
  // Short: a busy file is waited for without holding the event loop (see retryWhileBusy).
  const db = new DatabaseSync(path, { timeout: 20, readOnly });
  try {
    db.exec(pragmas);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Whether nothing is missing; refuses a file that is not ours or is newer. Takes no lock but that of a reader. */
export function isComplete(db: DatabaseSync, path: string, topics: readonly string[]): boolean {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  // In this order: another process may be making the file, and commits both at once.
  const { tables } = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  const { application_id: owner } = db.prepare('PRAGMA application_id').get() as { application_id: number };
  if (owner !== APPLICATION_ID && tables > 0)
    throw new LadderlogError(
      'BAD_ARGUMENT',
      `${path} is the SQLite file of another program, not a log; give another place, or move the file away`,
      { details: { path } },
    );
  if (version > FILE_VERSION)
    throw new LadderlogError(
      'DATA_DIRECTORY_NEWER',
      `${path} was written by a newer version of Ladderlog (format ${version}, this one reads ${FILE_VERSION}); run that version`,
      { details: { path } },
    );
  if (version < FILE_VERSION || tables === 0) return false;
  const { journal_mode: mode } = db.prepare('PRAGMA journal_mode').get() as { journal_mode: string };
  const known = db.prepare('SELECT count(*) AS count FROM partitions WHERE topic = ?');
  return mode === 'wal' && topics.every((topic) => (known.get(topic) as { count: number }).count > 0);
}

/** Creates what is missing, in one transaction; a file that is complete is not written to. */
export function prepareFile(
  db: DatabaseSync,
  path: string,
  topics: readonly string[],
  partitions: number,
): void {
  if (isComplete(db, path, topics)) return;
  // Must be set before the first table; in a file with tables it changes nothing.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;');
  transaction(db, () => {
    createTables(db);
    const add = db.prepare('INSERT OR IGNORE INTO partitions (topic, partition) VALUES (?, ?)');
    const known = db.prepare('SELECT count(*) AS count FROM partitions WHERE topic = ?');
    for (const topic of topics) {
      // The number of partitions is decided once: keys must stay where they are.
      if ((known.get(topic) as { count: number }).count > 0) continue;
      for (let partition = 0; partition < partitions; partition++) add.run(topic, partition);
    }
  });
}

/** The tables that are missing, and the mark of the file. */
export const createTables = (db: DatabaseSync): void =>
  db.exec(`${TABLES} PRAGMA user_version = ${FILE_VERSION}; PRAGMA application_id = ${APPLICATION_ID};`);

/** One write transaction, begun at once so that it cannot fail half-way for a lock. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      if (db.isTransaction) db.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself (a full disk does that).
    }
    throw error;
  }
}

/**
 * SQLite refuses a file that is shorter than it says it is, whole. Given its length back (in zeros), only what was cut off is
 * unreadable, and reading says so by position.
 */
export function restoreLength(path: string, logger: Logger | undefined): boolean {
  if (!existsSync(path)) return false;
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, 100, 0) < 100) return false;
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') return false;
  if (header.readUInt32BE(68) !== APPLICATION_ID) return false;
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const expected = pageSize * header.readUInt32BE(28);
  const { size } = statSync(path);
  if (size >= expected) return false;
  logger?.error(
    { event: 'log.truncated', path, bytes: size, expected },
    'the log file was cut off: what is left is readable, the rest is reported where it is missing',
  );
  truncateSync(path, expected);
  return true;
}
