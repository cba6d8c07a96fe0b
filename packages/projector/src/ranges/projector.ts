// The projector: its cursors, not those of the input, say where each partition goes on.

import { setTimeout as sleep } from 'node:timers/promises';

import { LadderlogError, VENUES, fingerprintOf, isLadderlogError, partitionName } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { createRowEncoder } from '@ladderlog/store';
import type { RowEncoder } from '@ladderlog/store';
import type { Logger } from 'pino';

import { checkClaim } from './claim-check.ts';
import { WriteGate } from './gate.ts';
import { tablesCaughtUp, watchEnds } from './lag.ts';
import type { ProjectorLimits } from './limits.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { Partition } from './log-bounds.ts';
import { boundsOf, hasRecords } from './log-bounds.ts';
import type { PartitionContext, PartitionStatus } from './partition.ts';
import { PartitionProjector } from './partition.ts';
import type { Places } from './places.ts';
import type { Counts, ProjectorObserver, RangeDone } from './progress.ts';
import { Progress } from './progress.ts';
import { createRangeProjector } from './range-projection.ts';
import { waitMs } from './retry.ts';

/** Promises what EventLog.consume promises. */
export type ProjectorInput = EventLog['consume'];

export type ProjectorOptions = Places & {
  readonly generation: number;
  readonly logger: Logger;
  /**
   * Where the records come from. Default: the log itself, as a member of the generation's group, sharing the partitions with
   * other projectors. An embedded projector may be fed by whoever follows the log already, which has its events decoded.
   */
  readonly input?: ProjectorInput;
  readonly limits?: Partial<ProjectorLimits>;
  /** Default: the venues' topics. */
  readonly topics?: readonly string[];
  readonly observer?: ProjectorObserver;
};

export type ProjectorStatus = Readonly<Counts> & {
  readonly generation: number;
  readonly running: boolean;
  readonly partitions: readonly PartitionStatus[];
  readonly lag: number;
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

export const createProjector = (options: ProjectorOptions): Projector => new TableProjector(options);

export const groupOf = (generation: number): string => `projector-g${generation}`;

class TableProjector implements Projector {
  private readonly options: ProjectorOptions;
  private readonly input: ProjectorInput;
  private readonly topics: readonly string[];
  private readonly limits: ProjectorLimits;
  private readonly fingerprint: string;
  private readonly progress: Progress;
  private readonly gate = new WriteGate();
  /** Those that are ours, by partitionName. */
  private readonly partitions = new Map<string, PartitionProjector>();
  private running = false;

  constructor(options: ProjectorOptions) {
    this.options = options;
    this.input = options.input ?? ((request) => options.log.consume(request));
    this.topics = options.topics ?? VENUES;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.fingerprint = fingerprintOf(options.projections);
    this.progress = new Progress(options.generation, options.logger, options.observer ?? {});
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.running) throw new LadderlogError('INTERNAL', 'the projector runs already');
    this.running = true;
    const over = new AbortController();
    const { log, logger } = this.options;
    const watching = watchEnds(log, logger, AbortSignal.any([signal, over.signal]), (ends) => {
      for (const [name, held] of this.partitions) held.end = Math.max(held.end, ends.get(name) ?? 0);
    });
    try {
      while (!signal.aborted)
        await this.project(signal).catch((error: unknown) => this.recover(error, signal));
    } finally {
      over.abort();
      await watching;
      this.partitions.clear();
      this.running = false;
    }
  }

  status(): ProjectorStatus {
    const partitions = [...this.partitions.values()].map((held) => held.status());
    return {
      generation: this.options.generation,
      running: this.running,
      partitions,
      lag: partitions.reduce((sum, { lag }) => sum + lag, 0),
      ...this.progress.counts,
    };
  }

  caughtUp(signal?: AbortSignal): Promise<void> {
    const { log, cursors, generation } = this.options;
    return tablesCaughtUp(
      log,
      this.topics,
      () => cursors.list(generation),
      () => this.progress.nextRange,
      signal,
    );
  }

  quiesced<T>(work: () => Promise<T>): Promise<T> {
    return this.gate.closedFor(work, () =>
      Promise.all([...this.partitions.values()].map((partition) => partition.written())),
    );
  }

  /** From what the input hands over, until the signal aborts or something fails. */
  private async project(outer: AbortSignal): Promise<void> {
    this.partitions.clear();
    let failure: unknown = null;
    const inner = new AbortController();
    const signal = AbortSignal.any([outer, inner.signal]);
    const context = this.context(signal, (error) => {
      failure ??= error;
      inner.abort(error);
    });
    try {
      await this.input({
        group: groupOf(this.options.generation),
        topics: this.topics,
        signal,
        onAssigned: (topic, partition) => this.assigned({ topic, partition }, context),
        onBatch: async (batch, control) => {
          const target = this.partitions.get(partitionName(batch));
          if (!target || control.isStale()) return;
          try {
            await target.accept(batch);
          } catch (error) {
            // The other partitions need not go on with what they have gathered.
            context.onFailure(error);
            throw error;
          }
        },
        onRevoked: (topic, partition) => this.revoked({ topic, partition }),
      });
      if (!signal.aborted) throw new LadderlogError('LOG_CLOSED', 'the log stopped handing over events');
    } catch (error) {
      failure ??= error;
    } finally {
      inner.abort();
      await Promise.all([...this.partitions.values()].map((partition) => partition.settled()));
      for (const partition of this.partitions.values()) partition.drop();
    }
    if (failure !== null) throw failure;
  }

  /** What may pass, such as a full disk under the log, is waited out; the cursors know where to go on. */
  private async recover(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (!isLadderlogError(error) || !error.retryable) throw error;
    const attempts = (this.progress.counts.lastError?.attempts ?? 0) + 1;
    this.progress.retried(error, attempts, 'consume', { generation: this.options.generation });
    await sleep(waitMs(this.limits, attempts), undefined, { signal }).catch(() => undefined);
  }

  private async assigned(at: Partition, context: PartitionContext): Promise<number> {
    const { log, cursors, generation, logger } = this.options;
    const bounds = await boundsOf(log, at);
    const claim = await cursors.claim({ generation, ...at }, bounds.begin, this.fingerprint);
    await checkClaim(this.options, this.fingerprint, claim, bounds);
    this.revoked(at);
    this.partitions.set(partitionName(at), new PartitionProjector(claim, bounds.end, context));
    const { epoch, hwm, pending } = claim.cursor;
    logger.info({ event: 'projector.assigned', ...claim.key, epoch, hwm, pending }, 'partition is ours');
    return Math.max(hwm + 1, bounds.begin);
  }

  private revoked(at: Partition): void {
    const name = partitionName(at);
    this.partitions.get(name)?.drop();
    this.partitions.delete(name);
  }

  private context(signal: AbortSignal, onFailure: (error: unknown) => void): PartitionContext {
    const { log, store, cursors, projections, generation, logger } = this.options;
    return {
      projections,
      encoders: projections.map(({ table }) => createRowEncoder(table, generation) as RowEncoder<never>),
      project: createRangeProjector(projections),
      store,
      cursors,
      limits: this.limits,
      signal,
      gate: this.gate,
      onFailure,
      async hasRecords(at, first, end) {
        const found = await hasRecords(log, at, first, end, signal);
        if (!found)
          logger.warn(
            { event: 'projector.passed_over', ...at, first, end },
            'the log has no such records any more',
          );
        return found;
      },
      progress: this.progress,
      onDone: (done) => this.done(done),
    };
  }

  private done(done: RangeDone): void {
    this.progress.done(done);
    const { log, generation, logger } = this.options;
    const { topic, partition, range } = done;
    // Only a hint for lag tools: the cursor decides.
    log
      .commit(groupOf(generation), [{ topic, partition, offset: range.last + 1 }])
      .catch((error: unknown) => logger.debug({ event: 'projector.commit_failed', err: error }, 'no commit'));
  }
}
