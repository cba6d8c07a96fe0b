// Who packs and applies retention: one process at a time. The lock is an exclusive SQLite transaction on a file beside the log;
// the operating system frees it with the process, also on SIGKILL. A recorder keeps it for its life, so whether it is held
// also tells a command that somebody records.

import { DatabaseSync } from 'node:sqlite';
import { createBeside } from './bell.ts';
import { isBusy } from './errors.ts';

/** How long a look at it holds. */
const LOOK_MS = 1_000;

export class UpkeepLock {
  private readonly db: DatabaseSync;
  private held = false;
  private heldElsewhere = false;
  private lookedAt = -Infinity;

  constructor(logPath: string) {
    const file = `${logPath}-upkeep`;
    createBeside(logPath, file);
    this.db = new DatabaseSync(file, { timeout: 0 });
  }

  /** False: another has it. */
  take(): boolean {
    if (this.held) return true;
    try {
      this.db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return (this.held = true);
    } catch (error) {
      if (!isBusy(error)) throw error;
      return false;
    }
  }

  release(): void {
    if (this.held) this.db.exec('ROLLBACK');
    this.held = false;
  }

  /** Looks at most once a second. */
  isElsewhere(): boolean {
    if (this.held) return false;
    const now = performance.now();
    if (now - this.lookedAt < LOOK_MS) return this.heldElsewhere;
    this.lookedAt = now;
    this.heldElsewhere = !this.take();
    this.release();
    return this.heldElsewhere;
  }

  close(): void {
    this.db.close();
  }
}
