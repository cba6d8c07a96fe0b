// What a projector has done and what troubles it: counted for its status, told to its observer, written to its log.

import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { Claim, OffsetRange } from './cursor.ts';
import type { Partition } from './log-bounds.ts';

/** A range, or a set of ranges of several partitions, that is in the tables. */
export type RangesDone = {
  readonly ranges: readonly (Partition & OffsetRange)[];
  readonly events: number;
  readonly poison: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly ms: number;
};

export type RetriedStep = 'consume' | 'cursor' | 'insert';

/** For counters and gauges; called synchronously. */
export type ProjectorObserver = {
  readonly onRange?: (done: RangesDone) => void;
  readonly onRetry?: (retry: { step: RetriedStep; code: string; attempts: number }) => void;
  readonly onFenced?: (partition: { topic: string; partition: number }) => void;
};

/** Set while something fails; null again after the next success. */
export type LastError = { readonly code: string; readonly message: string; readonly attempts: number } | null;

export type Counts = {
  events: number;
  rows: number;
  poison: number;
  retries: number;
  fenced: number;
  lastError: LastError;
};

export class Progress {
  readonly counts: Counts = { events: 0, rows: 0, poison: 0, retries: 0, fenced: 0, lastError: null };
  private readonly generation: number;
  private readonly logger: Logger;
  private readonly observer: ProjectorObserver;
  private next = Promise.withResolvers<void>();

  constructor(generation: number, logger: Logger, observer: ProjectorObserver) {
    this.generation = generation;
    this.logger = logger;
    this.observer = observer;
  }

  /** Resolves when the next range is in the tables. */
  get nextRange(): Promise<void> {
    return this.next.promise;
  }

  done(done: RangesDone): void {
    const rows = Object.values(done.rows).reduce((sum, count) => sum + count, 0);
    this.counts.events += done.events;
    this.counts.rows += rows;
    this.counts.poison += done.poison;
    this.counts.lastError = null;
    this.next.resolve();
    this.next = Promise.withResolvers();
    const { generation, logger } = this;
    logger.debug({ event: 'projector.range', generation, ...done }, 'projected');
    if (done.poison > 0) logger.warn({ event: 'projector.poison', generation, ...done }, 'records rejected');
    this.observer.onRange?.(done);
  }

  /** `where`: a partition, or the whole generation. */
  retried(error: unknown, attempts: number, step: RetriedStep, where: object): void {
    const code = error instanceof LadderlogError ? error.code : 'INTERNAL';
    const message = error instanceof Error ? error.message : String(error);
    this.counts.retries++;
    this.counts.lastError = { code, message, attempts };
    this.logger.warn(
      { event: 'projector.retry', ...where, step, code, attempts, err: error },
      'trying again',
    );
    this.observer.onRetry?.({ step, code, attempts });
  }

  fenced({ key, cursor }: Claim): void {
    this.counts.fenced++;
    this.logger.warn({ event: 'projector.fenced', ...key, epoch: cursor.epoch }, 'fenced');
    this.observer.onFenced?.(key);
  }
}
