// One transaction for a group of appends: records become batches, one blob each, and one wait for the disk serves them all.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Micros } from '@ladderlog/core';
import { BatchBuilder } from './batch-format.ts';
import { batchInserter, TARGET_BYTES, TARGET_RECORDS } from './batches.ts';
import { bellOf, ring } from './bell.ts';
import { retryWhileBusy } from './errors.ts';
import { transaction } from './file.ts';
import type { FirstOffsets, StagedAppend } from './staging.ts';
import { FIELDS } from './staging.ts';

/** Fast: an append waits for it. */
const APPEND_LEVEL = 1;
const SPARE_BUILDERS = 8;
/** A transaction holds the file for as long as this takes to write, and then others have their turn. */
const GROUP_BYTES = 8 * 1024 * 1024;

type PendingBatch = { readonly partitionId: number; readonly builder: BatchBuilder };

/** Takes from the front what one transaction should write: at least one append. */
export function takeGroup<T extends { readonly staged: StagedAppend }>(queue: T[]): T[] {
  let bytes = 0;
  let count = 0;
  while (count < queue.length && bytes < GROUP_BYTES) bytes += queue[count++]!.staged.bytes;
  return queue.splice(0, count);
}

export class Committer {
  private readonly db: DatabaseSync;
  private readonly bell: string;
  private readonly advance: StatementSync;
  private readonly insert: ReturnType<typeof batchInserter>;
  /** Builders of earlier groups: their buffers are as large as the appends need. */
  private readonly spare: BatchBuilder[] = [];
  /** How long the newest commit took, and when it ended. */
  lastMs = 0;
  lastAt = 0;

  constructor(db: DatabaseSync, path: string) {
    this.db = db;
    this.bell = bellOf(path);
    this.advance = db.prepare(
      'UPDATE partitions SET end_offset = end_offset + ? WHERE id = ? RETURNING end_offset',
    );
    this.insert = batchInserter(db);
  }

  /** Durable when resolved; rejects with SQLite's error, and then nothing of the group was written. */
  async commit(appends: readonly StagedAppend[]): Promise<FirstOffsets[]> {
    const batches = this.batchesOf(appends);
    try {
      const bodies = batches.map(({ builder }) => builder.pack(APPEND_LEVEL));
      const appendedAt = appends.at(-1)!.appendedAt;
      const firsts = await retryWhileBusy(() => this.write(batches, bodies, appendedAt));
      ring(this.bell);
      return shares(appends, firsts);
    } finally {
      for (const { builder } of batches) {
        builder.clear();
        if (this.spare.length < SPARE_BUILDERS) this.spare.push(builder);
      }
    }
  }

  private batchesOf(appends: readonly StagedAppend[]): PendingBatch[] {
    const batches: PendingBatch[] = [];
    const open = new Map<number, BatchBuilder>();
    for (const { values, index, keys } of appends) {
      let start = 0;
      for (let at = 0; at < index.length; at += FIELDS) {
        const partitionId = index[at]!;
        const end = index[at + 2]!;
        let builder = open.get(partitionId);
        if (!builder || !hasRoom(builder, end - start)) {
          open.set(partitionId, (builder = this.spare.pop() ?? new BatchBuilder()));
          batches.push({ partitionId, builder });
        }
        builder.add(keys[index[at + 3]!]!, index[at + 1]!, values.subarray(start, end));
        start = end;
      }
    }
    return batches;
  }

  /** Ids of partitions with the first offset that the group has in each. */
  private write(
    batches: readonly PendingBatch[],
    bodies: readonly Uint8Array[],
    appendedAt: Micros,
  ): Map<number, number> {
    const started = performance.now();
    const firsts = transaction(this.db, () => {
      const found = new Map<number, number>();
      for (const [index, { partitionId, builder }] of batches.entries()) {
        const { end_offset: end } = this.advance.get(builder.count, partitionId) as { end_offset: number };
        const first = end - builder.count;
        const packed = builder.count >= TARGET_RECORDS / 2 || builder.bytes >= TARGET_BYTES / 2;
        this.insert({ partitionId, first, builder, appendedAt, packed, body: bodies[index]! });
        if (!found.has(partitionId)) found.set(partitionId, first);
      }
      return found;
    });
    this.lastAt = performance.now();
    this.lastMs = this.lastAt - started;
    return firsts;
  }
}

const hasRoom = (builder: BatchBuilder, bytes: number): boolean =>
  builder.count < TARGET_RECORDS && builder.bytes + bytes <= TARGET_BYTES;

/** Within a partition the records of a group lie one after another, in the order of its appends. */
function shares(appends: readonly StagedAppend[], firsts: Map<number, number>): FirstOffsets[] {
  return appends.map(({ index }) => {
    const counts = new Map<number, number>();
    for (let at = 0; at < index.length; at += FIELDS)
      counts.set(index[at]!, (counts.get(index[at]!) ?? 0) + 1);
    return [...counts].flatMap(([partitionId, count]) => {
      const first = firsts.get(partitionId)!;
      firsts.set(partitionId, first + count);
      return [partitionId, first];
    });
  });
}
