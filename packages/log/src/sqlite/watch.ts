// Who waits for something new in the file. Appends of this process wake them at once; those of other processes are noticed
// through SQLite's data_version, a counter in shared memory that costs microseconds to look at. Nobody waiting, nothing polled.

import type { DatabaseSync, StatementSync } from 'node:sqlite';

export class Watch {
  private readonly dataVersion: StatementSync;
  private readonly pollMs: number;
  private seen: number;
  private waiting = new Set<() => void>();
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(db: DatabaseSync, pollMs: number) {
    this.dataVersion = db.prepare('PRAGMA data_version');
    this.pollMs = pollMs;
    this.seen = this.version();
  }

  /** Resolves on the next change, on abort, or when the time is up; never rejects. */
  wait(signal: AbortSignal | undefined, timeoutMs?: number): Promise<void> {
    if (signal?.aborted || this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timeout = timeoutMs === undefined ? null : setTimeout(() => done(), timeoutMs);
      const done = (): void => {
        this.waiting.delete(done);
        if (timeout) clearTimeout(timeout);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      signal?.addEventListener('abort', done, { once: true });
      this.waiting.add(done);
      this.timer ??= setInterval(() => this.poll(), this.pollMs);
    });
  }

  /** Something was committed here. */
  notify(): void {
    for (const wake of this.waiting) wake();
  }

  close(): void {
    this.closed = true;
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    this.notify();
  }

  private poll(): void {
    if (this.waiting.size === 0) {
      if (this.timer) clearInterval(this.timer);
      this.timer = null;
      return;
    }
    try {
      const version = this.version();
      if (version === this.seen) return;
      this.seen = version;
    } catch {
      // Those who wait will look for themselves, and say what is wrong.
    }
    this.notify();
  }

  private version(): number {
    return (this.dataVersion.get() as { data_version: number }).data_version;
  }
}
