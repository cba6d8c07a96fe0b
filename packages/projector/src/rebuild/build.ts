// A generation that is being built: projected up to the end of the log, with progress, and given up when another process drops it.

import { setTimeout as sleep } from 'node:timers/promises';

import { LadderlogError, VENUES, isLadderlogError, partitionName } from '@ladderlog/core';

import type { CursorStore } from '../ranges/cursor.ts';
import type { ProjectorLimits } from '../ranges/limits.ts';
import type { Projector, ProjectorOptions } from '../ranges/projector.ts';
import { createProjector } from '../ranges/projector.ts';

export type RebuildProgress = {
  readonly phase: 'copying' | 'projecting' | 'verifying';
  readonly generation: number;
  readonly events: number;
  readonly total: number;
  readonly eventsPerSecond: number;
  readonly etaSeconds: number | null;
};

type BuildOptions = Omit<ProjectorOptions, 'generation' | 'observer'> & {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: RebuildProgress) => void;
};

/** Large ranges: nobody waits for the newest row of a generation that is not served. */
const LIMITS: Partial<ProjectorLimits> = { maxRecords: 50_000, maxBytes: 6 * 1024 * 1024, maxWaitMs: 200 };

const PROGRESS_MS = 500;

export class GenerationBuild {
  private readonly options: BuildOptions;
  private readonly generation: number;
  private readonly projector: Projector;
  private begun = false;

  constructor(options: BuildOptions, generation: number) {
    this.options = options;
    this.generation = generation;
    const begin = (): void => {
      this.begun = true;
    };
    this.projector = createProjector({
      ...options,
      generation,
      observer: { onRange: begin, onFenced: begin },
      limits: { ...LIMITS, ...options.limits },
    });
  }

  /** Of this generation. One that was begun and has none was dropped by another process: PROJECTOR_FENCED. */
  async cursors(): ReturnType<CursorStore['list']> {
    const known = await this.options.cursors.list(this.generation);
    if (known.length === 0 && this.begun)
      throw new LadderlogError(
        'PROJECTOR_FENCED',
        `generation ${this.generation} was dropped while it was built`,
      );
    this.begun ||= known.length > 0;
    return known;
  }

  /** Projects until all that the log has now is in the tables. */
  async catchUp(): Promise<void> {
    const { signal } = this.options;
    const done = new AbortController();
    const both = AbortSignal.any([signal, done.signal]);
    const projecting = this.projector.run(both);
    const watching = this.watch(both);
    try {
      await Promise.race([
        this.projector.caughtUp(both),
        // They end before that only by an error.
        Promise.race([projecting, watching]).then(() => {
          signal.throwIfAborted();
          throw new LadderlogError('INTERNAL', 'the projector stopped before the end of the log');
        }),
      ]);
      // The log may grow on: end between two ranges, since one that is half written is not the log.
      await Promise.race([this.projector.quiesced(async () => done.abort()), projecting]);
    } finally {
      done.abort();
      await Promise.allSettled([projecting, watching]);
    }
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const { onProgress, logger } = this.options;
    const began = performance.now();
    let first: number | null = null;
    while (!signal.aborted) {
      try {
        const { events, total } = await this.progress();
        first ??= events;
        const { eventsPerSecond, etaSeconds } = rateOf(events, total, began, first);
        const { generation } = this;
        onProgress?.({ phase: 'projecting', generation, events, total, eventsPerSecond, etaSeconds });
      } catch (error) {
        if (isLadderlogError(error, 'PROJECTOR_FENCED')) throw error;
        logger.debug({ event: 'rebuild.progress_unknown', err: error }, 'no progress to report');
      }
      await sleep(PROGRESS_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async progress(): Promise<{ readonly events: number; readonly total: number }> {
    const hwms = new Map((await this.cursors()).map((cursor) => [partitionName(cursor), cursor.hwm]));
    let events = 0;
    let total = 0;
    for (const { topic, partitions } of await this.options.log.topics()) {
      if (!(VENUES as readonly string[]).includes(topic)) continue;
      for (const { partition, begin, end } of partitions) {
        total += end - begin;
        events += Math.max(0, (hwms.get(partitionName({ topic, partition })) ?? begin - 1) + 1 - begin);
      }
    }
    return { events, total };
  }
}

/** `before`: those that were there when it began. */
export function rateOf(events: number, total: number, began: number, before = 0) {
  const seconds = Math.max(0.001, (performance.now() - began) / 1_000);
  const eventsPerSecond = Math.round((events - before) / seconds);
  const etaSeconds = eventsPerSecond > 0 ? Math.ceil((total - events) / eventsPerSecond) : null;
  return { events, total, eventsPerSecond, etaSeconds };
}
