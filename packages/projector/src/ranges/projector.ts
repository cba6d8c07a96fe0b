// The projector: its cursors, not those of the input, say where each partition goes on.

import { setTimeout as sleep } from 'node:timers/promises';

import { LadderlogError, VENUES, fingerprintOf, isLadderlogError, partitionName } from '@ladderlog/core';
import type { Position } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { Turns } from '@ladderlog/log';
import type { Logger } from 'pino';

import { checkClaim } from './claim-check.ts';
import type { Claim } from './cursor.ts';
import { WriteGate } from './gate.ts';
import type { GatheringContext, PartitionStatus } from './gathering.ts';
import { Gathering } from './gathering.ts';
import { GroupCommits } from './group-commits.ts';
import { tablesCaughtUp, watchEnds } from './lag.ts';
import type { ProjectorLimits } from './limits.ts';
import { DEFAULT_LIMITS, SET_LIMITS } from './limits.ts';
import type { Bounds, Partition } from './log-bounds.ts';
import { allBounds, boundsOf, hasRecords, readRange } from './log-bounds.ts';
import type { Places } from './places.ts';
import type { Counts, ProjectorObserver, RangesDone } from './progress.ts';
import { Progress } from './progress.ts';
import { createRowMaker } from './range-rows.ts';
import { waitMs } from './retry.ts';

export type ProjectorInput = {
  /** Promises what EventLog.consume promises. */
  readonly consume: EventLog['consume'];
  /**
   * It hands over all partitions, and nobody else has any: then they are written together, in one insert a table, which takes
   * cursors that can be moved together.
   */
  readonly together: boolean;
  /** Hears the next offsets that the tables lack: of all partitions at the beginning, then of those that moved. */
  readonly reached?: (positions: readonly Position[]) => void;
};

export type ProjectorOptions = Places & {
  readonly generation: number;
  readonly logger: Logger;
  /**
   * Where the records come from. Default: the log itself, as a member of the generation's group, sharing the partitions with
   * other projectors. An embedded projector is fed by whoever follows the log already, which has its events decoded.
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
  private readonly commits: GroupCommits;
  private readonly gate = new WriteGate();
  /** Those that are ours, by partitionName. */
  private readonly partitions = new Map<string, Gathering>();
  private running = false;

  constructor(options: ProjectorOptions) {
    const { log, logger, generation, observer = {} } = options;
    this.options = options;
    this.input = options.input ?? { consume: (request) => log.consume(request), together: false };
    if (this.input.together && !options.cursors.sets)
      throw new LadderlogError('INTERNAL', 'these cursors cannot be moved together');
    this.topics = options.topics ?? VENUES;
    this.limits = { ...DEFAULT_LIMITS, ...(this.input.together ? SET_LIMITS : {}), ...options.limits };
    this.fingerprint = fingerprintOf(options.projections);
    this.progress = new Progress(generation, logger, observer);
    this.commits = new GroupCommits(log, groupOf(generation), logger);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.running) throw new LadderlogError('INTERNAL', 'the projector runs already');
    this.running = true;
    const over = new AbortController();
    const { log, logger } = this.options;
    const watching = watchEnds(log, logger, AbortSignal.any([signal, over.signal]), (ends) => {
      for (const gathering of this.gatherings) gathering.heardEnds(ends);
    });
    try {
      while (!signal.aborted)
        await this.project(signal).catch((error: unknown) => this.recover(error, signal));
    } finally {
      over.abort();
      await watching;
      await this.commits.commit();
      this.partitions.clear();
      this.running = false;
    }
  }

  status(): ProjectorStatus {
    const partitions = [...this.gatherings].flatMap((gathering) => gathering.status());
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
      () => {
        for (const gathering of this.gatherings) gathering.hurry();
        return this.progress.nextRange;
      },
      signal,
    );
  }

  quiesced<T>(work: () => Promise<T>): Promise<T> {
    return this.gate.closedFor(work, () =>
      Promise.all([...this.gatherings].map((gathering) => gathering.written())),
    );
  }

  private get gatherings(): ReadonlySet<Gathering> {
    return new Set(this.partitions.values());
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
      if (this.input.together) await this.claimAll(context);
      await this.input.consume({
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
      await Promise.all([...this.gatherings].map((gathering) => gathering.settled()));
      for (const gathering of this.gatherings) gathering.drop();
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

  /** In one step: of two projectors that begin at one time, one has all and the other none. */
  private async claimAll(context: GatheringContext): Promise<void> {
    const { log, cursors, generation } = this.options;
    const bounds = await allBounds(log, this.topics);
    const keys = bounds.map(({ topic, partition, begin }) => ({ generation, topic, partition, begin }));
    const claims = await cursors.sets!.claim(keys, this.fingerprint);
    const ours = await Promise.all(claims.map((claim, at) => this.checked(claim, bounds[at]!)));
    const gathering = new Gathering(ours, true, context);
    for (const { claim } of ours) this.partitions.set(partitionName(claim.key), gathering);
    this.input.reached?.(
      claims.map(({ key, cursor }) => ({
        topic: key.topic,
        partition: key.partition,
        offset: cursor.hwm + 1,
      })),
    );
  }

  private async assigned(at: Partition, context: GatheringContext): Promise<number> {
    const { log, cursors, generation } = this.options;
    const bounds = await boundsOf(log, at);
    if (!this.input.together) {
      const claim = await cursors.claim({ generation, ...at }, bounds.begin, this.fingerprint);
      const ours = await this.checked(claim, bounds);
      this.revoked(at);
      this.partitions.set(partitionName(at), new Gathering([ours], false, context));
    }
    const hwm = this.partitions.get(partitionName(at))?.hwmOf(at);
    if (hwm === undefined) throw new LadderlogError('INTERNAL', `${partitionName(at)} was not there before`);
    return Math.max(hwm + 1, bounds.begin);
  }

  private async checked(claim: Claim, bounds: Bounds): Promise<{ claim: Claim; end: number }> {
    await checkClaim(this.options, this.fingerprint, claim, bounds);
    const { epoch, hwm, pending } = claim.cursor;
    this.options.logger.info(
      { event: 'projector.assigned', ...claim.key, epoch, hwm, pending },
      'partition is ours',
    );
    return { claim, end: bounds.end };
  }

  /** What was gathered together goes together. */
  private revoked(at: Partition): void {
    const gathering = this.partitions.get(partitionName(at));
    gathering?.drop();
    for (const [name, of] of this.partitions) if (of === gathering) this.partitions.delete(name);
  }

  private context(signal: AbortSignal, onFailure: (error: unknown) => void): GatheringContext {
    const { log, store, cursors, projections, generation, logger } = this.options;
    return {
      projections,
      generation,
      rows: createRowMaker(projections, generation),
      store,
      cursors,
      limits: this.limits,
      signal,
      gate: this.gate,
      turns: new Turns(),
      onFailure,
      read: (at, range) => readRange(log, at, range, signal),
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

  private done(done: RangesDone): void {
    this.progress.done(done);
    const positions = done.ranges.map(({ topic, partition, last }) => ({
      topic,
      partition,
      offset: last + 1,
    }));
    this.commits.note(positions);
    this.input.reached?.(positions);
  }
}
