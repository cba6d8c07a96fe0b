// Rows by their place in the log: what the projector, a rebuild and an export ask of any table.

import type { Position, TableName } from '@ladderlog/core';
import { quoteText } from './sql.ts';
import type { Query } from '../store.ts';

export type PartitionKey = {
  readonly generation: number;
  readonly topic: string;
  readonly partition: number;
};

const OF_GENERATION = 'generation = {generation:UInt32}';
export const OF_PARTITION = `${OF_GENERATION} AND topic = {topic:String} AND partition = {partition:UInt16}`;

/** Answers a row, if the table has any of this generation (or of this partition of it). */
export const anyRow = (table: TableName, of: PartitionKey | { readonly generation: number }): Query => ({
  sql: `SELECT 1 FROM ${table} WHERE ${'topic' in of ? OF_PARTITION : OF_GENERATION} LIMIT 1`,
  params: { ...of },
});

/** Answers `topic`, `partition`: what the table has rows of. */
export const partitionsWithRows = (table: TableName, generation: number): Query => ({
  sql: `SELECT DISTINCT topic, partition FROM ${table} WHERE ${OF_GENERATION}`,
  params: { generation },
});

/** Answers `offset`: which of the range (both inclusive) a table of one row an event has. */
export const offsetsWithRows = (
  table: TableName,
  of: PartitionKey,
  range: { readonly first: number; readonly last: number },
): Query => ({
  sql: `SELECT offset FROM ${table} WHERE ${OF_PARTITION} AND offset BETWEEN {first:UInt64} AND {last:UInt64}`,
  params: { ...of, ...range },
});

/** Rows of the log before these positions, one a partition, exclusive; of another partition none. `of`: `b.`, or nothing. */
export const rowsBefore = (positions: readonly Position[], of = ''): string =>
  positions.length === 0
    ? 'false'
    : `(${positions
        .map(
          ({ topic, partition, offset }) =>
            `(${of}topic = ${quoteText(topic)} AND ${of}partition = ${Math.trunc(partition)} AND ${of}offset < ${Math.trunc(offset)})`,
        )
        .join(' OR ')})`;
