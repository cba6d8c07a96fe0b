// What an error of SQLite means to a caller of the log, and waiting for a file that another process holds.

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLadderlogError, LadderlogError } from '@ladderlog/core';

/** SQLite's result code without its extension. */
const resultCode = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : 0;

const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
/** A lock in shared memory was not to be had for ten seconds: whoever holds it was stopped in that very moment. */
const PROTOCOL = 15;
const NOT_A_DATABASE = 26;

export const isBusy = (error: unknown): boolean => [BUSY, LOCKED, PROTOCOL].includes(resultCode(error));
export const isCorrupt = (error: unknown): boolean => [CORRUPT, NOT_A_DATABASE].includes(resultCode(error));

/** How long a file that another process holds is waited for. */
const BUSY_LIMIT_MS = 10_000;

/** Runs the work again while the file is busy, without holding the event loop in between. */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() - began > BUSY_LIMIT_MS) throw error;
      await sleep(1 + Math.random() * 10);
    }
  }
}

/** What an error of SQLite means to a caller of the log. */
export function toLogError(error: unknown, path: string): LadderlogError {
  if (isLadderlogError(error)) return error;
  const code = resultCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  const options = { cause: error, details: { path } };
  if (code === FULL || (code === IO_ERROR && isDiskFull(path)))
    return new LadderlogError(
      'LOG_DISK_FULL',
      `the disk of the log ${path} is full: ${reason}; free some space, and it goes on by itself`,
      { ...options, retryable: true },
    );
  if (isCorrupt(error))
    return new LadderlogError(
      'LOG_CORRUPT',
      `the log ${path} is damaged, or no log at all: ${reason}; restore a backup, or move the file away to begin anew`,
      options,
    );
  const remedy = REMEDIES[code];
  return new LadderlogError(
    'LOG_UNAVAILABLE',
    `the log ${path} cannot be used: ${reason}${remedy === undefined ? '' : `; ${remedy}`}`,
    { ...options, retryable: [BUSY, LOCKED, PROTOCOL, IO_ERROR, CANNOT_OPEN].includes(code) },
  );
}

const HELD = 'another process holds it: wait for it, or end it';
const REMEDIES: Readonly<Record<number, string>> = {
  [BUSY]: HELD,
  [LOCKED]: HELD,
  [PROTOCOL]: HELD,
  [READ_ONLY]: 'check who owns it, and that it may be written',
  [CANNOT_OPEN]: 'check that its directory is there, and may be read and written',
};

/** SQLite reports some full disks as I/O errors (its shared-memory file cannot grow). */
function isDiskFull(path: string): boolean {
  try {
    const disk = statfsSync(dirname(path));
    return disk.bavail * disk.bsize < 64 * 1024;
  } catch {
    return false;
  }
}
