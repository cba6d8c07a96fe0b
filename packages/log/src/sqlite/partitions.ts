// Topics and partitions of the file: decided when it was made, so they are read once.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { unknownTopic } from '../errors.ts';
import type { TopicInfo } from '../log.ts';
import { partitionFor } from '../partitioner.ts';

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
  private readonly places = new Map<number, { readonly topic: string; readonly partition: number }>();

  constructor(db: DatabaseSync) {
    this.all = db.prepare(`${ROW} ORDER BY id`);
    this.one = db.prepare(`${ROW} WHERE id = ?`);
    for (const { id, topic, partition } of this.rows()) {
      this.ids.set(topic, [...(this.ids.get(topic) ?? []), id]);
      this.places.set(id, { topic, partition });
    }
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
    if (!ids) throw unknownTopic(topic);
    return ids;
  }

  idOf(topic: string, partition: number): number {
    const id = this.idsOf(topic)[partition];
    if (id === undefined) throw unknownTopic(topic, partition);
    return id;
  }

  placeOf(id: number): { readonly topic: string; readonly partition: number } {
    return this.places.get(id)!;
  }

  infos(): TopicInfo[] {
    return [...Map.groupBy(this.rows(), (row) => row.topic)].map(([topic, rows]) => ({
      topic,
      partitions: rows.map(({ partition, begin, end }) => ({ partition, begin, end })),
    }));
  }

  partitionOf(topic: string, key: string): number {
    return partitionFor(key, this.idsOf(topic).length);
  }
}
