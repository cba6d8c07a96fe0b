// One process per data directory. The lock is an exclusive SQLite transaction on a file in it: the operating system releases
// it with the process, also on SIGKILL, and a second connection of the same process is refused too. Who holds it is written
// beside, for people.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LadderlogError } from '@ladderlog/core';

export type DirectoryLock = { release(): void };

const SQLITE_BUSY = 5;

/** Keeps the connections of held locks from being collected, which would free them. */
const HELD = new Set<DatabaseSync>();

/** Null: somebody holds it. */
export function lockFile(path: string): DirectoryLock | null {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    return null;
  }
  HELD.add(database);
  return {
    release() {
      HELD.delete(database);
      if (database.isOpen) database.close();
    },
  };
}

export function lockDirectory(directory: string, purpose: string): DirectoryLock {
  mkdirSync(directory, { recursive: true });
  const ownerFile = join(directory, 'owner.json');
  const lock = lockFile(join(directory, 'owner.lock'));
  if (!lock) {
    const owner = readOwner(ownerFile);
    throw new LadderlogError(
      'STORE_LOCKED',
      `${directory} is in use by ${owner === null ? 'another process' : `process ${owner.pid} on ${owner.host} (${owner.purpose})`}: the embedded store has one owner at a time`,
      { details: { directory, owner } },
    );
  }
  writeFileSync(ownerFile, `${JSON.stringify({ pid: process.pid, host: hostname(), purpose })}\n`);
  return lock;
}

type Owner = { readonly pid: number; readonly host: string; readonly purpose: string };

function readOwner(file: string): Owner | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    return null;
  }
}
