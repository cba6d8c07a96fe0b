// Processes of an `up` that was killed a moment ago may still be letting go of the data directory.

import { setTimeout as sleep } from 'node:timers/promises';

import { isLadderlogError } from '@ladderlog/core';

const LOCKED_FOR_MS = 5_000;

export async function whenUnlocked<T>(open: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LOCKED_FOR_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isLocked =
        isLadderlogError(error, 'STORE_LOCKED') || isLadderlogError(error, 'DATA_DIRECTORY_IN_USE');
      if (!isLocked || performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
