// A bounded queue in front of an engine that answers few queries at a time. Reads and writes have lanes of their own, so a
// slow page never holds up the projector nor the other way round. Full or late is STORE_BUSY, never a pile-up.

import { LadderlogError } from '@ladderlog/core';

export type Lane = 'read' | 'write';

export type QueueLimits = {
  /** Queries of this lane running at once. */
  readonly running: number;
  /** Queries of this lane waiting; one more is refused. */
  readonly waiting: number;
};

type Job = { readonly start: () => void };

export type QueueState = Readonly<Record<Lane, { readonly running: number; readonly waiting: number }>>;

export class QueryQueue {
  private readonly limits: Readonly<Record<Lane, QueueLimits>>;
  private readonly running: Record<Lane, number> = { read: 0, write: 0 };
  private readonly jobs: Record<Lane, Set<Job>> = { read: new Set(), write: new Set() };
  private readonly idle: (() => void)[] = [];
  private closed = false;

  constructor(limits: Readonly<Record<Lane, QueueLimits>>) {
    this.limits = limits;
  }

  state(): QueueState {
    return {
      read: { running: this.running.read, waiting: this.jobs.read.size },
      write: { running: this.running.write, waiting: this.jobs.write.size },
    };
  }

  /** Runs the task when its lane is free. `waitMs` bounds the wait, not the task. */
  async run<T>(lane: Lane, waitMs: number, task: () => Promise<T>): Promise<T> {
    await this.turn(lane, waitMs);
    try {
      return await task();
    } finally {
      this.running[lane]--;
      this.next(lane);
    }
  }

  /** Refuses new work, fails what waits, and resolves when what runs has ended. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.running.read + this.running.write > 0)
      await new Promise<void>((resolve) => {
        this.idle.push(resolve);
      });
  }

  private turn(lane: Lane, waitMs: number): Promise<void> {
    if (this.closed) return Promise.reject(closedError());
    if (this.running[lane] < this.limits[lane].running) {
      this.running[lane]++;
      return Promise.resolve();
    }
    const waiting = this.jobs[lane];
    if (waiting.size >= this.limits[lane].waiting)
      return Promise.reject(busy(lane, `${waiting.size} queries wait already`));
    return new Promise((resolve, reject) => {
      const job: Job = {
        start: () => {
          clearTimeout(timer);
          if (this.closed) reject(closedError());
          else {
            this.running[lane]++;
            resolve();
          }
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(job);
        reject(busy(lane, `no turn within ${waitMs} ms`));
      }, waitMs);
      waiting.add(job);
    });
  }

  private next(lane: Lane): void {
    const jobs = this.jobs[lane];
    for (const job of jobs) {
      if (!this.closed && this.running[lane] >= this.limits[lane].running) break;
      jobs.delete(job);
      job.start();
    }
    if (this.running.read + this.running.write === 0) for (const resolve of this.idle.splice(0)) resolve();
  }
}

const busy = (lane: Lane, why: string) =>
  new LadderlogError('STORE_BUSY', `the store is busy (${lane}): ${why}`, {
    retryable: true,
    details: { lane },
  });
const closedError = () => new LadderlogError('STORE_UNAVAILABLE', 'the store is closed');
