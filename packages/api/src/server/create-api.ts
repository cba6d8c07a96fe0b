// Puts the parts together: what createApi needs is passed in, what it starts it also ends.

import type { Express } from 'express';
import type { Clock, PlanTable, Position, RateLimit } from '@ladderlog/core';
import { PLAN_TERMS, SILENT_MS } from '@ladderlog/core';
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
import { createLatestMemory } from '../latest/latest.ts';
import { loadLatest, loadMarket } from '../latest/latest-load.ts';
import { createMemo, readRarely } from '../answers/memo.ts';
import type { ApiMetrics } from './metrics.ts';
import { createApiMetrics } from './metrics.ts';
import { createRateLimits } from '../access/rate-limit.ts';
import { createRevisions } from '../answers/revisions.ts';
import { followTail } from '../latest/tail.ts';

export type ApiOptions = {
  readonly store: Store;
  readonly log: EventLog;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Signs cursors; the same on every instance, kept over restarts. At least 32 characters. */
  readonly cursorSecret: string;
  readonly version: string;
  /** Next offset the tables lack, per partition of every venue topic. Without it, no ETags, and the log is read from its beginning at the start. */
  readonly projected?: () => Promise<readonly Position[]>;
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
  readonly latestMarkets?: number;
  /** Only books seen since then are loaded at the start; the others come from the store when asked for. Default 2 days. */
  readonly latestDays?: number;
  readonly registry?: Registry;
};

export type Api = {
  readonly app: Express;
  readonly clock: Clock;
  readonly metrics: ApiMetrics;
  readonly keys: KeyRingReader;
  /** Resolved when the newest books are those of the log's end at the start. */
  readonly caughtUp: Promise<void>;
  close(): Promise<void>;
};

const ANONYMOUS_RATES: readonly RateLimit[] = [{ requests: 50, seconds: 1 }];
const DAY = 86_400_000_000;
const PROJECTED_EVERY_MS = 500;
/** A generation that was served stays in the tables, so a late notice of a switch does no harm. */
const GENERATION_TTL_MS = 500;

export async function createApi(options: ApiOptions): Promise<Api> {
  const { store, log, logger, clock } = options;
  const memo = createMemo({ ttlMs: options.memoMs ?? 500 });
  const generationMemo = createMemo({
    ttlMs: Math.min(GENERATION_TTL_MS, options.memoMs ?? GENERATION_TTL_MS),
  });
  const generation = (): Promise<number> => generationMemo('generation', () => store.generation());

  const projected = await pollProjected(options);
  const latest = createLatestMemory({ maxMarkets: options.latestMarkets ?? 50_000 });
  const began = new Map(projected.all());
  await loadLatest(store, latest, {
    generation: await store.generation(),
    since: clock() - (options.latestDays ?? 2) * DAY,
    now: clock(),
  });
  const revisions = createRevisions({
    partitionOf: (topic, market) => log.partitionOf(topic, market),
    beganAt: (topic, partition) => began.get(`${topic}/${partition}`) ?? 0,
    projected: (topic, partition) => projected.next(topic, partition),
  });
  const tail = await followTail(
    log,
    (topic, partition) => began.get(`${topic}/${partition}`) ?? null,
    (record) => {
      latest.onRecord(record);
      revisions.onRecord(record, log.codec.typeOf(record.record.value));
    },
    logger,
  );
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
    latestMarkets: () => latest.size,
    activeKeys: () => keys.list().filter(({ revokedAt }) => revokedAt === null).length,
  });
  const parts: Parts = {
    store,
    log,
    latest,
    loadLatest: ({ venue, market, metadata }) =>
      memo(`latest\n${venue}\n${market}`, async () => {
        const partition = log.partitionOf(venue, market);
        // First the place in memory: from here on the tail fills it.
        const entry = latest.open(venue, market, tail.position(venue, partition));
        return loadMarket(store, entry, {
          generation: await generation(),
          now: clock(),
          of: { venue, market },
          identity: metadata,
          projected: projected.next(venue, partition),
        });
      }),
    catalogue: createCatalogue(store, generation, memo, revisions),
    revisions,
    contract: loadContract(),
    plans,
    clock,
    silent: (options.silentMs ?? SILENT_MS) * 1_000,
    logger,
    cursorSecret: options.cursorSecret,
    version: options.version,
    generation,
    health: () => memo('health', () => checkHealth(options)),
    overview: readRarely(async () =>
      store.query<OverviewRow>(overview({ generation: await generation() }), { name: 'api.overview' }),
    ),
    memo,
    validateResponses: options.validateResponses ?? false,
  };
  const app = createApp({
    parts,
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
    caughtUp: tail.caughtUp,
    async close() {
      projected.stop();
      await Promise.all([tail.close(), followed?.close(), limits.close()]);
    },
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

type Projected = {
  next(topic: string, partition: number): number | null;
  all(): [string, number][];
  stop(): void;
};

/** Keeps a recent answer at hand: an ETag must not wait for the store. An old answer is only too careful. */
async function pollProjected({ projected, logger }: ApiOptions): Promise<Projected> {
  const known = new Map<string, number>();
  const poll = async (): Promise<void> => {
    for (const { topic, partition, offset } of (await projected?.()) ?? [])
      known.set(`${topic}/${partition}`, offset);
  };
  await poll();
  let polling = false;
  const timer = projected
    ? setInterval(() => {
        if (polling) return;
        polling = true;
        poll()
          .catch((error: unknown) => {
            logger.debug({ event: 'api.projected_unknown', err: error }, 'projector positions not readable');
          })
          .finally(() => {
            polling = false;
          });
      }, PROJECTED_EVERY_MS).unref()
    : null;
  return {
    next: (topic, partition) => known.get(`${topic}/${partition}`) ?? null,
    all: () => [...known],
    stop: () => {
      if (timer) clearInterval(timer);
    },
  };
}
