// One collector for each venue and share of its markets in a data directory: a second one would take the first for dead and
// write gaps that are none.

import { join } from 'node:path';

import { LadderlogError } from '@ladderlog/core';
import type { DirectoryLock } from '@ladderlog/store/lock';
import { lockFile } from '@ladderlog/store/lock';

/** Returns how to let go. */
export function lockCapture(
  directory: string,
  venues: readonly string[],
  { index, count }: { readonly index: number; readonly count: number },
): () => void {
  const held: DirectoryLock[] = [];
  const release = (): void => held.splice(0).forEach((lock) => lock.release());
  for (const venue of venues) {
    const lock = lockFile(join(directory, `capture-${venue}-${index}-of-${count}.lock`));
    if (!lock) {
      release();
      throw new LadderlogError(
        'DATA_DIRECTORY_IN_USE',
        `another process records ${venue}${count === 1 ? '' : ` (share ${index}/${count})`} into ${directory}; end it first, or share the markets with LADDERLOG_SHARD`,
      );
    }
    held.push(lock);
  }
  return release;
}
