// Packing and retention in the background, and pages given back to the disk: by whoever has the lock for it.

import type { StatementSync } from 'node:sqlite';
import { Packer } from './packing.ts';
import type { PartitionTable } from './partitions.ts';
import type { RetentionOptions } from './retention.ts';
import { Retainer } from './retention.ts';
import type { UpkeepLock } from './upkeep-lock.ts';

const RETAIN_EVERY = 16;
const FREE_PAGES = 1_024;

export type UpkeepOptions = RetentionOptions & {
  readonly partitions: PartitionTable;
  readonly everyMs: number;
  readonly lock: UpkeepLock;
  /** A recorder keeps the lock; others have it for a pass. */
  readonly keepsLock: boolean;
};

export class Upkeep {
  private readonly options: UpkeepOptions;
  private readonly packer: Packer;
  private readonly retainer: Retainer;
  private readonly freePages: StatementSync;
  private readonly timer: NodeJS.Timeout | null;
  private running: Promise<void> | null = null;
  private closed = false;
  private passes = 0;

  constructor(options: UpkeepOptions) {
    const { db, retention, logger, everyMs, partitions } = options;
    this.options = options;
    // Refuses a topic that does not exist.
    for (const topic of Object.keys(retention)) partitions.idsOf(topic);
    this.packer = new Packer({ db, logger, isClosed: () => this.closed });
    this.retainer = new Retainer(options);
    this.freePages = db.prepare('PRAGMA freelist_count');
    this.timer = everyMs > 0 ? setInterval(() => void this.due(), everyMs) : null;
    this.timer?.unref();
  }

  /** Does nothing while another process does it. */
  run(retain = true): Promise<void> {
    return (this.running ??= this.alone(retain).finally(() => {
      this.running = null;
    }));
  }

  private async alone(retain: boolean): Promise<void> {
    const { lock, keepsLock } = this.options;
    if (!lock.take()) return;
    try {
      await this.pass(retain);
    } finally {
      if (!keepsLock) lock.release();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearInterval(this.timer);
    await this.running?.catch(() => undefined);
  }

  private async due(): Promise<void> {
    try {
      // Sizes and ages change slowly, and looking at them reads every batch's row.
      await this.run(this.passes++ % RETAIN_EVERY === 0);
    } catch (error) {
      // A busy file or a full disk: packing is never urgent.
      this.options.logger?.warn(
        { event: 'log.upkeep_failed', err: error },
        'packing or retention will be tried again',
      );
    }
  }

  private async pass(retain: boolean): Promise<void> {
    const failures: unknown[] = [];
    for (const partition of this.options.partitions.rows()) {
      if (this.closed) return;
      try {
        await this.packer.pack(partition);
        if (retain && !this.closed) this.retainer.retain(partition);
      } catch (error) {
        // Damage in one partition must not hold up the others.
        failures.push(error);
      }
    }
    if (!this.closed) this.shrinkFile();
    if (failures.length > 0) throw failures[0];
  }

  /** Pages freed by packing are used again; only a pile of them (after an import) goes back to the disk, a piece at a time. */
  private shrinkFile(): void {
    const { freelist_count: free } = this.freePages.get() as { freelist_count: number };
    if (free > FREE_PAGES) this.options.db.exec(`PRAGMA incremental_vacuum(${FREE_PAGES / 2})`);
  }
}
