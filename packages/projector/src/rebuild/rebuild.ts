// The next generation beside the served one, from the log alone. The served tables are not touched, and one row switches: a
// kill at any step leaves the old tables or the new ones. Begun again, it goes on where it was.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Position, Projection } from '@ladderlog/core';
import { LadderlogError, VENUES, fingerprintOf, isLadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import type { Logger } from 'pino';

import { copyRowsBefore } from './copy-rows.ts';
import type { CursorStore } from '../ranges/cursor.ts';
import type { FailPoints } from '../ranges/fail-points.ts';
import { dropGeneration, listGenerations, unusedGeneration } from '../ranges/generations.ts';
import type { ProjectorLimits } from '../ranges/limits.ts';
import { createProjector } from '../ranges/projector.ts';
import type { Projector } from '../ranges/projector.ts';
import type { VerifyResult } from '../verify/verify.ts';
import { verify } from '../verify/verify.ts';

export const REBUILD_STEPS = ['chosen', 'copied', 'projected', 'verified', 'caughtUp', 'switched'] as const;
export type RebuildStep = (typeof REBUILD_STEPS)[number];

export type RebuildOptions = {
  readonly log: EventLog;
  readonly store: Store;
  readonly cursors: CursorStore;
  readonly projections: readonly Projection[];
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Where to begin, one position a partition; rows before are copied from the served generation. Default: the beginning. */
  readonly from?: readonly Position[];
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly limits?: Partial<ProjectorLimits>;
  readonly failPoints?: FailPoints;
  /** For tests: called after each step. */
  readonly onStep?: (step: RebuildStep) => void | Promise<void>;
};

export type RebuildProgress = {
  readonly phase: 'copying' | 'projecting' | 'verifying';
  readonly generation: number;
  readonly events: number;
  readonly total: number;
  readonly eventsPerSecond: number;
  readonly etaSeconds: number | null;
};

export type RebuildResult = {
  readonly generation: number;
  /** Still there: rollback() serves it again, dropGeneration() removes it. */
  readonly previous: number;
  readonly resumed: boolean;
  readonly verified: VerifyResult;
};

/** Large ranges: nobody waits for the newest row of a generation that is not served. */
const REBUILD_LIMITS: Partial<ProjectorLimits> = {
  maxRecords: 50_000,
  maxBytes: 32 * 1024 * 1024,
  maxWaitMs: 200,
};

const PROGRESS_MS = 500;

/** Stores that are being rebuilt here: a second rebuild would drop the generation of the first, or share it. */
const running = new WeakSet<Store>();

export async function rebuild(options: RebuildOptions): Promise<RebuildResult> {
  const { store } = options;
  if (running.has(store))
    throw new LadderlogError('REBUILD_RUNNING', 'a rebuild is running already: wait until it has ended', {
      retryable: true,
    });
  running.add(store);
  try {
    return await build(options);
  } finally {
    running.delete(store);
  }
}

async function build(options: RebuildOptions): Promise<RebuildResult> {
  const { log, store, cursors, projections, logger, onStep = () => undefined } = options;
  const previous = await store.generation();
  const { generation, resumed } = await chooseGeneration(options, previous);
  logger.info({ event: 'rebuild.begin', generation, previous, resumed }, 'rebuilding');
  await onStep('chosen');

  if (options.from && !resumed) {
    const fingerprint = fingerprintOf(projections);
    const built = (await cursors.list(previous)).find((at) => at.fingerprint !== fingerprint);
    if (built)
      throw new LadderlogError(
        'PROJECTIONS_CHANGED',
        `generation ${previous} was built by ${built.fingerprint}: rebuild from the beginning`,
      );
    options.onProgress?.({ ...IDLE, phase: 'copying', generation });
    const { from: before, signal } = options;
    await copyRowsBefore({ log, store, projections, source: previous, target: generation, before, signal });
    for (const { topic, partition, offset } of before)
      await cursors.claim({ generation, topic, partition }, offset, fingerprint);
    await onStep('copied');
  }

  const alive = createLiveness(cursors, generation);
  const projector = createProjector({
    log,
    store,
    cursors,
    projections,
    generation,
    logger,
    observer: alive.observer,
    limits: { ...REBUILD_LIMITS, ...options.limits },
    ...(options.failPoints ? { failPoints: options.failPoints } : {}),
  });
  await catchUp(options, projector, generation, alive);
  await onStep('projected');

  const began = performance.now();
  const verified = await verify({
    log,
    store,
    cursors,
    projections,
    generation,
    signal: options.signal,
    onProgress: ({ events, total }) =>
      options.onProgress?.({ phase: 'verifying', generation, ...rateOf(events, total, began) }),
  });
  if (!verified.ok)
    throw new LadderlogError('TABLES_DIFFER', `generation ${generation} is not the log: not switched`, {
      details: { generation, differences: verified.differences.slice(0, 10) },
    });
  await onStep('verified');

  // Verifying took a while: go on to the tail, so that the switch does not set readers back.
  await alive.cursors();
  await catchUp(options, projector, generation, alive);
  await onStep('caughtUp');
  options.signal.throwIfAborted();
  await store.switchGeneration(generation, 'rebuild');
  logger.info({ event: 'rebuild.switched', generation, previous }, 'the rebuilt tables are served');
  await onStep('switched');
  return { generation, previous, resumed, verified };
}

/** Serves an older generation of this version again. It goes on from where its projector stopped. */
export async function rollback(
  options: Pick<RebuildOptions, 'store' | 'cursors' | 'projections'>,
  to: number,
): Promise<void> {
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
  await options.store.switchGeneration(to, 'rollback');
}

async function chooseGeneration(
  options: RebuildOptions,
  served: number,
): Promise<{ generation: number; resumed: boolean }> {
  const { cursors, projections } = options;
  const fingerprint = fingerprintOf(projections);
  for (const { generation, complete } of (await listGenerations(options)).reverse()) {
    if (complete || generation === served) continue;
    const at = await cursors.list(generation);
    const same = at.length > 0 && at.every((cursor) => cursor.fingerprint === fingerprint);
    // A build that began elsewhere than asked for, by other projections, or whose cursors were not all made, is of no use.
    if (same && !options.from && (await isWhole(options, generation))) return { generation, resumed: true };
    await dropGeneration(options, generation);
  }
  return { generation: await unusedGeneration(options), resumed: false };
}

/**
 * Cursors and tables belong together: no table has rows of a partition without a cursor, which would be projected again, and
 * cursors that have moved have tables with rows. Those of a store that was removed have not.
 */
async function isWhole(options: RebuildOptions, generation: number): Promise<boolean> {
  const known = await options.cursors.list(generation);
  const places = new Set(known.map(({ topic, partition }) => `${topic}/${partition}`));
  let any = false;
  for (const { table } of options.projections) {
    const rows = await options.store.query<{ topic: string; partition: number }>(
      {
        sql: `SELECT DISTINCT topic, partition FROM ${table} WHERE generation = {generation:UInt32}`,
        params: { generation },
      },
      { name: 'rebuild', deadlineMs: 60_000 },
    );
    if (rows.some(({ topic, partition }) => !places.has(`${topic}/${partition}`))) return false;
    any ||= rows.length > 0;
  }
  return any || known.every(({ hwm }) => hwm < 0);
}

/** Whether the generation is still being built: one that was begun and has no cursors was dropped by another process. */
function createLiveness(cursors: CursorStore, generation: number) {
  let begun = false;
  const begin = (): void => {
    begun = true;
  };
  return {
    observer: { onRange: begin, onFenced: begin },
    async cursors(): ReturnType<CursorStore['list']> {
      const known = await cursors.list(generation);
      if (known.length > 0) begin();
      else if (begun)
        throw new LadderlogError(
          'PROJECTOR_FENCED',
          `generation ${generation} was dropped while it was built`,
        );
      return known;
    },
  };
}

type Liveness = ReturnType<typeof createLiveness>;

async function catchUp(
  options: RebuildOptions,
  projector: Projector,
  generation: number,
  alive: Liveness,
): Promise<void> {
  const { signal } = options;
  const done = new AbortController();
  const both = AbortSignal.any([signal, done.signal]);
  const projecting = projector.run(both);
  const watching = watch(options, generation, alive, both);
  try {
    await Promise.race([
      projector.caughtUp(both),
      // They end before that only by an error.
      Promise.race([projecting, watching]).then(() => {
        signal.throwIfAborted();
        throw new LadderlogError('INTERNAL', 'the projector stopped before the end of the log');
      }),
    ]);
    // The log may grow on: end between two ranges, since one that is half written is not the log.
    await Promise.race([projector.quiesced(async () => done.abort()), projecting]);
  } finally {
    done.abort();
    await Promise.allSettled([projecting, watching]);
  }
}

async function watch(
  options: RebuildOptions,
  generation: number,
  alive: Liveness,
  signal: AbortSignal,
): Promise<void> {
  const { onProgress, log, logger } = options;
  const began = performance.now();
  let first: number | null = null;
  while (!signal.aborted) {
    try {
      const hwms = new Map((await alive.cursors()).map((at) => [`${at.topic}/${at.partition}`, at.hwm]));
      let events = 0;
      let total = 0;
      for (const { topic, partitions } of await log.topics()) {
        if (!(VENUES as readonly string[]).includes(topic)) continue;
        for (const { partition, begin, end } of partitions) {
          total += end - begin;
          events += Math.max(0, (hwms.get(`${topic}/${partition}`) ?? begin - 1) + 1 - begin);
        }
      }
      first ??= events;
      const { eventsPerSecond } = rateOf(events - first, total, began);
      const etaSeconds = eventsPerSecond > 0 ? Math.ceil((total - events) / eventsPerSecond) : null;
      onProgress?.({ phase: 'projecting', generation, events, total, eventsPerSecond, etaSeconds });
    } catch (error) {
      if (isLadderlogError(error, 'PROJECTOR_FENCED')) throw error;
      logger.debug({ event: 'rebuild.progress_unknown', err: error }, 'no progress to report');
    }
    await sleep(PROGRESS_MS, undefined, { signal }).catch(() => undefined);
  }
}

function rateOf(events: number, total: number, began: number) {
  const eventsPerSecond = Math.round(events / Math.max(0.001, (performance.now() - began) / 1_000));
  const etaSeconds = eventsPerSecond > 0 ? Math.ceil((total - events) / eventsPerSecond) : null;
  return { events, total, eventsPerSecond, etaSeconds };
}

const IDLE = { events: 0, total: 0, eventsPerSecond: 0, etaSeconds: null } as const;
