// Group commit on this thread. Appends that arrive while one commit is under way share the next: one transaction, one wait for
// the disk, however many callers. Within a partition the order of records is the order of the append() calls.

import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock, LadderEvent, Position } from '@ladderlog/core';
import { Committer, takeGroup } from './commit.ts';
import { toLogError } from './errors.ts';
import type { StagedAppend, Staging } from './staging.ts';

/** A group smaller than this may wait as long as the commit before took, so that commits never fill the event loop. */
const SMALL_GROUP = 32;

type Waiter = {
  readonly staged: StagedAppend;
  readonly events: number;
  readonly resolve: (positions: Position[]) => void;
  readonly reject: (error: unknown) => void;
};

export type AppenderOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly staging: Staging;
  readonly clock: Clock;
  readonly onCommitted: () => void;
  /** Whether another process records into the file: then it has its turn after each of our commits. */
  readonly mustGiveWay: () => boolean;
};

export class Appender {
  private readonly options: AppenderOptions;
  private readonly committer: Committer;
  private readonly queue: Waiter[] = [];
  private running: Promise<void> | null = null;

  constructor(options: AppenderOptions) {
    this.options = options;
    this.committer = new Committer(options.db, options.path);
  }

  append(events: readonly LadderEvent[]): Promise<Position[]> {
    if (events.length === 0) return Promise.resolve([]);
    let staged: StagedAppend;
    try {
      staged = this.options.staging.stage(events, this.options.clock());
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ staged, events: events.length, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when everything appended so far is committed or refused. */
  async drain(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    // Callers of the same turn of the event loop belong together.
    await new Promise(setImmediate);
    while (this.queue.length > 0) {
      const waitMs = this.committer.lastAt + this.committer.lastMs - performance.now();
      const isSmall = this.queue.reduce((sum, { events }) => sum + events, 0) < SMALL_GROUP;
      if (waitMs > 1 && (isSmall || this.options.mustGiveWay())) await sleep(waitMs);
      await this.commit(takeGroup(this.queue));
    }
    this.running = null;
  }

  private async commit(group: readonly Waiter[]): Promise<void> {
    const { staging, path, onCommitted } = this.options;
    try {
      const firsts = await this.committer.commit(group.map(({ staged }) => staged));
      onCommitted();
      for (const [index, { staged, resolve }] of group.entries())
        resolve(staging.positionsOf(staged.index, firsts[index]!));
    } catch (error) {
      const reason = toLogError(error, path);
      for (const { reject } of group) reject(reason);
    }
    for (const { staged } of group) staging.release(staged.values);
  }
}
