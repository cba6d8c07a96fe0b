// Collectors of the configured venues over one log: recover, then run until the signal aborts.

import { randomBytes } from 'node:crypto';

import type { CollectPlan, LadderEvent, Venue, VenueAdapter } from '@ladderlog/core';
import { MICROS_PER_MS, toIso } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';

import { Collector } from './collector.ts';
import type { CollectorStatus } from './collector-status.ts';
import type { Outbox, OutboxOptions } from './outbox.ts';
import { createOutbox } from './outbox.ts';
import { recoverEvidence } from './recover.ts';
import type { Clocks } from './session-clock.ts';
import { systemClocks } from './session-clock.ts';
import type { Shard } from './targets.ts';
import { inShard } from './targets.ts';
import type { StampStatus } from './stamp-watch.ts';
import { StampWatch } from './stamp-watch.ts';

export type CollectOptions = {
  readonly log: EventLog;
  readonly venues: readonly { readonly adapter: VenueAdapter; readonly plan: CollectPlan }[];
  /** Which share of the markets this collector takes; all unless told otherwise. */
  readonly shard?: Shard;
  readonly collector: string;
  readonly logger: Logger;
  readonly beatMs: number;
  readonly clocks?: Clocks;
  /** How late a stamp may be before what came meanwhile is in a gap. Default a second. */
  readonly stampLimitMs?: number;
  readonly clockJumpMs?: number;
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number };
  readonly patienceMs?: number;
  readonly outbox?: Pick<OutboxOptions, 'maxEvents' | 'maxBytes' | 'maxBatch' | 'maxDelayMs'>;
  readonly onAppended?: (events: readonly LadderEvent[], tookMs: number) => void;
};

export type Collecting = {
  /** Resolves when the signal aborted and all is durable; rejects when the log cannot be written for good. */
  readonly done: Promise<void>;
  status(): {
    readonly venues: readonly CollectorStatus[];
    readonly outbox: { readonly size: number; readonly blocked: boolean };
    readonly stamps: StampStatus;
  };
};

const STAMP_LIMIT_MS = 1_000;

export async function collect(options: CollectOptions, signal: AbortSignal): Promise<Collecting> {
  const stop = new AbortController();
  let fatal: unknown = null;
  const outbox = createOutbox({
    log: options.log,
    logger: options.logger,
    ...options.outbox,
    ...(options.onAppended ? { onAppended: options.onAppended } : {}),
    onFatal: (error) => {
      fatal = error;
      stop.abort();
    },
  });
  const ended = AbortSignal.any([signal, stop.signal]);
  const stamps = new StampWatch({
    limitMs: options.stampLimitMs ?? STAMP_LIMIT_MS,
    clocks: options.clocks ?? systemClocks,
    logger: options.logger,
  });
  stamps.start();
  const collectors: Collector[] = [];
  for (const venue of options.venues) collectors.push(await openCollector(venue, options, outbox, stamps));
  for (const collector of collectors) stamps.join(collector);
  const done = Promise.all(collectors.map((collector) => collector.run(ended)))
    .then(async () => {
      if (fatal !== null) throw fatal;
      await outbox.close();
    })
    .finally(() => stamps.stop());
  return {
    done,
    status: () => ({
      venues: collectors.map((collector) => collector.status()),
      outbox: { size: outbox.size, blocked: outbox.blocked },
      stamps: stamps.status(),
    }),
  };
}

async function openCollector(
  { adapter, plan }: CollectOptions['venues'][number],
  options: CollectOptions,
  outbox: Outbox,
  stamps: StampWatch,
): Promise<Collector> {
  const { clocks } = stamps;
  const { log, logger, beatMs, collector, shard = { index: 0, count: 1 } } = options;
  const { venue } = adapter;
  const restateMs = beatMs * 12;
  const found = await recoverEvidence(log, venue, restateMs * 4 * MICROS_PER_MS, clocks.wall());
  const evidence = found.filter(({ market }) => inShard(market, shard));
  if (evidence.length > 0)
    logger.info(
      { event: 'collector.recovered', venue, tracks: evidence.length },
      'watched when the log ended; in a gap since',
    );
  return new Collector({
    adapter,
    plan,
    shard,
    outbox,
    clocks,
    stamps,
    logger,
    collector,
    evidence,
    newSessionId: () => newSessionId(venue, collector, clocks),
    beatMs,
    restateMs,
    clockJumpMs: options.clockJumpMs ?? 5_000,
    backoff: options.backoff ?? { baseMs: 500, maxMs: 30_000 },
    patienceMs: options.patienceMs ?? 3_600_000,
  });
}

const newSessionId = (venue: Venue, collector: string, clocks: Clocks): string =>
  `${venue}-${collector}-${toIso(clocks.wall()).replaceAll(/[-:.]/g, '')}-${randomBytes(3).toString('hex')}`;
