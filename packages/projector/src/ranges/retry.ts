import { setTimeout as sleep } from 'node:timers/promises';

import { backoffMs, isLadderlogError } from '@ladderlog/core';

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
      await sleep(waitMs(policy, attempts), undefined, { signal });
    }
  }
}

/** Doubled with every attempt, from 1; the whole of it, since a projector has no others to keep apart from. */
export const waitMs = ({ minBackoffMs, maxBackoffMs }: RetryPolicy, attempts: number): number =>
  backoffMs(attempts - 1, 1, { baseMs: minBackoffMs, maxMs: maxBackoffMs });

const isHopeless = (error: unknown): boolean =>
  isLadderlogError(error) ? !error.retryable : error instanceof TypeError || error instanceof RangeError;
