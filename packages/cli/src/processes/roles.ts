// The roles of Ladderlog as things that start and end: collect, project, serve. `up` runs all in one process; in scaled mode
// each is a process of its own on the same engines.

import { setTimeout as sleep } from 'node:timers/promises';

import type { ApiServer } from '@ladderlog/api';
import { createApi, serveApi } from '@ladderlog/api';
import type { Collecting } from '@ladderlog/collectors';
import { collect } from '@ladderlog/collectors';
import { LadderlogError, isLadderlogError, silentMs } from '@ladderlog/core';
import { Feed } from '@ladderlog/feed';
import type { Live } from '@ladderlog/live';
import { openLive } from '@ladderlog/live';
import type { EventLog } from '@ladderlog/log';
import type { CursorStore, Follower } from '@ladderlog/projector';
import { createFollower, rebuild } from '@ladderlog/projector';
import type { Simulators } from '@ladderlog/simulators';
import type { Store } from '@ladderlog/store';

import { lockCapture } from '../data/capture-lock.ts';
import type { Context } from '../context.ts';
import { cursorSecret } from '../data/data-directory.ts';
import type { Config } from '../settings/config.ts';
import { feedObserver } from './feed.ts';
import { projectorCheck, venueChecks } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { Runtime } from './runtime.ts';
import { PROJECTIONS, projectedPositions } from './runtime.ts';
import { planVenues } from './venues.ts';
import { VERSION } from '../version.ts';

/** A running role. `done` settles when it ended, by its signal or by a failure. */
export type Role = { readonly done: Promise<void> };

export async function startCollect(
  context: Context,
  log: EventLog,
  simulators: Simulators | null,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<Role & { readonly collecting: Collecting; readonly leftOut: readonly string[] }> {
  const { config, logger } = context;
  const { venues, leftOut } = planVenues(config, simulators);
  if (venues.length === 0)
    throw new LadderlogError(
      'BAD_CONFIG',
      `there is no venue to record: ${leftOut.length > 0 ? leftOut.join('; ') : '--venues is none'}`,
    );
  for (const reason of leftOut) logger.warn({ event: 'venue.left_out' }, reason);
  // Processes on Kafka may be on any machine; there the shares are the operator's to part.
  const unlock = config.kafkaBrokers
    ? () => undefined
    : lockCapture(
        config.data,
        venues.map(({ adapter }) => adapter.venue),
        config.shard,
      );
  try {
    const collecting = await collect(
      {
        log,
        venues,
        shard: config.shard,
        collector: config.collectorId,
        logger,
        beatMs: config.beatSeconds * 1_000,
        onAppended: (events, tookMs) => metrics.appended(events, tookMs),
      },
      signal,
    );
    metrics.watchCollectors(() => collecting.status());
    return { done: collecting.done.finally(unlock), collecting, leftOut };
  } catch (error) {
    unlock();
    throw error;
  }
}

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
  input?: EventLog['consume'],
): Role & { readonly follower: Follower } {
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

/** The state of the markets, for `startServe`, which begins to follow the log. */
export const startLive = ({ config, logger }: Context, { log, store, cursors }: Runtime): Promise<Live> =>
  openLive({
    store,
    log,
    logger,
    clock,
    silentMs: silentMs(config.beatSeconds),
    projected: () => projectedPositions(store, cursors),
  });

const clock = (): number => Date.now() * 1_000;

export async function startServe(
  context: Context,
  { directory, log, store, cursors }: Runtime,
  live: Live,
  metrics: Metrics,
  /** Venues that this process records. */
  recorded: () => readonly string[],
): Promise<ApiServer> {
  const { config, logger } = context;
  const api = await createApi({
    store,
    log,
    logger,
    clock,
    live,
    // One limit: latest books, coverage, health and the feed say the same of a collector that is gone.
    silentMs: silentMs(config.beatSeconds),
    cursorSecret: cursorSecret(directory, config.cursorSecret),
    version: VERSION,
    health: async () => ({
      ...(await projectorCheck(log, store, cursors)),
      ...venueChecks(live.statuses, recorded()),
    }),
    registry: metrics.registry,
    ...apiSettings(config),
  });
  const observer = feedObserver(metrics.registry);
  const feed = new Feed({ log, logger, clock, live, keys: api.keys, observer });
  live.follow();
  const server = await serveApi(api, { host: config.host, port: config.port, logger }).catch(
    async (error: unknown) => {
      await feed.close();
      await api.close();
      throw error;
    },
  );
  server.server.on('upgrade', (request, socket, head) => feed.handleUpgrade(request, socket, head));
  return {
    ...server,
    async close() {
      await feed.close();
      await server.close();
    },
  };
}

const apiSettings = ({ corsOrigin, trustProxy, validateResponses, redisUrl }: Config) => ({
  corsOrigins: corsOrigin === 'none' ? [] : corsOrigin.split(',').map((origin) => origin.trim()),
  trustProxy,
  validateResponses,
  ...(redisUrl === null ? {} : { redisUrl }),
});
