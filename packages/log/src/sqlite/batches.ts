// The rows of batches: what an append writes and what packing writes in place of several.

import type { DatabaseSync } from 'node:sqlite';
import type { Micros } from '@ladderlog/core';
import type { BatchBuilder } from './batch-format.ts';

/** A batch this large is written as packed: nothing is gained by packing it again. */
export const TARGET_RECORDS = 2_000;
export const TARGET_BYTES = 4 * 1024 * 1024;

export type NewBatch = {
  readonly partitionId: number;
  readonly first: number;
  readonly builder: BatchBuilder;
  readonly appendedAt: Micros;
  readonly packed: boolean;
  readonly body: Uint8Array;
};

export function batchInserter(db: DatabaseSync): (batch: NewBatch) => void {
  const insert = db.prepare(
    `INSERT INTO batches (partition_id, first_offset, last_offset, count, min_time, max_time, appended_at, raw_bytes,
       bytes, packed, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ partitionId, first, builder, appendedAt, packed, body }) => {
    const { count, minTime, maxTime, bytes } = builder;
    const last = first + count - 1;
    const place = [partitionId, first, last, count, minTime, maxTime];
    insert.run(...place, appendedAt, bytes, body.length, packed ? 1 : 0, body);
  };
}
