// Where the processes of one data directory speak to each other: Unix sockets in it, so only who may read the directory may speak.

import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { LadderlogError } from '@ladderlog/core';

export type Sockets = {
  /** Commands ask the running service here. */
  readonly control: string;
  /** The engine, as a ClickHouse server. */
  readonly engine: string;
  /** How a process is doing, and its metrics. */
  readonly status: (role: string) => string;
};

/** The kernel allows 107 bytes for the path of a socket. */
const LONGEST = 107 - '/simulators-status.sock'.length;

export function socketsOf(directory: string): Sockets {
  const place = Buffer.byteLength(directory) <= LONGEST ? directory : shortPlace(directory);
  return {
    control: join(place, 'control.sock'),
    engine: join(place, 'engine.sock'),
    status: (role) => join(place, `${role}-status.sock`),
  };
}

/** For a directory whose own path is too long: a private one with a short name. */
function shortPlace(directory: string): string {
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const place = join(tmpdir(), `ladderlog-${process.getuid?.() ?? 'user'}-${name}`);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(place);
  if (uid !== (process.getuid?.() ?? uid) || (mode & 0o077) !== 0)
    throw new LadderlogError(
      'BAD_CONFIG',
      `${place} is not private to this user; remove it, or choose a data directory with a shorter path`,
    );
  return place;
}

/** A socket left by a killed process. Only for who knows that nobody else listens there. */
export function removeSocket(path: string): void {
  if (existsSync(path)) rmSync(path);
}
