// The projector of whichever generation is served: after a rebuild or a rollback it goes over to the new one by itself.

import { setTimeout as sleep } from 'node:timers/promises';

import { onSwitch } from '../rebuild/switches.ts';
import type { Projector, ProjectorOptions, ProjectorStatus } from './projector.ts';
import { createProjector } from './projector.ts';

export type FollowerOptions = Omit<ProjectorOptions, 'generation'> & {
  /** How often the served generation is asked for: another process may switch it. A switch by this one is heard at once. */
  readonly pollMs?: number;
};

export type Follower = {
  run(signal: AbortSignal): Promise<void>;
  /** Null before the first generation is known. */
  status(): ProjectorStatus | null;
  /** Resolves when all that is in the log now is in the served tables. */
  caughtUp(signal?: AbortSignal): Promise<void>;
  /** Projector.quiesced, of the served generation. */
  quiesced<T>(work: () => Promise<T>): Promise<T>;
};

const POLL_MS = 5_000;

export const createFollower = (options: FollowerOptions): Follower => new GenerationFollower(options);

type Current = { readonly generation: number; readonly projector: Projector };

class GenerationFollower implements Follower {
  private readonly options: FollowerOptions;
  private current: Current | null = null;

  constructor(options: FollowerOptions) {
    this.options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { generation, projector } = await this.served();
      this.options.logger.info(
        { event: 'projector.generation', generation },
        'projecting the served generation',
      );
      await this.untilSwitched(generation, signal, (both) => projector.run(both));
    }
  }

  status(): ProjectorStatus | null {
    return this.current?.projector.status() ?? null;
  }

  async caughtUp(signal: AbortSignal = new AbortController().signal): Promise<void> {
    for (;;) {
      const { generation, projector } = await this.served();
      try {
        return await this.untilSwitched(generation, signal, (both) => projector.caughtUp(both));
      } catch (error) {
        signal.throwIfAborted();
        // Nobody projects a generation that is no longer served: wait for the one that is.
        if ((error as Error).name !== 'AbortError') throw error;
      }
    }
  }

  async quiesced<T>(work: () => Promise<T>): Promise<T> {
    return (await this.served()).projector.quiesced(work);
  }

  private async served(): Promise<Current> {
    const generation = await this.options.store.generation();
    if (this.current?.generation !== generation)
      this.current = { generation, projector: createProjector({ ...this.options, generation }) };
    return this.current;
  }

  /** The work's signal aborts when another generation is served. */
  private async untilSwitched(
    generation: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const watching = this.switched(generation, both).finally(() => stop.abort());
    try {
      await work(both);
    } finally {
      stop.abort();
      await watching;
    }
  }

  /** Resolves when another generation is served, or the signal aborts. */
  private async switched(from: number, signal: AbortSignal): Promise<void> {
    const { store, logger, pollMs = POLL_MS } = this.options;
    const heard = new AbortController();
    const stopHearing = onSwitch(store, () => heard.abort());
    const over = AbortSignal.any([signal, heard.signal]);
    while (!over.aborted) {
      await sleep(pollMs, undefined, { signal: over }).catch(() => undefined);
      try {
        if (!over.aborted && (await store.generation()) !== from) break;
      } catch (error) {
        logger.warn(
          { event: 'projector.generation_unknown', err: error },
          'the store does not say what it serves',
        );
      }
    }
    stopHearing();
  }
}
