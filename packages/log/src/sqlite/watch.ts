// Who waits for something new in a file. Commits of this process wake them at once; those of others ring the bell, and
// SQLite's data_version, a counter in shared memory, says whether there is anything new. Should the bell be lost, a look once
// a second finds it; where the bell is never heard, looks come often. Nobody waiting, nothing looked at.

import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { bellOf, hangBell } from './bell.ts';

const SLOW_MS = 1_000;
/** So many changes in a row that no bell told of, and it is taken for one that cannot be heard here. */
const UNHEARD_LIMIT = 3;

export type WatchOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  /** How often to look where the bell cannot be heard. */
  readonly pollMs: number;
};

export class Watch {
  private readonly options: WatchOptions;
  private readonly dataVersion: StatementSync;
  private seen: number;
  private waiting = new Set<() => void>();
  private bell: FSWatcher | null = null;
  private timer: NodeJS.Timeout | null = null;
  /** It rang while nobody waited. */
  private rung = false;
  /** Changes in a row that were found without the bell. */
  private unheard = 0;
  private closed = false;
  /** Grows with every change: what somebody saw before it looked tells whether it may wait. */
  changes = 0;

  constructor(options: WatchOptions) {
    this.options = options;
    this.dataVersion = options.db.prepare('PRAGMA data_version');
    this.seen = this.version();
  }

  /**
   * Resolves on the next change, on abort, or when the time is up; never rejects. `since`: what `changes` was before the
   * caller looked; a change after that ends the wait at once.
   */
  wait(signal: AbortSignal | undefined, since: number, timeoutMs?: number): Promise<void> {
    if (signal?.aborted || this.closed) return Promise.resolve();
    if (this.bell === null || this.rung) {
      this.listen();
      this.look();
    }
    if (this.changes !== since) return Promise.resolve();
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
      this.timer ??= setInterval(() => this.poll(), this.everyMs());
    });
  }

  /** Something was committed here. */
  notify(): void {
    this.changes++;
    for (const wake of this.waiting) wake();
  }

  close(): void {
    this.closed = true;
    this.stopTimer();
    this.stopListening();
    this.notify();
  }

  private everyMs(): number {
    return this.unheard < UNHEARD_LIMIT ? SLOW_MS : this.options.pollMs;
  }

  private listen(): void {
    if (this.bell || this.unheard >= UNHEARD_LIMIT) return;
    const { path } = this.options;
    try {
      hangBell(path);
      this.bell = watch(bellOf(path), { persistent: false });
      this.bell.on('change', () => this.ring());
      this.bell.on('error', () => this.deaf());
    } catch {
      this.deaf();
    }
  }

  private ring(): void {
    this.unheard = 0;
    if (this.waiting.size === 0) this.rung = true;
    else this.look();
  }

  /** No bell on this file system, or too many are watched: looked at often instead. */
  private deaf(): void {
    this.stopListening();
    this.unheard = UNHEARD_LIMIT;
    this.stopTimer();
    if (this.waiting.size > 0) this.timer = setInterval(() => this.poll(), this.everyMs());
  }

  private poll(): void {
    if (this.waiting.size === 0) return this.stopTimer();
    if (!this.look() || this.unheard >= UNHEARD_LIMIT) return;
    // Perhaps it was deleted, or made anew by another.
    this.stopListening();
    if (++this.unheard >= UNHEARD_LIMIT) this.deaf();
    else this.listen();
  }

  /** Whether there is something new; those who wait are told. */
  private look(): boolean {
    this.rung = false;
    try {
      const version = this.version();
      if (version === this.seen) return false;
      this.seen = version;
    } catch {
      // Those who wait will look for themselves, and say what is wrong.
    }
    this.notify();
    return true;
  }

  private stopTimer(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private stopListening(): void {
    this.bell?.close();
    this.bell = null;
  }

  private version(): number {
    return (this.dataVersion.get() as { data_version: number }).data_version;
  }
}
