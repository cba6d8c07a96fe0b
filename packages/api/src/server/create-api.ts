// Puts the parts together: what createApi needs is passed in, what it starts it also ends.

import type { Express } from 'express';
import type { Clock, PlanTable, RateLimit } from '@ladderlog/core';
import { PLAN_TERMS, SILENT_MS, withoutNative } from '@ladderlog/core';
import type { Live } from '@ladderlog/live';
import type { EventLog } from '@ladderlog/log';
import type { OverviewRow, Store } from '@ladderlog/store';
import { overview } from '@ladderlog/store';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import { createCatalogue } from '../answers/catalogue.ts';
import type { Parts } from './context.ts';
import { loadContract } from '../contract/contract.ts';
import type { KeyRingReader } from '../access/key-ring.ts';
import { followKeys } from '../access/key-ring.ts';
import { createMemo, readRarely } from '../answers/memo.ts';
import type { ApiMetrics } from './metrics.ts';
import { createApiMetrics } from './metrics.ts';
import { createRateLimits } from '../access/rate-limit.ts';
import type { Revisions } from '../answers/revisions.ts';
import { createRevisions } from '../answers/revisions.ts';

export type ApiOptions = {
  readonly store: Store;
  readonly log: EventLog;
  /** The state of the markets, and the tail of the log. */
  readonly live: Live;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Signs cursors; the same on every instance, kept over restarts. At least 32 characters. */
  readonly cursorSecret: string;
  readonly version: string;
  /** More checks for /v3/health: 'ok', {ok: boolean, …} or what is wrong. */
  readonly health?: () => Promise<Readonly<Record<string, unknown>>>;
  /** Default: follows the control topic. */
  readonly keys?: KeyRingReader;
  readonly plans?: PlanTable;
  /** Requests without a valid key, per address. */
  readonly anonymousRates?: readonly RateLimit[];
  /** Share rate limits between instances. */
  readonly redisUrl?: string;
  /** Allowed origins; `*` for any. Default `*`. */
  readonly corsOrigins?: readonly string[];
  readonly trustProxy?: number;
  readonly validateResponses?: boolean;
  /** How long answers about a market and its coverage may be reused while the tables are behind the log. Default 500; 0 for never. */
  readonly memoMs?: number;
  /** A capture that gave no sign for so long counts as dead. Default a minute; more where beats are slower. */
  readonly silentMs?: number;
  readonly registry?: Registry;
};

export type Api = {
  readonly app: Express;
  readonly clock: Clock;
  readonly metrics: ApiMetrics;
  readonly keys: KeyRingReader;
  close(): Promise<void>;
};

const ANONYMOUS_RATES: readonly RateLimit[] = [{ requests: 50, seconds: 1 }];
/** A generation that was served stays in the tables, so a late notice of a switch does no harm. */
const GENERATION_TTL_MS = 500;

/** Listens to `live`, which must not follow the log before: what was not heard of is not known to be new. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { log, live, logger, clock } = options;
  const revisions = createRevisions({
    partitionOf: (topic, market) => log.partitionOf(topic, market),
    beganAt: (topic, partition) => live.began(topic, partition),
    projected: (topic, partition) => live.projected(topic, partition),
  });
  const stopListening = live.listen({
    onRecord: ({ position, record }) => revisions.onRecord(position, record),
  });
  const followed = options.keys ? null : await followKeys(log, logger);
  const keys = options.keys ?? followed!;
  const plans = options.plans ?? PLAN_TERMS;
  const limits = createRateLimits({
    plans,
    anonymous: options.anonymousRates ?? ANONYMOUS_RATES,
    logger,
    ...(options.redisUrl ? { redisUrl: options.redisUrl } : {}),
  });
  const metrics = createApiMetrics(options.registry, {
    latestMarkets: () => live.markets.size,
    activeKeys: () => keys.list().filter(({ revokedAt }) => revokedAt === null).length,
  });
  const app = createApp({
    parts: partsOf(options, plans, revisions),
    keys,
    limits,
    metrics,
    corsOrigins: options.corsOrigins ?? ['*'],
    trustProxy: options.trustProxy ?? 0,
  });
  return {
    app,
    clock,
    metrics,
    keys,
    async close() {
      stopListening();
      await Promise.all([followed?.close(), limits.close()]);
    },
  };
}

function partsOf(options: ApiOptions, plans: PlanTable, revisions: Revisions): Parts {
  const { store, live } = options;
  const memo = createMemo({ ttlMs: options.memoMs ?? 500 });
  const generationMemo = createMemo({
    ttlMs: Math.min(GENERATION_TTL_MS, options.memoMs ?? GENERATION_TTL_MS),
  });
  const generation = (): Promise<number> => generationMemo('generation', () => store.generation());
  return {
    ...options,
    plans,
    revisions,
    memo,
    generation,
    loadMarket: ({ venue, market, metadata, position }) =>
      memo(`latest\n${venue}\n${market}`, async () => {
        const known = metadata && position ? { event: withoutNative(metadata), position } : null;
        return live.load(await generation(), venue, market, known);
      }),
    catalogue: createCatalogue(store, generation, memo, revisions),
    contract: loadContract(),
    silent: (options.silentMs ?? SILENT_MS) * 1_000,
    health: () => memo('health', () => checkHealth(options)),
    overview: readRarely(async () =>
      store.query<OverviewRow>(overview({ generation: await generation() }), { name: 'api.overview' }),
    ),
    validateResponses: options.validateResponses ?? false,
  };
}

async function checkHealth(options: ApiOptions): Promise<Readonly<Record<string, unknown>>> {
  const store = await options.store.health().catch(() => null);
  const log = await options.log.topics().then(
    () => 'ok',
    () => 'unavailable',
  );
  return {
    store: store?.ok ? 'ok' : 'unavailable',
    log,
    ...(await options.health?.()),
  };
}
