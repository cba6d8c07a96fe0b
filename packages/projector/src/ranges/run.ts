// The projector: a member of a consumer group whose cursors, not the group, say where each partition goes on.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Projection } from '@ladderlog/core';
import { LadderlogError, VENUES, fingerprintOf, isLadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { createRowEncoder } from '@ladderlog/store';
import type { RowEncoder, Store } from '@ladderlog/store';
import type { Logger } from 'pino';

import { createRangeProjector } from './batch.ts';
import { checkClaim } from './claim-check.ts';
import type { CursorStore } from './cursor.ts';
import type { FailPoints } from './fail-points.ts';
import type { ProjectorLimits } from './limits.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { boundsOf, hasRecords } from '../rebuild/log-bounds.ts';
import { PartitionProjector } from './partition.ts';
import type { PartitionContext, RangeDone } from './partition.ts';
import { backoffMs } from './retry.ts';
import { Throughput } from './throughput.ts';

export type ProjectorOptions = {
  readonly log: EventLog;
  readonly store: Pick<Store, 'insertRowBinary' | 'query'>;
  readonly cursors: CursorStore;
  readonly projections: readonly Projection[];
  readonly generation: number;
  readonly logger: Logger;
  readonly limits?: Partial<ProjectorLimits>;
  /** Default: the venues' topics. */
  readonly topics?: readonly string[];
  readonly observer?: ProjectorObserver;
  readonly failPoints?: FailPoints;
};

type RetriedStep = 'consume' | 'cursor' | 'insert';

/** For counters and gauges; called synchronously. */
export type ProjectorObserver = {
  readonly onRange?: (done: RangeDone) => void;
  readonly onRetry?: (retry: { step: RetriedStep; code: string; attempts: number }) => void;
  readonly onFenced?: (partition: { topic: string; partition: number }) => void;
  readonly onLag?: (lag: { topic: string; partition: number; lag: number }) => void;
};

export type PartitionStatus = {
  readonly topic: string;
  readonly partition: number;
  readonly hwm: number;
  readonly end: number;
  /** Records of the log that are not in the tables yet. */
  readonly lag: number;
  readonly buffered: number;
  /** Observation time of the newest projected record, microseconds. */
  readonly lastTime: number | null;
};

export type ProjectorStatus = {
  readonly generation: number;
  readonly running: boolean;
  readonly partitions: readonly PartitionStatus[];
  readonly lag: number;
  readonly events: number;
  readonly rows: number;
  readonly poison: number;
  readonly rowsPerSecond: number;
  readonly retries: number;
  readonly fenced: number;
  /** Set while something fails; null again after the next success. */
  readonly lastError: { readonly code: string; readonly message: string; readonly attempts: number } | null;
};

export type Projector = {
  /** Until the signal aborts. Rejects with what cannot be survived by trying again. */
  run(signal: AbortSignal): Promise<void>;
  status(): ProjectorStatus;
  /** Resolves when all that is in the log now is in the tables. */
  caughtUp(signal?: AbortSignal): Promise<void>;
  /** Runs the work while this projector writes nothing; no range is half written then. */
  quiesced<T>(work: () => Promise<T>): Promise<T>;
};

const LAG_REFRESH_MS = 1_000;
/** Other processes project too; what this one does is noticed at once. */
const CAUGHT_UP_POLL_MS = 250;

export function createProjector(options: ProjectorOptions): Projector {
  const { log, store, cursors, projections, generation, logger, observer = {}, failPoints = {} } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const topics = options.topics ?? VENUES;
  const fingerprint = fingerprintOf(projections);
  const partitions = new Map<string, PartitionProjector>();
  const throughput = new Throughput();
  const counts = { events: 0, rows: 0, poison: 0, retries: 0, fenced: 0 };
  let lastError: ProjectorStatus['lastError'] = null;
  let running = false;
  let gate: Promise<unknown> = Promise.resolve();
  let advanced = Promise.withResolvers<void>();

  const context = (signal: AbortSignal, onFailure: (error: unknown) => void): PartitionContext => ({
    projections,
    encoders: projections.map(({ table }) => createRowEncoder(table, generation) as RowEncoder<never>),
    project: createRangeProjector(log.codec, projections),
    store,
    cursors,
    limits,
    failPoints,
    signal,
    onFailure,
    async hasRecords(topic, partition, first, end) {
      const found = await hasRecords(log, { topic, partition, first, end }, signal);
      if (!found)
        logger.warn(
          { event: 'projector.passed_over', topic, partition, first, end },
          'the log has no such records any more',
        );
      return found;
    },
    gate: () => gate,
    onDone(done) {
      const rows = Object.values(done.rows).reduce((sum, count) => sum + count, 0);
      counts.events += done.events;
      counts.rows += rows;
      counts.poison += done.poison;
      throughput.add(rows);
      lastError = null;
      advanced.resolve();
      advanced = Promise.withResolvers();
      logger.debug({ event: 'projector.range', generation, ...done }, 'projected a range');
      if (done.poison > 0)
        logger.warn({ event: 'projector.poison', generation, ...done }, 'records rejected');
      observer.onRange?.(done);
      // Only a hint for lag tools: the cursor decides.
      log
        .commit(groupOf(generation), [
          { topic: done.topic, partition: done.partition, offset: done.range.last + 1 },
        ])
        .catch((error: unknown) =>
          logger.debug({ event: 'projector.commit_failed', err: error }, 'no commit'),
        );
    },
    onRetry: (error, attempts, step, claim) => noteRetry(error, attempts, step, claim.key),
    onFenced(claim) {
      counts.fenced++;
      logger.warn({ event: 'projector.fenced', ...claim.key, epoch: claim.cursor.epoch }, 'fenced');
      observer.onFenced?.(claim.key);
    },
  });

  function noteRetry(error: unknown, attempts: number, step: RetriedStep, where: object): void {
    const code = error instanceof LadderlogError ? error.code : 'INTERNAL';
    const message = error instanceof Error ? error.message : String(error);
    counts.retries++;
    lastError = { code, message, attempts };
    logger.warn({ event: 'projector.retry', ...where, step, code, attempts, err: error }, 'trying again');
    observer.onRetry?.({ step, code, attempts });
  }

  async function run(outer: AbortSignal): Promise<void> {
    if (running) throw new LadderlogError('INTERNAL', 'the projector runs already');
    running = true;
    const over = new AbortController();
    const refresh = refreshLag(AbortSignal.any([outer, over.signal]));
    try {
      while (!outer.aborted) await project(outer).catch((error: unknown) => recover(error, outer));
    } finally {
      over.abort();
      await refresh;
      partitions.clear();
      running = false;
    }
  }

  /** As a member of the group, until the signal aborts or something fails. */
  async function project(outer: AbortSignal): Promise<void> {
    partitions.clear();
    let failure: unknown = null;
    const inner = new AbortController();
    const signal = AbortSignal.any([outer, inner.signal]);
    const partitionContext = context(signal, (error) => {
      failure ??= error;
      inner.abort(error);
    });
    try {
      await log.consume({
        group: groupOf(generation),
        topics,
        signal,
        onAssigned: (topic, partition) => assigned(topic, partition, partitionContext),
        async onBatch(batch, control) {
          const target = partitions.get(nameOf(batch.topic, batch.partition));
          if (!target || control.isStale()) return;
          try {
            await target.accept(batch);
          } catch (error) {
            // The other partitions need not go on with what they have gathered.
            partitionContext.onFailure(error);
            throw error;
          }
        },
        onRevoked(topic, partition) {
          partitions.get(nameOf(topic, partition))?.drop();
          partitions.delete(nameOf(topic, partition));
        },
      });
      if (!signal.aborted) throw new LadderlogError('LOG_CLOSED', 'the log stopped handing over events');
    } catch (error) {
      failure ??= error;
    } finally {
      inner.abort();
      await Promise.all([...partitions.values()].map((partition) => partition.settled()));
      for (const partition of partitions.values()) partition.drop();
    }
    if (failure !== null) throw failure;
  }

  /** What may pass, such as a full disk under the log, is waited out; the cursors know where to go on. */
  async function recover(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (!isLadderlogError(error) || !error.retryable) throw error;
    const attempts = (lastError?.attempts ?? 0) + 1;
    noteRetry(error, attempts, 'consume', { generation });
    await sleep(backoffMs(limits, attempts), undefined, { signal }).catch(() => undefined);
  }

  async function assigned(topic: string, partition: number, within: PartitionContext): Promise<number> {
    const { begin, end } = await boundsOf(log, topic, partition);
    const claim = await cursors.claim({ generation, topic, partition }, begin, fingerprint);
    await checkClaim({ store, projections, fingerprint }, claim, { begin, end });
    partitions.get(nameOf(topic, partition))?.drop();
    partitions.set(nameOf(topic, partition), new PartitionProjector(claim, end, within));
    const { epoch, hwm, pending } = claim.cursor;
    logger.info({ event: 'projector.assigned', ...claim.key, epoch, hwm, pending }, 'partition is ours');
    return Math.max(hwm + 1, begin);
  }

  /** Also while the store stands still, the lag grows visibly. */
  async function refreshLag(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for (const info of await log.topics())
          for (const { partition, end } of info.partitions) {
            const held = partitions.get(nameOf(info.topic, partition));
            if (held) held.end = Math.max(held.end, end);
          }
        for (const { topic, partition, lag } of status().partitions)
          observer.onLag?.({ topic, partition, lag });
        await sleep(LAG_REFRESH_MS, undefined, { signal, ref: false });
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ event: 'projector.lag_unknown', err: error }, 'the log does not say its end');
        await sleep(LAG_REFRESH_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  function status(): ProjectorStatus {
    const all = [...partitions.values()].map((held): PartitionStatus => {
      const { topic, partition } = held.claim.key;
      const lag = Math.max(0, held.end - held.hwm - 1);
      const { hwm, end, buffered, lastTime } = held;
      return { topic, partition, hwm, end, lag, buffered, lastTime };
    });
    return {
      generation,
      running,
      partitions: all,
      lag: all.reduce((sum, { lag }) => sum + lag, 0),
      ...counts,
      rowsPerSecond: throughput.perSecond(),
      lastError,
    };
  }

  async function caughtUp(signal?: AbortSignal): Promise<void> {
    const targets = (await log.topics())
      .filter(({ topic }) => topics.includes(topic))
      .flatMap(({ topic, partitions: infos }) =>
        infos
          .filter(({ begin, end }) => end > begin)
          .map(({ partition, end }) => ({ topic, partition, end })),
      );
    // The cursors know also of partitions that another process projects.
    for (;;) {
      const next = advanced.promise;
      const hwms = new Map(
        (await cursors.list(generation)).map((at) => [nameOf(at.topic, at.partition), at.hwm]),
      );
      if (targets.every((at) => (hwms.get(nameOf(at.topic, at.partition)) ?? -1) >= at.end - 1)) return;
      await Promise.race([next, sleep(CAUGHT_UP_POLL_MS, undefined, signal ? { signal } : {})]);
    }
  }

  async function quiesced<T>(work: () => Promise<T>): Promise<T> {
    const before = gate;
    const result = (async () => {
      await before;
      await Promise.all([...partitions.values()].map((partition) => partition.written()));
      return work();
    })();
    gate = result.catch(() => undefined);
    return result;
  }

  return { run, status, caughtUp, quiesced };
}

export const groupOf = (generation: number): string => `projector-g${generation}`;

const nameOf = (topic: string, partition: number): string => `${topic}/${partition}`;
