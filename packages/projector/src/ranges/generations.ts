// Builds of the tables beside each other. One is served; numbers are never used twice, because their tokens are spent.

import type { Projection } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { dropPartition, partitionsOfGeneration } from '@ladderlog/store';

import type { CursorStore } from './cursor.ts';

export type GenerationInfo = {
  readonly generation: number;
  readonly served: boolean;
  /** Was served once: complete, and fit for a rollback. */
  readonly complete: boolean;
  readonly rows: number;
};

type Places = {
  readonly store: Pick<Store, 'query' | 'exec' | 'generation' | 'database' | 'cluster'>;
  readonly cursors: CursorStore;
  readonly projections: readonly Projection[];
};

export async function listGenerations(places: Places): Promise<GenerationInfo[]> {
  const { store, projections, cursors } = places;
  const served = await store.generation();
  const complete = await onceServed(store);
  const rows = new Map<number, number>();
  for (const { table } of projections)
    for (const row of await store.query<{ generation: number; rows: number }>(
      `SELECT generation, count() AS rows FROM ${table} GROUP BY generation`,
      { name: 'generations', deadlineMs: 60_000 },
    ))
      rows.set(row.generation, (rows.get(row.generation) ?? 0) + row.rows);
  const live = new Set<number>();
  for (const generation of await cursors.generations())
    if ((await cursors.list(generation)).length > 0) live.add(generation);
  return [...new Set([served, ...rows.keys(), ...live])]
    .sort((a, b) => a - b)
    .map((generation) => ({
      generation,
      served: generation === served,
      complete: complete.has(generation),
      rows: rows.get(generation) ?? 0,
    }));
}

/** A number that no table, cursor or switch has ever had. */
export async function unusedGeneration(places: Places): Promise<number> {
  const used = [
    ...(await onceServed(places.store)),
    ...(await places.cursors.generations()),
    ...(await listGenerations(places)).map(({ generation }) => generation),
  ];
  return Math.max(0, ...used) + 1;
}

async function onceServed(store: Pick<Store, 'query'>): Promise<Set<number>> {
  const rows = await store.query<{ generation: number }>('SELECT generation FROM current_generation', {
    name: 'generations',
  });
  return new Set(rows.map(({ generation }) => generation));
}

/** Removes the rows of a generation that is not served. Writers of it are fenced first. */
export async function dropGeneration(places: Places, generation: number): Promise<void> {
  const { store, cursors, projections } = places;
  if ((await store.generation()) === generation)
    throw new LadderlogError('BAD_ARGUMENT', `generation ${generation} is served and cannot be dropped`);
  await cursors.drop(generation);
  const { database, cluster } = store;
  for (const { table } of projections) {
    const place = { database, cluster, table };
    const partitions = await store.query<{ id: string }>(partitionsOfGeneration(place, generation), {
      name: 'generations',
    });
    for (const { id } of partitions) await store.exec(dropPartition(place, id), { name: 'drop-generation' });
  }
}
