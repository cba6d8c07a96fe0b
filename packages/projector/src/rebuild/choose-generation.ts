// Which generation a rebuild builds: one that an earlier rebuild left unfinished, if it can be gone on with, else a new one.

import { fingerprintOf, partitionName } from '@ladderlog/core';
import { partitionsWithRows } from '@ladderlog/store';

import type { Places } from '../ranges/places.ts';
import { dropGeneration, listGenerations, unusedGeneration } from './generations.ts';

export async function chooseGeneration(
  options: Places & { readonly from?: unknown },
  served: number,
): Promise<{ readonly generation: number; readonly resumed: boolean }> {
  const { cursors, projections } = options;
  const fingerprint = fingerprintOf(projections);
  for (const { generation, complete } of (await listGenerations(options)).reverse()) {
    if (complete || generation === served) continue;
    const at = await cursors.list(generation);
    const same = at.length > 0 && at.every((cursor) => cursor.fingerprint === fingerprint);
    // A build that began elsewhere than asked for, by other projections, or whose cursors were not all made, is of no use.
    if (same && !options.from && (await isWhole(options, generation))) return { generation, resumed: true };
    await dropGeneration(options, generation);
  }
  return { generation: await unusedGeneration(options), resumed: false };
}

/**
 * Cursors and tables belong together: no table has rows of a partition without a cursor, which would be projected again, and
 * cursors that have moved have tables with rows. Those of a store that was removed have not.
 */
async function isWhole({ store, cursors, projections }: Places, generation: number): Promise<boolean> {
  const known = await cursors.list(generation);
  const places = new Set(known.map(partitionName));
  let any = false;
  for (const { table } of projections) {
    const rows = await store.query<{ topic: string; partition: number }>(
      partitionsWithRows(table, generation),
      { name: 'rebuild', deadlineMs: 60_000 },
    );
    if (rows.some((row) => !places.has(partitionName(row)))) return false;
    any ||= rows.length > 0;
  }
  return any || known.every(({ hwm }) => hwm < 0);
}
