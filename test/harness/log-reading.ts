// Reading a log in tests: everything at once, the first batch, and a group member that can be awaited.

import type { LadderEvent, Position } from '@ladderlog/core';
import { TOPICS } from '@ladderlog/core';
import type { EventLog, LogBatch } from '@ladderlog/log';
import { positionsFromBeginning, readEvents } from '@ladderlog/log';

export type ReadBack = {
  readonly position: Position;
  readonly time: number;
  readonly key: string;
  readonly event: LadderEvent;
};

/** All events of the topics; fails on the first that cannot be read. */
export async function readAll(log: EventLog, topics: readonly string[] = TOPICS): Promise<ReadBack[]> {
  const all: ReadBack[] = [];
  for await (const batch of readEvents(log, { from: await positionsFromBeginning(log, topics) }))
    for (const one of batch) {
      if (one.error) throw one.error;
      all.push({ position: one.position, time: one.time, key: one.key, event: one.event });
    }
  return all;
}

export async function firstBatch(batches: AsyncIterable<LogBatch>): Promise<LogBatch | undefined> {
  for await (const batch of batches) return batch;
  return undefined;
}

/** A member of a group that remembers what it was given. */
export class Consumer {
  readonly assigned = new Set<number>();
  readonly revoked: number[] = [];
  lastControl: { isStale(): boolean } | null = null;
  private readonly seen: number[] = [];
  private readonly abort = new AbortController();
  private readonly done: Promise<void>;
  private failure: unknown = null;
  private waiting: (() => void)[] = [];

  constructor(
    log: EventLog,
    options: { group: string; topics: readonly string[]; commit?: boolean; from?: () => number | null },
  ) {
    this.done = log
      .consume({
        group: options.group,
        topics: options.topics,
        signal: this.abort.signal,
        onAssigned: async (_topic, partition) => {
          this.assigned.add(partition);
          this.changed();
          return options.from?.() ?? null;
        },
        onBatch: async (batch, control) => {
          this.lastControl = control;
          for (const record of batch.records) {
            const decoded = log.codec.decode(record.value);
            if (!decoded.ok) throw decoded.error;
            this.seen.push((decoded.event as { ordinal: number }).ordinal);
          }
          if (options.commit)
            await log.commit(options.group, [
              { topic: batch.topic, partition: batch.partition, offset: batch.records.at(-1)!.offset + 1 },
            ]);
          this.changed();
        },
        onRevoked: (_topic, partition) => {
          this.assigned.delete(partition);
          this.revoked.push(partition);
          this.changed();
        },
      })
      .catch((error: unknown) => {
        this.failure = error;
        this.changed();
      });
  }

  /** Sorted. */
  ordinals(): number[] {
    return this.seen.toSorted((a, b) => a - b);
  }

  async saw(count: number): Promise<void> {
    await this.until(() => this.seen.length >= count);
  }

  async owns(partitions: number): Promise<void> {
    await this.until(() => this.assigned.size === partitions);
  }

  static async sawTogether(consumers: readonly Consumer[], count: number): Promise<void> {
    const total = (): number => consumers.reduce((sum, consumer) => sum + consumer.seen.length, 0);
    while (total() < count) await Promise.race(consumers.map((consumer) => consumer.change()));
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.done;
    if (this.failure) throw this.failure;
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.change();
  }

  private change(): Promise<void> {
    if (this.failure) throw this.failure;
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  private changed(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
