import { LadderlogError } from '@ladderlog/core';
import { describe, expect, test } from 'vitest';

import { retryUntilDone } from '../../src/ranges/retry.ts';

describe('trying again', () => {
  const policy = { minBackoffMs: 1, maxBackoffMs: 2 };
  const failing = (error: Error, times: number) => {
    let calls = 0;
    return async () => {
      if (++calls <= times) throw error;
      return calls;
    };
  };
  const never = new AbortController().signal;
  const quiet = () => undefined;

  test('goes on for as long as it may pass', async () => {
    const down = new LadderlogError('STORE_UNAVAILABLE', 'down', { retryable: true });
    expect(await retryUntilDone(failing(down, 30), policy, never, quiet)).toBe(31);
  });

  test('gives up on what cannot pass, and at once when fenced', async () => {
    const wrong = new LadderlogError('STORE_QUERY_FAILED', 'wrong');
    await expect(retryUntilDone(failing(wrong, 30), policy, never, quiet)).rejects.toBe(wrong);
    const fenced = new LadderlogError('PROJECTOR_FENCED', 'fenced', { retryable: true });
    let retries = 0;
    await expect(retryUntilDone(failing(fenced, 1), policy, never, () => void retries++)).rejects.toBe(
      fenced,
    );
    expect(retries).toBe(0);
  });

  test('ends when asked to', async () => {
    const stop = new AbortController();
    const down = new LadderlogError('STORE_UNAVAILABLE', 'down', { retryable: true });
    const endless = retryUntilDone(failing(down, Infinity), policy, stop.signal, (_, attempts) => {
      if (attempts === 4) stop.abort();
    });
    await expect(endless).rejects.toMatchObject({ name: 'AbortError' });
  });
});
