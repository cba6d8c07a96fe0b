// Where the rows of one generation lie, and how they go. The partition key of every table begins with the generation, so that
// dropping one is dropping partitions. On a cluster the table over all shards has no parts: its shards' own tables have.

import type { TableName } from '@ladderlog/core';
import { checkedName, quoteText } from './sql.ts';
import type { Query } from '../store.ts';

export type TablePlace = {
  readonly database: string;
  /** Null: one engine. */
  readonly cluster: string | null;
  readonly table: string;
};

/** Answers `generation`: every one that was ever served. */
export const SERVED_GENERATIONS = 'SELECT generation FROM current_generation';

/** Answers `generation`, the served one. */
export const CURRENT_GENERATION = 'SELECT generation FROM current_generation ORDER BY sequence DESC LIMIT 1';

/** One row, so atomic. */
export const switchToGeneration = (to: number, reason: string): string =>
  `INSERT INTO current_generation (sequence, generation, reason)
SELECT max(sequence) + 1, ${Math.trunc(to)}, ${quoteText(reason)} FROM current_generation`;

/** Answers `generation` and its `rows` in the table. */
export const rowsPerGeneration = (table: TableName): string =>
  `SELECT generation, count() AS rows FROM ${table} GROUP BY generation`;

/** Answers `id`: the partitions of the table, on any shard, that hold this generation. */
export const partitionsOfGeneration = (
  { database, cluster, table }: TablePlace,
  generation: number,
): Query => ({
  // A partition reads '7', or '(7,202611)'.
  sql: `SELECT DISTINCT partition_id AS id
        FROM ${cluster ? `clusterAllReplicas(${checkedName(cluster)}, system.parts)` : 'system.parts'}
        WHERE database = {database:String} AND table = {table:String} AND active
          AND toUInt32OrZero(extract(partition, '^\\\\(?(\\\\d+)')) = {generation:UInt32}
        ORDER BY id`,
  params: { database, table: localName({ cluster, table }), generation },
});

/** A shard without that partition has nothing to do. */
export const dropPartition = ({ database, cluster, table }: TablePlace, id: string): string => {
  const on = cluster ? ` ON CLUSTER ${checkedName(cluster)}` : '';
  const name = `${checkedName(database)}.${checkedName(localName({ cluster, table }))}`;
  return `ALTER TABLE ${name}${on} DROP PARTITION ID ${quoteText(id)}`;
};

const localName = ({ cluster, table }: Pick<TablePlace, 'cluster' | 'table'>): string =>
  cluster ? `${table}_local` : table;
