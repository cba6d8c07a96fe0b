// The writing side of an open log, by its role: here in this thread (commands), or refused (readers). That of a recorder is in
// thread.ts.

import type { DatabaseSync } from 'node:sqlite';
import type { Clock, LadderEvent, Position } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';
import type { WritingCodec } from '../avro/codec.ts';
import { Appender } from './append.ts';
import { connect } from './file.ts';
import type { PartitionTable } from './partitions.ts';
import type { Retention } from './retention.ts';
import { Staging } from './staging.ts';
import { Upkeep } from './upkeep.ts';
import { UpkeepLock } from './upkeep-lock.ts';

export type Writing = {
  /** Rejects when the file cannot be written to. */
  readonly ready: Promise<void>;
  append(events: readonly LadderEvent[]): Promise<Position[]>;
  /** Packs what can be packed and applies retention now. */
  tidy(): Promise<void>;
  /** Resolves when everything appended so far is committed or refused, and the file is let go. */
  close(): Promise<void>;
};

export type WritingOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly codec: WritingCodec;
  readonly partitions: PartitionTable;
  readonly clock: Clock;
  readonly retention: Retention;
  readonly upkeepMs: number;
  readonly logger: Logger | undefined;
  /** Those who wait in this process are told. */
  readonly onCommitted: () => void;
};

/** Appends and packs on this thread: the connection of the reader is that of the appender, too. */
export function writeHere(options: WritingOptions): Writing {
  const { db, path, codec, partitions, clock, retention, logger, onCommitted, upkeepMs: everyMs } = options;
  const lock = new UpkeepLock(path);
  // Packing need not wait for the disk: losing the newest of it to a power cut loses no event.
  const upkeepDb = connect(path, false);
  const release = (): void => {
    upkeepDb.close();
    lock.close();
  };
  try {
    const staging = new Staging(codec, partitions);
    const mustGiveWay = (): boolean => lock.isElsewhere();
    const appender = new Appender({ db, path, staging, clock, onCommitted, mustGiveWay });
    const about = { db: upkeepDb, partitions, clock, logger, retention, everyMs };
    const upkeep = new Upkeep({ ...about, lock, keepsLock: false });
    return {
      ready: Promise.resolve(),
      append: (events) => appender.append(events),
      tidy: () => upkeep.run(),
      async close() {
        await appender.drain();
        await upkeep.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** For those who only read: no lock of a writer is ever taken. */
export const writeNothing = (path: string): Writing => ({
  ready: Promise.resolve(),
  append: () =>
    Promise.reject(
      new LadderlogError(
        'NOT_SUPPORTED_HERE',
        `the log ${path} is open for reading only: nothing was appended`,
      ),
    ),
  tidy: () => Promise.resolve(),
  close: () => Promise.resolve(),
});
