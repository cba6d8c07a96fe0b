// The role that answers: API and live feed from the tables and the tail of the log. In `up` it is part of the service, in scaled
// mode `ladderlog serve`.

import type { ApiServer } from '@ladderlog/api';
import { createApi, serveApi } from '@ladderlog/api';
import { silentMs } from '@ladderlog/core';
import { Feed } from '@ladderlog/feed';
import type { Live } from '@ladderlog/live';
import { openLive } from '@ladderlog/live';

import type { Context } from '../context.ts';
import { cursorSecret } from '../data/data-directory.ts';
import type { Config } from '../settings/config.ts';
import { feedObserver } from './feed.ts';
import type { Checks } from './health.ts';
import { projectorCheck, venueChecks } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { Runtime } from './runtime.ts';
import { projectedPositions } from './runtime.ts';
import { VERSION } from '../version.ts';

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

/** What is known of the recorder of the same `up`, beside what it writes into the log. */
export type RecorderSeen = {
  /** Those it records. */
  venues(): readonly string[];
  checks(): Checks;
};

const NO_RECORDER: RecorderSeen = { venues: () => [], checks: () => ({}) };

export async function startServe(
  context: Context,
  { directory, log, store, cursors }: Runtime,
  live: Live,
  metrics: Metrics,
  port: number,
  recorder: RecorderSeen = NO_RECORDER,
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
      ...venueChecks(live.statuses, recorder.venues()),
      ...recorder.checks(),
    }),
    registry: metrics.registry,
    ...apiSettings(config),
  });
  const observer = feedObserver(metrics.registry);
  const feed = new Feed({ log, logger, clock, live, keys: api.keys, observer });
  live.follow();
  const server = await serveApi(api, { host: config.host, port, logger }).catch(async (error: unknown) => {
    await feed.close();
    await api.close();
    throw error;
  });
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
