// One way of trying again: with growing pauses, until a deadline, an abort, or an error that no repeat can cure.

import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@ladderlog/core';
import { isPermanent, toLogError } from './errors.ts';

/** Before the next attempt; `failures` counts those before this one. */
export const pauseAfter = (failures: number): number =>
  backoffMs(failures, Math.random(), { baseMs: 50, maxMs: 1_000 });

export type Attempts = {
  readonly doing: string;
  readonly forMs: number;
  readonly signal?: AbortSignal;
  /** After each failure, before the pause: refresh what may be stale, say what happened. */
  readonly onFailure?: (error: unknown, attempt: number) => Promise<void> | void;
};

/** Rejects with a LadderlogError: the last failure, once the time is used up. */
export async function retrying<T>(attempts: Attempts, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + attempts.forMs;
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const pause = pauseAfter(count - 1);
      if (isPermanent(error) || attempts.signal?.aborted || performance.now() + pause >= deadline)
        throw toLogError(error, attempts.doing);
      try {
        await attempts.onFailure?.(error, count);
      } catch {
        // The refresh failed like the attempt did; the next attempt tells.
      }
      await sleep(pause, undefined, attempts.signal ? { signal: attempts.signal } : {}).catch(() => {});
    }
  }
}
