import { setTimeout as sleep } from 'node:timers/promises';

import { isLadderlogError } from '@ladderlog/core';

export type RetryPolicy = { readonly minBackoffMs: number; readonly maxBackoffMs: number };

/** Attempts at something that will not get better by itself (a bad statement, a bug) before it is an error of the projector. */
const HOPELESS_ATTEMPTS = 5;

/**
 * Repeats until it succeeds, or the signal aborts (rejects with its reason). What may pass, such as a store that is down or a
 * full disk, is repeated for ever with bounded waits: the log keeps the events, and the lag shows.
 */
export async function retryUntilDone<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal,
  onError: (error: unknown, attempts: number) => void,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (isLadderlogError(error, 'PROJECTOR_FENCED')) throw error;
      onError(error, attempts);
      if (isHopeless(error) && attempts >= HOPELESS_ATTEMPTS) throw error;
      await sleep(backoffMs(policy, attempts), undefined, { signal });
    }
  }
}

/** Doubled with every attempt. */
export const backoffMs = (policy: RetryPolicy, attempts: number): number =>
  Math.min(policy.minBackoffMs * 2 ** Math.min(attempts - 1, 20), policy.maxBackoffMs);

const isHopeless = (error: unknown): boolean =>
  isLadderlogError(error) ? !error.retryable : error instanceof TypeError || error instanceof RangeError;
