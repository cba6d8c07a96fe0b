// Topics and partitions of the file: decided when it was made, so they are read once.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LadderlogError } from '@ladderlog/core';
import { partitionFor } from '../kafka/partitioner.ts';

export type PartitionRow = {
  readonly id: number;
  readonly topic: string;
  readonly partition: number;
  readonly begin: number;
  readonly end: number;
};

const ROW = 'SELECT id, topic, partition, begin_offset AS begin, end_offset AS "end" FROM partitions';

export class PartitionTable {
  private readonly all: StatementSync;
  private readonly one: StatementSync;
  private readonly ids = new Map<string, readonly number[]>();

  constructor(db: DatabaseSync) {
    this.all = db.prepare(`${ROW} ORDER BY id`);
    this.one = db.prepare(`${ROW} WHERE id = ?`);
    for (const row of this.rows()) this.ids.set(row.topic, [...(this.ids.get(row.topic) ?? []), row.id]);
  }

  topics(): string[] {
    return [...this.ids.keys()];
  }

  rows(): PartitionRow[] {
    return this.all.all() as unknown as PartitionRow[];
  }

  row(id: number): PartitionRow {
    return this.one.get(id) as unknown as PartitionRow;
  }

  /** Ids of a topic's partitions, in order. */
  idsOf(topic: string): readonly number[] {
    const ids = this.ids.get(topic);
    if (!ids) throw new LadderlogError('LOG_UNKNOWN_TOPIC', `no topic "${topic}"`, { details: { topic } });
    return ids;
  }

  idOf(topic: string, partition: number): number {
    const id = this.idsOf(topic)[partition];
    if (id === undefined)
      throw new LadderlogError('LOG_UNKNOWN_TOPIC', `topic "${topic}" has no partition ${partition}`, {
        details: { topic, partition },
      });
    return id;
  }

  partitionOf(topic: string, key: string): number {
    return partitionFor(key, this.idsOf(topic).length);
  }
}
