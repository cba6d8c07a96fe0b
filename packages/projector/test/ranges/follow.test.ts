import { PROJECTIONS } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { pino } from 'pino';
import { expect, test } from 'vitest';

import type { CursorStore } from '../../src/ranges/cursor.ts';
import { createFollower } from '../../src/ranges/follow.ts';
import { switchTo } from '../../src/rebuild/switches.ts';

/** A follower of tables that are whole in generation 2 only, and the generations it asked for. */
function followed(pollMs: number) {
  const served = { generation: 1 };
  const asked: number[] = [];
  const store = {
    generation: async () => served.generation,
    switchGeneration: async (to: number) => {
      served.generation = to;
    },
  } as unknown as Store;
  const follower = createFollower({
    log: {
      topics: async () => [{ topic: 'venuea', partitions: [{ partition: 0, begin: 0, end: 5 }] }],
    } as unknown as EventLog,
    store,
    cursors: {
      list: async (generation: number) => {
        asked.push(generation);
        return generation === 2 ? [{ topic: 'venuea', partition: 0, hwm: 4 }] : [];
      },
    } as unknown as CursorStore,
    projections: PROJECTIONS,
    logger: pino({ level: 'silent' }),
    pollMs,
  });
  return { follower, served, asked, store };
}

test('who waits for the tables waits for those that are served by then', async () => {
  const { follower, served, asked } = followed(1);
  const done = follower.caughtUp();
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  // Nobody goes on with generation 1.
  served.generation = 2;
  await done;
  expect(asked.at(-1)).toBe(2);
});

test('a switch by this process is heard, not waited for', async () => {
  const { follower, asked, store } = followed(3_600_000);
  const done = follower.caughtUp();
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  await switchTo(store, 2, 'rebuild');
  await done;
  expect(asked.at(-1)).toBe(2);
});
