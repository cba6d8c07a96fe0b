// Removes what a topic need not keep: from the beginning of a partition, a whole batch at a time.

import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Micros } from '@ladderlog/core';
import type { Logger } from 'pino';
import { transaction } from './file.ts';
import type { PartitionRow } from './partitions.ts';

/** What is older, or beyond the size, is removed. Age counts from the append. Bytes are as stored. */
export type Retention = { readonly maxAgeMicros?: Micros; readonly maxBytes?: number };

/** Batches removed at once; the next pass goes on. */
const REMOVE_LIMIT = 1_000;

type OldBatch = { readonly last: number; readonly bytes: number; readonly appendedAt: Micros };

export class Retainer {
  private readonly db: DatabaseSync;
  private readonly clock: Clock;
  private readonly rules: Readonly<Record<string, Retention>>;
  private readonly logger: Logger | undefined;
  private readonly sql: ReturnType<typeof statements>;

  constructor(
    db: DatabaseSync,
    clock: Clock,
    rules: Readonly<Record<string, Retention>>,
    logger: Logger | undefined,
  ) {
    this.db = db;
    this.clock = clock;
    this.rules = rules;
    this.logger = logger;
    this.sql = statements(db);
  }

  retain({ id, topic, partition }: PartitionRow): void {
    const rule = this.rules[topic];
    const last = rule ? this.lastToRemove(id, rule) : null;
    if (last === null) return;
    transaction(this.db, () => {
      this.sql.removeUpTo.run(id, last);
      this.sql.setBegin.run(last + 1, id);
    });
    this.logger?.info(
      { event: 'log.retained', topic, partition, begin: last + 1 },
      'old records were removed, as the retention of the topic says',
    );
  }

  private lastToRemove(partitionId: number, { maxAgeMicros, maxBytes }: Retention): number | null {
    const oldest = maxAgeMicros === undefined ? -Infinity : this.clock() - maxAgeMicros;
    let excess = maxBytes === undefined ? 0 : this.bytesOf(partitionId) - maxBytes;
    let last: number | null = null;
    for (const batch of this.sql.oldest.iterate(partitionId, REMOVE_LIMIT) as Iterable<OldBatch>) {
      if (batch.appendedAt >= oldest && excess <= 0) break;
      last = batch.last;
      excess -= batch.bytes;
    }
    return last;
  }

  private bytesOf(partitionId: number): number {
    return (this.sql.size.get(partitionId) as { bytes: number }).bytes;
  }
}

const statements = (db: DatabaseSync) => ({
  removeUpTo: db.prepare('DELETE FROM batches WHERE partition_id = ? AND last_offset <= ?'),
  setBegin: db.prepare('UPDATE partitions SET begin_offset = ? WHERE id = ?'),
  size: db.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM batches WHERE partition_id = ?'),
  oldest: db.prepare(
    `SELECT last_offset AS last, bytes, appended_at AS appendedAt FROM batches INDEXED BY batches_by_offset
     WHERE partition_id = ? ORDER BY last_offset LIMIT ?`,
  ),
});
