// Group commit. Appends that arrive while one commit is under way share the next: one transaction, one wait for the disk,
// however many callers. Within a partition the order of records is the order of the append() calls.

import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock, LadderEvent, Position } from '@ladderlog/core';
import { keyOf, timeOf, topicOf } from '@ladderlog/core';
import { AvroWriter } from '../avro/avro-writer.ts';
import type { WritingCodec } from '../avro/codec.ts';
import { recordTooLarge } from '../errors.ts';
import { MAX_RECORD_BYTES } from '../log.ts';
import { BatchBuilder } from './batch-format.ts';
import { batchInserter, TARGET_BYTES, TARGET_RECORDS } from './batches.ts';
import { retryWhileBusy, toLogError } from './errors.ts';
import { transaction } from './file.ts';
import type { PartitionTable } from './partitions.ts';

/** Fast: an append waits for it. */
const APPEND_LEVEL = 1;
/** A group smaller than this may wait as long as the commit before took, so that commits never fill the event loop. */
const SMALL_GROUP = 32;
const SPARE_BUILDERS = 8;

type PendingBatch = { readonly partitionId: number; readonly builder: BatchBuilder };
type Waiter = {
  /** Per event: its batch and its place in it. */
  readonly places: readonly {
    readonly batch: PendingBatch;
    readonly index: number;
    readonly topic: string;
    readonly partition: number;
  }[];
  readonly resolve: (positions: Position[]) => void;
  readonly reject: (error: unknown) => void;
};
type Group = { readonly batches: Map<number, PendingBatch[]>; readonly waiters: Waiter[]; events: number };

const newGroup = (): Group => ({ batches: new Map(), waiters: [], events: 0 });

export type AppenderOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly codec: WritingCodec;
  readonly partitions: PartitionTable;
  readonly clock: Clock;
  readonly onCommitted: () => void;
};

export class Appender {
  private readonly options: AppenderOptions;
  private readonly scratch = new AvroWriter(64 * 1024);
  private readonly advance: StatementSync;
  private readonly insert: ReturnType<typeof batchInserter>;
  private group = newGroup();
  /** Builders of earlier groups: their buffers are as large as the appends need. */
  private readonly spare: BatchBuilder[] = [];
  private running: Promise<void> | null = null;
  private lastCommitMs = 0;
  private lastCommitAt = 0;

  constructor(options: AppenderOptions) {
    this.options = options;
    this.advance = options.db.prepare(
      'UPDATE partitions SET end_offset = end_offset + ? WHERE id = ? RETURNING end_offset',
    );
    this.insert = batchInserter(options.db);
  }

  append(events: readonly LadderEvent[]): Promise<Position[]> {
    if (events.length === 0) return Promise.resolve([]);
    let places: Waiter['places'];
    try {
      places = this.stage(events);
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.group.waiters.push({ places, resolve, reject });
      this.group.events += events.length;
      this.running ??= this.run();
    });
  }

  /** Resolves when everything appended so far is committed or refused. */
  async drain(): Promise<void> {
    while (this.running) await this.running;
  }

  /** Encodes all events before the first is taken into the group: an append is refused whole. */
  private stage(events: readonly LadderEvent[]): Waiter['places'] {
    const { codec, partitions } = this.options;
    const scratch = this.scratch;
    scratch.reset();
    const staged = events.map((event) => {
      const topic = topicOf(event);
      const key = keyOf(event);
      const partition = partitions.partitionOf(topic, key);
      const start = scratch.at;
      codec.write(scratch, event);
      const bytes = scratch.at - start;
      if (bytes > MAX_RECORD_BYTES) throw recordTooLarge(event.type, key, bytes);
      return { topic, partition, key, time: timeOf(event), start, end: scratch.at };
    });
    return staged.map(({ topic, partition, key, time, start, end }) => {
      const batch = this.batchFor(partitions.idOf(topic, partition), end - start);
      batch.builder.add(key, time, scratch.buffer.subarray(start, end));
      return { batch, index: batch.builder.count - 1, topic, partition };
    });
  }

  private batchFor(partitionId: number, bytes: number): PendingBatch {
    let batches = this.group.batches.get(partitionId);
    if (!batches) this.group.batches.set(partitionId, (batches = []));
    const open = batches.at(-1);
    if (open && open.builder.count < TARGET_RECORDS && open.builder.bytes + bytes <= TARGET_BYTES)
      return open;
    const batch = { partitionId, builder: this.spare.pop() ?? new BatchBuilder() };
    batches.push(batch);
    return batch;
  }

  private async run(): Promise<void> {
    // Callers of the same turn of the event loop belong together.
    await new Promise(setImmediate);
    while (this.group.waiters.length > 0) {
      const waitMs = this.lastCommitAt + this.lastCommitMs - performance.now();
      if (this.group.events < SMALL_GROUP && waitMs > 1) await sleep(waitMs);
      const group = this.group;
      this.group = newGroup();
      await this.commit(group);
    }
    this.running = null;
  }

  private async commit(group: Group): Promise<void> {
    const batches = [...group.batches.values()].flat();
    try {
      const bodies = batches.map((batch) => batch.builder.pack(APPEND_LEVEL));
      const firsts = await this.write(batches, bodies);
      this.options.onCommitted();
      for (const waiter of group.waiters)
        waiter.resolve(
          waiter.places.map(({ batch, index, topic, partition }) => ({
            topic,
            partition,
            offset: firsts.get(batch)! + index,
          })),
        );
    } catch (error) {
      const reason = toLogError(error, this.options.path);
      for (const waiter of group.waiters) waiter.reject(reason);
    }
    for (const { builder } of batches) {
      builder.clear();
      if (this.spare.length < SPARE_BUILDERS) this.spare.push(builder);
    }
  }

  private write(
    batches: readonly PendingBatch[],
    bodies: readonly Uint8Array[],
  ): Promise<Map<PendingBatch, number>> {
    const { db, clock } = this.options;
    return retryWhileBusy(() => {
      const started = performance.now();
      const firsts = transaction(db, () => {
        const appendedAt = clock();
        return new Map(
          batches.map((batch, index) => [batch, this.insertBatch(batch, bodies[index]!, appendedAt)]),
        );
      });
      this.lastCommitAt = performance.now();
      this.lastCommitMs = this.lastCommitAt - started;
      return firsts;
    });
  }

  private insertBatch(batch: PendingBatch, body: Uint8Array, appendedAt: number): number {
    const { builder, partitionId } = batch;
    const { end_offset: end } = this.advance.get(builder.count, partitionId) as { end_offset: number };
    const first = end - builder.count;
    const packed = builder.count >= TARGET_RECORDS / 2 || builder.bytes >= TARGET_BYTES / 2;
    this.insert({ partitionId, first, builder, appendedAt, packed, body });
    return first;
  }
}
