// One way of trying again: with growing pauses, until a deadline, an abort, or an error that no repeat can cure.

import { setTimeout as sleep } from 'node:timers/promises';
import { isPermanent, toLogError } from './errors.ts';

export const FIRST_PAUSE_MS = 50;
export const LONGEST_PAUSE_MS = 1_000;

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
  let pause = FIRST_PAUSE_MS;
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (isPermanent(error) || attempts.signal?.aborted || performance.now() + pause >= deadline)
        throw toLogError(error, attempts.doing);
      try {
        await attempts.onFailure?.(error, count);
      } catch {
        // The refresh failed like the attempt did; the next attempt tells.
      }
      await sleep(pause, undefined, attempts.signal ? { signal: attempts.signal } : {}).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }
}
