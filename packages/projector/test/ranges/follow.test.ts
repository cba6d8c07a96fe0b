import { PROJECTIONS } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { pino } from 'pino';
import { expect, test } from 'vitest';

import type { CursorStore } from '../../src/ranges/cursor.ts';
import { createFollower } from '../../src/ranges/follow.ts';

test('who waits for the tables waits for those that are served by then', async () => {
  let served = 1;
  const asked: number[] = [];
  const follower = createFollower({
    log: {
      topics: async () => [{ topic: 'venuea', partitions: [{ partition: 0, begin: 0, end: 5 }] }],
    } as unknown as EventLog,
    store: { generation: async () => served } as unknown as Store,
    cursors: {
      list: async (generation: number) => {
        asked.push(generation);
        return generation === 2 ? [{ topic: 'venuea', partition: 0, hwm: 4 }] : [];
      },
    } as unknown as CursorStore,
    projections: PROJECTIONS,
    logger: pino({ level: 'silent' }),
    pollMs: 1,
  });
  const done = follower.caughtUp();
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  // Nobody goes on with generation 1.
  served = 2;
  await done;
  expect(asked.at(-1)).toBe(2);
});
