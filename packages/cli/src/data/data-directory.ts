// The data directory: log.sqlite (the truth), store/ (chDB, rebuildable), secrets, and a version. Moves forward only.

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { Sockets } from './sockets.ts';
import { socketsOf } from './sockets.ts';

/** Layout of the directory; raised together with a step in STEPS. */
export const DATA_VERSION = 1;

/** Steps[n] brings version n + 1 to n + 2. The tables migrate on their own (packages/store/migrations). */
const STEPS: readonly ((directory: string) => void)[] = [];

export type DataDirectory = {
  readonly path: string;
  readonly log: string;
  readonly store: string;
  readonly cursors: string;
  readonly sockets: Sockets;
};

export function openDataDirectory(path: string, logger: Logger): DataDirectory {
  const directory = resolve(path);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new LadderlogError(
      'BAD_CONFIG',
      `the data directory ${path} cannot be made: ${(error as Error).message}; choose another with --data`,
      { cause: error },
    );
  }
  const file = join(directory, 'VERSION');
  const version = existsSync(file) ? Number(readFileSync(file, 'utf8').trim()) : DATA_VERSION;
  if (!Number.isInteger(version) || version < 1) {
    throw new LadderlogError(
      'BAD_CONFIG',
      `${file} does not hold a version number; is ${path} a Ladderlog data directory?`,
    );
  }
  if (version > DATA_VERSION) {
    throw new LadderlogError(
      'DATA_DIRECTORY_NEWER',
      `${path} was written by a newer Ladderlog (layout ${version}, this one knows ${DATA_VERSION}); upgrade Ladderlog, nothing was changed`,
    );
  }
  for (let step = version; step < DATA_VERSION; step++) {
    logger.info(
      { event: 'data.upgrade', from: step, to: step + 1 },
      `upgrading the data directory from layout ${step} to ${step + 1}`,
    );
    STEPS[step - 1]!(directory);
    writeFileSync(file, `${step + 1}\n`);
  }
  if (!existsSync(file)) writeFileSync(file, `${DATA_VERSION}\n`);
  return {
    path: directory,
    log: join(directory, 'log.sqlite'),
    store: join(directory, 'store'),
    cursors: join(directory, 'cursors.sqlite'),
    sockets: socketsOf(directory),
  };
}

/** For its owner alone, from the first moment; SQLite gives its side files the mode of the database. */
export function createPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Signs page cursors, so it must outlive a restart. */
export function cursorSecret(directory: DataDirectory, given: string | null): string {
  if (given !== null) {
    if (given.length < 32)
      throw new LadderlogError(
        'BAD_CONFIG',
        'LADDERLOG_CURSOR_SECRET is too short; it must have at least 32 characters',
      );
    return given;
  }
  const file = join(directory.path, 'cursor-secret');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  return readFileSync(file, 'utf8').trim();
}
