// One collector for each venue and share of its markets in a data directory: a second one would take the first for dead and
// write gaps that are none. The lock is an exclusive SQLite transaction, which ends with the process, also by SIGKILL.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { LadderlogError } from '@ladderlog/core';

const SQLITE_BUSY = 5;

/** Returns how to let go. */
export function lockCapture(
  directory: string,
  venues: readonly string[],
  { index, count }: { readonly index: number; readonly count: number },
): () => void {
  const held: DatabaseSync[] = [];
  const release = (): void => held.splice(0).forEach((lock) => lock.close());
  for (const venue of venues) {
    const lock = new DatabaseSync(join(directory, `capture-${venue}-${index}-of-${count}.lock`));
    held.push(lock);
    try {
      lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      release();
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      throw new LadderlogError(
        'DATA_DIRECTORY_IN_USE',
        `another process records ${venue}${count === 1 ? '' : ` (share ${index}/${count})`} into ${directory}; end it first, or share the markets with LADDERLOG_SHARD`,
      );
    }
  }
  return release;
}
