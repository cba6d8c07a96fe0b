// The role that builds the tables from the log. In `up` it is part of the service, in scaled mode `ladderlog project`.

import { setTimeout as sleep } from 'node:timers/promises';

import { isLadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { CursorStore, Follower, ProjectorInput } from '@ladderlog/projector';
import { createFollower, rebuild } from '@ladderlog/projector';
import type { Store } from '@ladderlog/store';

import type { Context } from '../context.ts';
import type { Metrics } from './metrics.ts';
import type { Runtime } from './runtime.ts';
import { PROJECTIONS } from './runtime.ts';

/** How long an ending projector may take to catch up, and then to finish the range it is in. */
const CATCH_UP_MS = 2_000;
const FINISH_MS = 5_000;

/** Projects into whichever generation is served. Ends between two ranges, so that `verify` finds nothing half done. */
export function startProject(
  context: Context,
  { log, store, cursors }: Runtime,
  metrics: Metrics,
  signal: AbortSignal,
  /** Default: the log itself, shared with other projectors. */
  input?: ProjectorInput,
): { readonly done: Promise<void>; readonly follower: Follower } {
  const follower = createFollower({
    log,
    store,
    cursors,
    projections: PROJECTIONS,
    logger: context.logger,
    observer: metrics.projectorObserver,
    ...(input ? { input } : {}),
  });
  metrics.watchProjector(() => follower.status());
  const stop = new AbortController();
  const done = runRebuilding(context, { log, store, cursors }, follower, stop.signal);
  const over = done.catch(() => undefined);
  const end = async (): Promise<void> => {
    await Promise.race([follower.caughtUp(AbortSignal.timeout(CATCH_UP_MS)).catch(() => undefined), over]);
    const between = follower.quiesced(async () => stop.abort()).catch(() => undefined);
    await Promise.race([between, over, sleep(FINISH_MS, undefined, { ref: false })]);
    stop.abort();
  };
  if (signal.aborted) void end();
  else signal.addEventListener('abort', () => void end(), { once: true });
  return { done, follower };
}

/** Tables made by another version, or lost: they are built anew from the log, once, and then followed. */
async function runRebuilding(
  { logger }: Context,
  places: { readonly log: EventLog; readonly store: Store; readonly cursors: CursorStore },
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  try {
    await follower.run(signal);
  } catch (error) {
    if (!isLadderlogError(error, 'PROJECTIONS_CHANGED') && !isLadderlogError(error, 'TABLES_FOREIGN'))
      throw error;
    logger.warn(
      { event: 'project.rebuilding' },
      'the tables are not what this version makes of the log: building them anew; what is there is served meanwhile',
    );
    let reported = 0;
    const build = () =>
      rebuild({
        ...places,
        projections: PROJECTIONS,
        logger,
        signal,
        onProgress: ({ phase, events, total, etaSeconds }) => {
          if (performance.now() - reported < 5_000) return;
          reported = performance.now();
          logger.info(
            { event: 'project.rebuild_progress', phase, events, total, eta_seconds: etaSeconds },
            `${phase} ${events} of ${total} events`,
          );
        },
      });
    const { generation } = await whenFree(build, signal);
    logger.info({ event: 'project.rebuilt', generation }, 'the new tables are served');
    await follower.run(signal);
  }
}

/** A command may have begun a rebuild first; it must not end this process. */
async function whenFree<T>(build: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await build();
    } catch (error) {
      if (!isLadderlogError(error, 'REBUILD_RUNNING')) throw error;
      await sleep(1_000, undefined, { signal });
    }
  }
}
