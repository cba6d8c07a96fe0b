// What the projector asks of the tables themselves.

import type { Projection } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';

import type { CursorKey, OffsetRange } from './cursor.ts';

/** Whether any table has a row of this generation (of this partition). */
export async function hasRows(
  store: Pick<Store, 'query'>,
  projections: readonly Projection[],
  generation: number,
  of: { readonly topic: string; readonly partition: number } | null,
): Promise<boolean> {
  const where = of ? 'AND topic = {topic:String} AND partition = {partition:UInt16}' : '';
  for (const { table } of projections) {
    const rows = await store.query(
      {
        sql: `SELECT 1 FROM ${table} WHERE generation = {generation:UInt32} ${where} LIMIT 1`,
        params: { generation, ...(of ? { topic: of.topic, partition: of.partition } : {}) },
      },
      { name: 'has-rows', deadlineMs: 60_000 },
    );
    if (rows.length > 0) return true;
  }
  return false;
}

/** Which offsets of a range a table of one row an event has. */
export async function offsetsIn(
  store: Pick<Store, 'query'>,
  table: string,
  key: CursorKey,
  range: OffsetRange,
): Promise<Set<number>> {
  const rows = await store.query<{ offset: number }>(
    {
      sql: `SELECT offset FROM ${table}
            WHERE generation = {generation:UInt32} AND topic = {topic:String} AND partition = {partition:UInt16}
              AND offset BETWEEN {first:UInt64} AND {last:UInt64}`,
      params: { ...key, ...range },
    },
    { name: 'offsets-in', deadlineMs: 60_000 },
  );
  return new Set(rows.map(({ offset }) => offset));
}
