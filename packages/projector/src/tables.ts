// What the projector asks of the tables themselves.

import type { Projection } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';

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
