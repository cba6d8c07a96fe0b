// Removes what a topic need not keep: from the beginning of a partition, a whole batch at a time.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock, Micros } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';
import type { UpkeepLogger } from './upkeep-logger.ts';
import { transaction } from './file.ts';
import type { PartitionRow } from './partitions.ts';

/** Milliseconds from the append for which records are kept, by topic; of a topic not named, for ever. */
export type Retention = Readonly<Record<string, number>>;

export type RetentionOptions = {
  readonly db: DatabaseSync;
  readonly clock: Clock;
  readonly retention: Retention;
  readonly logger: UpkeepLogger | undefined;
};

/** Batches removed at once; the next pass goes on. */
const REMOVE_LIMIT = 1_000;

export class Retainer {
  private readonly options: RetentionOptions;
  private readonly oldest: StatementSync;
  private readonly removeUpTo: StatementSync;
  private readonly setBegin: StatementSync;

  constructor(options: RetentionOptions) {
    this.options = options;
    this.oldest = options.db.prepare(
      `SELECT last_offset AS last, appended_at AS appendedAt FROM batches INDEXED BY batches_by_offset
       WHERE partition_id = ? ORDER BY last_offset LIMIT ${REMOVE_LIMIT}`,
    );
    this.removeUpTo = options.db.prepare('DELETE FROM batches WHERE partition_id = ? AND last_offset <= ?');
    this.setBegin = options.db.prepare('UPDATE partitions SET begin_offset = ? WHERE id = ?');
  }

  retain({ id, topic, partition }: PartitionRow): void {
    const { db, clock, retention, logger } = this.options;
    const keepMs = retention[topic];
    if (keepMs === undefined) return;
    const before = clock() - keepMs * MICROS_PER_MS;
    let last: number | null = null;
    for (const batch of this.oldest.iterate(id) as Iterable<{ last: number; appendedAt: Micros }>) {
      if (batch.appendedAt >= before) break;
      last = batch.last;
    }
    if (last === null) return;
    const [end, begin] = [last, last + 1];
    transaction(db, () => {
      this.removeUpTo.run(id, end);
      this.setBegin.run(begin, id);
    });
    logger?.info(
      { event: 'log.retained', topic, partition, begin },
      'old records were removed, as the retention of the topic says',
    );
  }
}
