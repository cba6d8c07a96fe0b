// The projector of whichever generation is served: after a rebuild or a rollback it goes over to the new one by itself.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Store } from '@ladderlog/store';

import type { Projector, ProjectorOptions, ProjectorStatus } from './projector.ts';
import { createProjector } from './projector.ts';

export type FollowerOptions = Omit<ProjectorOptions, 'generation' | 'store'> & {
  readonly store: Store;
  /** How often the served generation is asked for. */
  readonly pollMs?: number;
};

export type Follower = {
  run(signal: AbortSignal): Promise<void>;
  /** Null before the first generation is known. */
  status(): ProjectorStatus | null;
  /** Resolves when all that is in the log now is in the served tables. */
  caughtUp(signal?: AbortSignal): Promise<void>;
  quiesced<T>(work: () => Promise<T>): Promise<T>;
};

export function createFollower(options: FollowerOptions): Follower {
  const { pollMs = 1_000, ...rest } = options;
  const { store, logger } = options;
  let current: { readonly generation: number; readonly projector: Projector } | null = null;

  const projectorOf = async (): Promise<Projector> => {
    const generation = await store.generation();
    if (current?.generation !== generation)
      current = { generation, projector: createProjector({ ...rest, generation }) };
    return current.projector;
  };

  /** Resolves when another generation is served. */
  async function switched(from: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      try {
        if (!signal.aborted && (await store.generation()) !== from) return;
      } catch (error) {
        logger.warn(
          { event: 'projector.generation_unknown', err: error },
          'the store does not say what it serves',
        );
      }
    }
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        const projector = await projectorOf();
        const { generation } = current!;
        logger.info({ event: 'projector.generation', generation }, 'projecting the served generation');
        const stop = new AbortController();
        const both = AbortSignal.any([signal, stop.signal]);
        const watching = switched(generation, both).finally(() => stop.abort());
        try {
          await projector.run(both);
        } finally {
          stop.abort();
          await watching;
        }
      }
    },
    status: () => current?.projector.status() ?? null,
    async caughtUp(signal) {
      for (;;) {
        const projector = await projectorOf();
        const { generation } = current!;
        const stop = new AbortController();
        const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
        try {
          // Nobody projects a generation that is no longer served.
          const isThere = await Promise.race([
            projector.caughtUp(both).then(() => true),
            switched(generation, both).then(() => false),
          ]);
          if (isThere) return;
        } finally {
          stop.abort();
        }
        signal?.throwIfAborted();
      }
    },
    quiesced: async (work) => (await projectorOf()).quiesced(work),
  };
}
