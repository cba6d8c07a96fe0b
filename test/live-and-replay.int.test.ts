// The live feed and a replay of the same range say the same messages, but for the `replay` flag.

import type { StreamMessage } from '@ladderlog/core';
import { replayLines, Pace } from '@ladderlog/replay';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTempLog, startFeed } from '../packages/feed/test/harness.ts';
import { T0 } from './builders/events.ts';
import { histories } from './builders/history.ts';

const HOUR = 3_600_000_000;

type Logged = Extract<StreamMessage, { readonly seq: string }>;
const bySeq = (messages: readonly Logged[]): Logged[] =>
  messages.toSorted((a, b) => a.seq.localeCompare(b.seq, 'en', { numeric: true }));

// An import tells late of earlier times; what was live then could not know.
const captured = histories(200, 100).map((events) =>
  events.filter(({ provenance }) => provenance === 'captured'),
);

test.each([1, 2, 3])('live and replay, history %i', async (seed) => {
  const events = fc.sample(captured, { seed, numRuns: 1 })[0]!;
  const { log, remove } = await openTempLog();
  const feed = await startFeed(log, { clock: () => T0 + HOUR });
  try {
    const client = await feed.connect();
    client.send({ type: 'subscribe', venue: 'venueb' });
    await client.next('subscribed');
    await log.append(events);
    const live = (): Logged[] => client.messages.filter((one): one is Logged => 'seq' in one);
    let text = '';
    const request = {
      venues: ['venueb'] as const,
      from: T0 - HOUR,
      to: T0 + HOUR,
      format: 'books' as const,
    };
    for await (const chunk of replayLines(log, request, new Pace('max'), AbortSignal.timeout(60_000)))
      text += chunk;
    const replayed = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { replay, ...message } = JSON.parse(line) as Logged;
        expect(replay).toBe(true);
        return message as Logged;
      });
    expect(replayed.length).toBeGreaterThan(20);
    await client.until('all messages', () => live().length >= replayed.length);
    expect(bySeq(live())).toEqual(bySeq(replayed));
  } finally {
    await feed.close();
    await remove();
  }
});
