// The file of the consumer groups: leases, claims and committed offsets, beside the log and apart from it, so that no reader
// ever writes to the log. Version 0.1.0 kept these tables in the log's own file: they are taken over once.

import type { DatabaseSync } from 'node:sqlite';
import { basename, dirname, join } from 'node:path';
import { createBeside } from './bell.ts';
import { isBusy } from './errors.ts';
import { connect, transaction } from './file.ts';

/** `groups.sqlite` beside a `log.sqlite`; beside a log of another name, its name and `-groups`. */
export const groupsPathOf = (log: string): string =>
  basename(log) === 'log.sqlite' ? join(dirname(log), 'groups.sqlite') : `${log}-groups`;

/** Set in one transaction with what was taken over from the log: where it is set, the log's own tables count for nothing. */
const FILE_VERSION = 1;

const TABLES = {
  group_offsets: `(
    group_id TEXT NOT NULL,
    partition_id INTEGER NOT NULL,
    next_offset INTEGER NOT NULL,
    PRIMARY KEY (group_id, partition_id)
  ) STRICT, WITHOUT ROWID`,
  group_members: `(
    group_id TEXT NOT NULL,
    member TEXT NOT NULL,
    topics TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (group_id, member)
  ) STRICT, WITHOUT ROWID`,
  group_claims: `(
    group_id TEXT NOT NULL,
    partition_id INTEGER NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (group_id, partition_id)
  ) STRICT, WITHOUT ROWID`,
};
const NAMES = Object.keys(TABLES) as (keyof typeof TABLES)[];

/** Opens or makes the file; `log` is a connection to the log, which is only read. */
export function openGroupsFile(logPath: string, log: DatabaseSync): DatabaseSync {
  const path = groupsPathOf(logPath);
  createBeside(logPath, path);
  // Durable at first: once the log's own tables are dropped, what was taken over is nowhere else.
  const db = connect(path, true);
  try {
    if (versionOf(db) < FILE_VERSION) {
      db.exec('PRAGMA journal_mode = WAL');
      transaction(db, () => takeOver(db, log));
    }
    // From here on nothing need wait for the disk: losing the newest to a power cut costs a repeat, never an event.
    db.exec('PRAGMA synchronous = NORMAL');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function takeOver(db: DatabaseSync, log: DatabaseSync): void {
  // Another process may have been faster.
  if (versionOf(db) >= FILE_VERSION) return;
  for (const name of NAMES) {
    db.exec(`CREATE TABLE ${name} ${TABLES[name]}`);
    if (!hasTable(log, name)) continue;
    for (const row of log.prepare(`SELECT * FROM ${name}`).all()) {
      const columns = Object.keys(row);
      const places = columns.map(() => '?').join(', ');
      db.prepare(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places})`).run(...Object.values(row));
    }
  }
  db.exec(`PRAGMA user_version = ${FILE_VERSION}`);
}

/**
 * Removes the tables of 0.1.0 from the log, once they are taken over. Nobody waits for it: a file that is busy now is looked
 * at again the next time the log is opened.
 */
export function dropOldGroups(logPath: string, log: DatabaseSync): void {
  if (!NAMES.some((name) => hasTable(log, name))) return;
  try {
    openGroupsFile(logPath, log).close();
    transaction(log, () => {
      for (const name of NAMES) log.exec(`DROP TABLE IF EXISTS ${name}`);
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

const versionOf = (db: DatabaseSync): number =>
  (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;

const hasTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== undefined;
