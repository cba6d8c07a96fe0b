// Builds of the tables beside each other. One is served; numbers are never used twice, because their tokens are spent.

import { LadderlogError, fingerprintOf } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import {
  SERVED_GENERATIONS,
  dropPartition,
  partitionsOfGeneration,
  rowsPerGeneration,
} from '@ladderlog/store';

import type { Places } from '../ranges/places.ts';
import { switchTo } from './switches.ts';

export type GenerationInfo = {
  readonly generation: number;
  readonly served: boolean;
  /** Was served once: complete, and fit for a rollback. */
  readonly complete: boolean;
  readonly rows: number;
};

type Tables = Omit<Places, 'log'>;

export async function listGenerations(places: Tables): Promise<GenerationInfo[]> {
  const { store, projections, cursors } = places;
  const served = await store.generation();
  const complete = await onceServed(store);
  const rows = new Map<number, number>();
  for (const { table } of projections)
    for (const row of await store.query<{ generation: number; rows: number }>(rowsPerGeneration(table), {
      name: 'generations',
      deadlineMs: 60_000,
    }))
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
export async function unusedGeneration(places: Tables): Promise<number> {
  const used = [
    ...(await onceServed(places.store)),
    ...(await places.cursors.generations()),
    ...(await listGenerations(places)).map(({ generation }) => generation),
  ];
  return Math.max(0, ...used) + 1;
}

async function onceServed(store: Pick<Store, 'query'>): Promise<Set<number>> {
  const rows = await store.query<{ generation: number }>(SERVED_GENERATIONS, {
    name: 'generations',
  });
  return new Set(rows.map(({ generation }) => generation));
}

/** Removes the rows of a generation that is not served. Writers of it are fenced first. */
export async function dropGeneration(places: Tables, generation: number): Promise<void> {
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

/** Serves an older generation of this version again. It goes on from where its projector stopped. */
export async function rollback(options: Tables, to: number): Promise<void> {
  const known = await listGenerations(options);
  const target = known.find(({ generation }) => generation === to);
  if (!target?.complete)
    throw new LadderlogError('BAD_ARGUMENT', `there is no complete generation ${to}`, {
      details: { generations: known },
    });
  const fingerprint = fingerprintOf(options.projections);
  const other = (await options.cursors.list(to)).find((at) => at.fingerprint !== fingerprint);
  // This version would not go on with it, but build new tables at once.
  if (other)
    throw new LadderlogError(
      'PROJECTIONS_CHANGED',
      `generation ${to} was built by another version of Ladderlog (${other.fingerprint}, here ${fingerprint}): stop this one and run 'ladderlog rebuild --rollback ${to}' and 'ladderlog up' of that version`,
      { details: { generation: to } },
    );
  await switchTo(options.store, to, 'rollback');
}
