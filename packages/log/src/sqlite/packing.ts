// Packing replaces a run of small batches by one over the same offsets, in one transaction: a reader sees the old ones or the
// new one. Reading and compressing happen outside of it, in short turns.

import type { DatabaseSync } from 'node:sqlite';
import type { Micros } from '@ladderlog/core';
import type { UpkeepLogger } from './upkeep-logger.ts';
import { BatchBuilder, unpack } from './batch-format.ts';
import { batchInserter, TARGET_BYTES, TARGET_RECORDS } from './batches.ts';
import { isBusy, isCorrupt } from './errors.ts';
import { transaction } from './file.ts';
import type { PartitionRow } from './partitions.ts';

/** A real ladder takes 17 bytes at level 6 and 20 at levels 1 to 3; higher ones gain nothing. Off the event loop. */
const PACK_LEVEL = 6;
/** Longest turn on the event loop. */
const TURN_MS = 5;
/** Batches looked at in one pass of a partition. */
const LOOK_LIMIT = 4_096;

/** A batch that is not packed yet. */
type SmallBatch = {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly rawBytes: number;
  readonly appendedAt: Micros;
};
/** Consecutive small batches; one that is full will not grow any more. */
type Run = { readonly batches: readonly SmallBatch[]; readonly full: boolean };

export type PackerOptions = {
  readonly db: DatabaseSync;
  readonly logger: UpkeepLogger | undefined;
  readonly isClosed: () => boolean;
};

export class Packer {
  private readonly options: PackerOptions;
  private readonly sql: ReturnType<typeof statements>;
  private readonly insert: ReturnType<typeof batchInserter>;
  /** Per partition, the offset up to which everything is packed: no need to look there again. */
  private readonly packedUpTo = new Map<number, number>();
  /** Batches whose row cannot even be marked. */
  private readonly damaged = new Set<number>();

  constructor(options: PackerOptions) {
    this.options = options;
    this.sql = statements(options.db);
    this.insert = batchInserter(options.db);
  }

  async pack(partition: PartitionRow): Promise<void> {
    const from = this.packedUpTo.get(partition.id) ?? partition.begin;
    const found = this.sql.small.all(partition.id, from, LOOK_LIMIT) as unknown as SmallBatch[];
    const small = found.filter((batch) => !this.damaged.has(batch.id));
    this.packedUpTo.set(partition.id, small[0]?.first ?? partition.end);
    for (const { batches, full } of runsOf(small)) {
      if (this.options.isClosed()) return;
      if (batches.length < 2) continue;
      if (full || this.isFollowed(partition.id, batches)) await this.packRun(partition, batches);
    }
  }

  /** A run behind which a packed batch lies will never grow: it is packed as it is. */
  private isFollowed(partitionId: number, run: readonly SmallBatch[]): boolean {
    const next = this.sql.next.get(partitionId, run.at(-1)!.last) as { packed: number } | undefined;
    return next?.packed === 1;
  }

  private async packRun(partition: PartitionRow, run: readonly SmallBatch[]): Promise<void> {
    const builder = new BatchBuilder();
    let turn = performance.now();
    for (const batch of run) {
      const body = this.bodyOf(batch);
      if (body === 'gone') return;
      if (body === 'damaged' || !addTo(builder, batch, body)) return this.setAside(partition, batch);
      if (performance.now() - turn > TURN_MS) {
        await new Promise(setImmediate);
        if (this.options.isClosed()) return;
        turn = performance.now();
      }
    }
    const body = await builder.packAside(PACK_LEVEL);
    if (this.options.isClosed() || !this.replace(partition, run, builder, body)) return;
    this.options.logger?.debug(
      {
        event: 'log.packed',
        topic: partition.topic,
        partition: partition.partition,
        batches: run.length,
        records: builder.count,
        bytes: body.length,
      },
      'small batches packed into one',
    );
  }

  /** Gone: another process packed it meanwhile. Damaged: a page of it is. */
  private bodyOf(batch: SmallBatch): Uint8Array | 'gone' | 'damaged' {
    try {
      return (this.sql.body.get(batch.id) as { body: Uint8Array } | undefined)?.body ?? 'gone';
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return 'damaged';
    }
  }

  /** A damaged batch stays as it is, for whoever wants to look; it is not tried again. */
  private setAside({ topic, partition }: PartitionRow, { id, first, last }: SmallBatch): void {
    try {
      this.sql.markPacked.run(id);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.damaged.add(id);
    }
    this.options.logger?.error(
      { event: 'log.corrupt', topic, partition, first, last },
      'a damaged batch was left out of packing',
    );
  }

  /** False when another process was faster, or holds the file: the next pass looks again. */
  private replace(
    { id: partitionId }: PartitionRow,
    run: readonly SmallBatch[],
    builder: BatchBuilder,
    body: Uint8Array,
  ): boolean {
    const [first, last] = [run[0]!, run.at(-1)!];
    const appendedAt = run.reduce((newest, batch) => Math.max(newest, batch.appendedAt), 0);
    try {
      transaction(this.options.db, () => {
        const { changes } = this.sql.remove.run(partitionId, first.last, last.last);
        if (Number(changes) !== run.length) throw new PackedElsewhere();
        this.insert({ partitionId, first: first.first, builder, appendedAt, packed: true, body });
      });
      return true;
    } catch (error) {
      if (isBusy(error) || error instanceof PackedElsewhere) return false;
      throw error;
    }
  }
}

class PackedElsewhere extends Error {}

function addTo(builder: BatchBuilder, batch: SmallBatch, body: Uint8Array): boolean {
  try {
    const records = unpack(body, batch.rawBytes);
    if (records.length !== batch.count || records.some((record) => !record.whole)) return false;
    for (const record of records) builder.add(record.key, record.time, record.value);
    return true;
  } catch {
    return false;
  }
}

/** Cut at the target size. A run before a hole in the offsets will never grow: it is as good as full. */
function runsOf(small: readonly SmallBatch[]): Run[] {
  const runs: Run[] = [];
  let batches: SmallBatch[] = [];
  let records = 0;
  let bytes = 0;
  const cut = (full: boolean): void => {
    if (batches.length > 0) runs.push({ batches, full });
    batches = [];
    records = 0;
    bytes = 0;
  };
  for (const batch of small) {
    if (batches.length > 0 && batch.first !== batches.at(-1)!.last + 1) cut(true);
    batches.push(batch);
    records += batch.count;
    bytes += batch.rawBytes;
    if (records >= TARGET_RECORDS || bytes >= TARGET_BYTES) cut(true);
  }
  cut(small.length >= LOOK_LIMIT);
  return runs;
}

const statements = (db: DatabaseSync) => ({
  small: db.prepare(
    `SELECT id, first_offset AS first, last_offset AS last, count, raw_bytes AS rawBytes, appended_at AS appendedAt
     FROM batches INDEXED BY batches_by_offset
     WHERE partition_id = ? AND last_offset >= ? AND packed = 0 ORDER BY last_offset LIMIT ?`,
  ),
  next: db.prepare(
    `SELECT packed FROM batches INDEXED BY batches_by_offset
     WHERE partition_id = ? AND last_offset > ? ORDER BY last_offset LIMIT 1`,
  ),
  body: db.prepare('SELECT body FROM batches WHERE id = ?'),
  markPacked: db.prepare('UPDATE batches SET packed = 1 WHERE id = ?'),
  remove: db.prepare(
    'DELETE FROM batches WHERE partition_id = ? AND last_offset BETWEEN ? AND ? AND packed = 0',
  ),
});
