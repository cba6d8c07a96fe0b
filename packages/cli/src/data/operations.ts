// Work on the store that must run where the store is open: inside a running `ladderlog up`, or in the command itself when
// nothing runs. Arguments and results are plain JSON, since they may cross the control socket.

import { LadderlogError, parseClientTime } from '@ladderlog/core';
import { positionsAt, positionsAtEnd, positionsFromBeginning } from '@ladderlog/log';
import type { Follower } from '@ladderlog/projector';
import {
  createFollower,
  dropGeneration,
  listGenerations,
  rebuild,
  rollback,
  verify,
} from '@ladderlog/projector';
import { VENUES } from '@ladderlog/core';

import { backupTo } from './backup.ts';
import type { Context } from '../context.ts';
import { exportTables } from './export.ts';
import type { Runtime } from '../processes/runtime.ts';
import { PROJECTIONS } from '../processes/runtime.ts';

export type Arguments = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;
export type OnProgress = (done: number, total: number, note: string) => void;
export type Operation = (
  context: Context,
  runtime: Runtime,
  args: Arguments,
  progress: OnProgress,
  signal: AbortSignal,
  follower: Follower | null,
) => Promise<unknown>;

export const OPERATIONS = {
  async rebuild(context, runtime, args, progress, signal) {
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
  async generations(_context, { store, cursors }) {
    return listGenerations({ store, cursors, projections: PROJECTIONS });
  },
  async rollback(_context, { store, cursors }, args) {
    const places = { store, cursors, projections: PROJECTIONS };
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
  async drop(_context, { store, cursors }, args) {
    await dropGeneration({ store, cursors, projections: PROJECTIONS }, Number(args['generation']));
    return { dropped: Number(args['generation']) };
  },
  async verify(context, runtime, _args, progress, signal, follower) {
    const { log, store, cursors } = runtime;
    // What a kill left open is finished first.
    if (!follower && runtime.chdb) await finishProjection(context, runtime, signal);
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
  async export(context, runtime, args, progress, signal, follower) {
    // What is in the log and not yet in the tables would be missing without a word.
    if (follower) await follower.caughtUp(signal);
    else if (runtime.chdb) await finishProjection(context, runtime, signal);
    return exportTables(context, runtime, args, progress, signal, follower);
  },
  backup: backupTo,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

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
