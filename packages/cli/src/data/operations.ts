// Every operation on the store, by name.

import { LadderlogError, VENUES, parseClientTime } from '@ladderlog/core';
import { positionsAt, positionsAtEnd, positionsFromBeginning } from '@ladderlog/log';
import {
  createFollower,
  dropGeneration,
  listGenerations,
  rebuild,
  rollback,
  verify,
} from '@ladderlog/projector';

import { backupTo } from './backup.ts';
import type { Context } from '../context.ts';
import { exportTables } from './export.ts';
import type { Operation } from './operation.ts';
import type { Runtime } from '../processes/runtime.ts';
import { PROJECTIONS } from '../processes/runtime.ts';

export const OPERATIONS = {
  async rebuild({ context, runtime, progress, signal }, args) {
    const { log, store, cursors } = runtime;
    const from = typeof args['from'] === 'string' ? await startOf(runtime, args['from']) : undefined;
    return rebuild({
      log,
      store,
      cursors,
      projections: PROJECTIONS,
      logger: context.logger,
      signal,
      ...(from ? { from } : {}),
      onProgress: ({ events, total, eventsPerSecond, phase }) =>
        progress(events, total, `${phase} ${Math.round(eventsPerSecond)} events/s`),
    });
  },
  async generations({ runtime }) {
    return listGenerations(tablesOf(runtime));
  },
  async rollback({ runtime }, args) {
    const places = tablesOf(runtime);
    const all = await listGenerations(places);
    const served = all.find((one) => one.served)!.generation;
    const earlier = all.filter(({ generation, complete }) => complete && generation < served);
    const to = typeof args['to'] === 'number' ? args['to'] : earlier.at(-1)?.generation;
    if (to === undefined)
      throw new LadderlogError(
        'BAD_ARGUMENT',
        `there is no generation before ${served}; 'ladderlog rebuild --list' shows those that exist`,
      );
    await rollback(places, to);
    return { generation: to };
  },
  async drop({ runtime }, args) {
    await dropGeneration(tablesOf(runtime), Number(args['generation']));
    return { dropped: Number(args['generation']) };
  },
  async verify({ context, runtime, progress, signal, follower }) {
    const { log, store, cursors } = runtime;
    // What a kill left open is finished first.
    if (!follower && runtime.embedded) await finishProjection(context, runtime, signal);
    return verify({
      log,
      store,
      cursors,
      projections: PROJECTIONS,
      generation: await store.generation(),
      signal,
      onProgress: ({ events, total }) => progress(events, total, 'events'),
      ...(follower ? { hold: (work) => follower.quiesced(work) } : {}),
    });
  },
  async export(work, args) {
    const { context, runtime, signal, follower } = work;
    // What is in the log and not yet in the tables would be missing without a word.
    if (follower) await follower.caughtUp(signal);
    else if (runtime.embedded) await finishProjection(context, runtime, signal);
    return exportTables(work, args);
  },
  backup: backupTo,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

const tablesOf = ({ store, cursors }: Runtime) => ({ store, cursors, projections: PROJECTIONS });

/** Nothing runs, and with the store in process nothing else can project. */
async function finishProjection(
  { logger }: Context,
  { log, store, cursors }: Runtime,
  signal: AbortSignal,
): Promise<void> {
  const follower = createFollower({ log, store, cursors, projections: PROJECTIONS, logger });
  const stop = new AbortController();
  const done = follower.run(AbortSignal.any([signal, stop.signal]));
  await Promise.race([follower.caughtUp(signal), done]);
  await follower.quiesced(async () => stop.abort());
  await done;
}

/** `--from`: a time, or an offset for every partition; a shorter one is copied whole. */
async function startOf(
  { log }: Runtime,
  text: string,
): Promise<{ topic: string; partition: number; offset: number }[]> {
  if (/^\d{1,9}$/.test(text)) {
    const begins = await positionsFromBeginning(log, VENUES);
    const ends = await positionsAtEnd(log, VENUES);
    return begins.map((begin, index) => ({
      ...begin,
      offset: Math.min(Math.max(begin.offset, Number(text)), ends[index]!.offset),
    }));
  }
  const at = parseClientTime(text);
  if (at === null)
    throw new LadderlogError('BAD_ARGUMENT', `--from is '${text}'; it must be an offset or an ISO 8601 time`);
  return [...(await positionsAt(log, VENUES, at))];
}
