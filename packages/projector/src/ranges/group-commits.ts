// The group's committed offsets, now and then: only a hint for tools that show lag, since the cursors decide.

import type { Position } from '@ladderlog/core';
import { partitionName } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';

const EVERY_MS = 5_000;

export class GroupCommits {
  private readonly log: Pick<EventLog, 'commit'>;
  private readonly group: string;
  private readonly logger: Logger;
  private readonly waiting = new Map<string, Position>();
  private timer: NodeJS.Timeout | null = null;

  constructor(log: Pick<EventLog, 'commit'>, group: string, logger: Logger) {
    this.log = log;
    this.group = group;
    this.logger = logger;
  }

  note(positions: readonly Position[]): void {
    for (const position of positions) this.waiting.set(partitionName(position), position);
    this.timer ??= setTimeout(() => void this.commit(), EVERY_MS).unref();
  }

  /** Commits what was noted. */
  async commit(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.waiting.size === 0) return;
    const positions = [...this.waiting.values()];
    this.waiting.clear();
    await this.log
      .commit(this.group, positions)
      .catch((error: unknown) =>
        this.logger.debug({ event: 'projector.commit_failed', err: error }, 'no commit'),
      );
  }
}
