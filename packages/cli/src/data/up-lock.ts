// One `ladderlog up` at a time on a data directory, and who it is: a command that is run meanwhile asks it instead of opening the
// engine, and finds its processes here.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { LadderlogError } from '@ladderlog/core';
import type { DirectoryLock } from '@ladderlog/store/lock';
import { lockFile } from '@ladderlog/store/lock';

export type RunningProcess = { readonly pid: number | null; readonly restarts: number };
export type RunningUp = {
  readonly pid: number;
  readonly processes: Readonly<Record<string, RunningProcess>>;
};

const lockOf = (directory: string): string => join(directory, 'up.lock');
const fileOf = (directory: string): string => join(directory, 'processes.json');

/** A command may be looking at the lock just now: that takes a moment, an `up` holds it for its life. */
const LOOKED_AT_MS = 500;

export async function lockUp(directory: string): Promise<DirectoryLock> {
  const deadline = performance.now() + LOOKED_AT_MS;
  do {
    const lock = lockFile(lockOf(directory));
    if (lock) return lock;
    await sleep(50);
  } while (performance.now() < deadline);
  const owner = readUp(directory);
  throw new LadderlogError(
    'DATA_DIRECTORY_IN_USE',
    `${directory} is in use by ${owner ? `process ${owner.pid} (ladderlog up)` : 'another ladderlog up'}: end it first, or choose another directory with --data`,
  );
}

/** Whoever runs now; null: nobody. */
export function runningUp(directory: string): RunningUp | null {
  if (!existsSync(lockOf(directory))) return null;
  const lock = lockFile(lockOf(directory));
  lock?.release();
  return lock ? null : (readUp(directory) ?? { pid: 0, processes: {} });
}

export function writeUp(directory: string, up: RunningUp): void {
  const file = fileOf(directory);
  writeFileSync(`${file}.new`, `${JSON.stringify(up)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function readUp(directory: string): RunningUp | null {
  try {
    return JSON.parse(readFileSync(fileOf(directory), 'utf8')) as RunningUp;
  } catch {
    return null;
  }
}
