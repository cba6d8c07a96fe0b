// A bounded queue in front of an engine that answers few queries at a time. Full or late is STORE_BUSY, never a pile-up.

import { LadderlogError } from '@ladderlog/core';

export type QueueLimits = {
  /** Queries running at once. */
  readonly running: number;
  /** Queries waiting; one more is refused. */
  readonly waiting: number;
};

export class QueryQueue {
  running = 0;
  private readonly name: string;
  private readonly limits: QueueLimits;
  /** Each begins the query that waits, or fails it when the queue is closed. */
  private readonly jobs = new Set<() => void>();
  private readonly idle = Promise.withResolvers<void>();
  private closed = false;

  constructor(name: string, limits: QueueLimits) {
    this.name = name;
    this.limits = limits;
  }

  get waiting(): number {
    return this.jobs.size;
  }

  /** Runs the task when it is its turn. `waitMs` and `signal` bound the wait, not the task. */
  async run<T>(waitMs: number, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.turn(waitMs, signal);
    try {
      return await task();
    } finally {
      this.running--;
      this.next();
    }
  }

  /** Refuses new work, fails what waits, and resolves when what runs has ended. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.running > 0) await this.idle.promise;
  }

  private async turn(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.closed) throw closedError();
    if (signal?.aborted) throw this.busy(UNWANTED);
    if (this.running < this.limits.running) {
      this.running++;
      return;
    }
    if (this.jobs.size >= this.limits.waiting) throw this.busy(`${this.jobs.size} queries wait already`);
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        stopWaiting();
        if (this.closed) return reject(closedError());
        this.running++;
        resolve();
      };
      const giveUp = (why: string): void => {
        stopWaiting();
        this.jobs.delete(start);
        reject(this.busy(why));
      };
      const unwanted = (): void => giveUp(UNWANTED);
      const timer = setTimeout(() => giveUp(`no turn within ${waitMs} ms`), waitMs);
      signal?.addEventListener('abort', unwanted, { once: true });
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', unwanted);
      };
      this.jobs.add(start);
    });
  }

  private next(): void {
    for (const start of this.jobs) {
      if (!this.closed && this.running >= this.limits.running) break;
      this.jobs.delete(start);
      start();
    }
    if (this.closed && this.running === 0) this.idle.resolve();
  }

  private busy(why: string): LadderlogError {
    const details = { lane: this.name };
    return new LadderlogError('STORE_BUSY', `the store is busy (${this.name}): ${why}`, {
      retryable: true,
      details,
    });
  }
}

const UNWANTED = 'nobody wants the answer any more';

const closedError = () => new LadderlogError('STORE_UNAVAILABLE', 'the store is closed');
