// SIGKILL of a writer at any moment, also while it packs, or while its thread writes: what was acknowledged is there, whole appends only, offsets dense.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { BookObserved } from '@ladderlog/core';
import type { LogRole } from '@ladderlog/log';
import { openSqliteLog, positionsFromBeginning, readEvents } from '@ladderlog/log';
import { expect, test } from 'vitest';
import { bookAt } from '../harness/log-events.ts';
import { LogProcess } from '../harness/log-process.ts';

const KILLS = process.env['LADDERLOG_FULL'] === '1' ? 50 : 10;
const BATCH = 40;

const roles = ['writer', 'recorder'] satisfies LogRole[];
test.for(roles)(
  `a %s killed ${KILLS} times loses nothing that was acknowledged`,
  { timeout: 600_000 },
  async (role) => {
    const folder = await mkdtemp(join(tmpdir(), 'ladderlog-kill-'));
    const path = join(folder, 'log.db');
    const acknowledged = new Map<string, number[]>();
    try {
      for (let round = 0; round < KILLS; round++) {
        const session = `w${round}`;
        const writer = new LogProcess('log-writer.ts', [path, session, String(BATCH), role]);
        await writer.line((line) => line === '0');
        // The moment of death is the point of this test.
        await sleep(Math.random() * 250);
        await writer.kill();
        acknowledged.set(session, writer.lines.filter((line) => /^\d+$/.test(line)).map(Number));
      }
      const log = await openSqliteLog({ path, upkeepMs: 0 });
      const found = new Map<string, Set<number>>();
      const next = new Map<number, number>();
      let events = 0;
      for await (const batch of readEvents(log, { from: await positionsFromBeginning(log, ['venueb']) }))
        for (const one of batch) {
          if (one.error) throw one.error;
          const { session, ordinal } = one.event as BookObserved;
          if (one.position.offset !== (next.get(one.position.partition) ?? 0))
            throw new Error('a hole in the offsets');
          next.set(one.position.partition, one.position.offset + 1);
          let seen = found.get(session);
          if (!seen) found.set(session, (seen = new Set()));
          if (seen.has(ordinal)) throw new Error(`${session}/${ordinal} twice`);
          seen.add(ordinal);
          events++;
          if (!isDeepStrictEqual(one.event, bookAt(ordinal, { session, levels: 20, markets: 12 })))
            throw new Error(`${session}/${ordinal} is not what was written`);
        }
      let appends = 0;
      for (const [session, firsts] of acknowledged) {
        const seen = found.get(session)!;
        appends += firsts.length;
        const missing = firsts.filter((first) => !seen.has(first));
        expect(missing).toEqual([]);
        // An append is there whole or not at all, acknowledged or not.
        const parts = new Map<number, number>();
        for (const ordinal of seen) {
          const first = ordinal - (ordinal % BATCH);
          parts.set(first, (parts.get(first) ?? 0) + 1);
        }
        expect([...parts.values()].every((count) => count === BATCH)).toBe(true);
      }
      for (const info of (await log.topics()).find((topic) => topic.topic === 'venueb')!.partitions)
        expect(next.get(info.partition) ?? 0).toBe(info.end);
      await log.close();
      console.info(
        `${KILLS} kills, ${appends} acknowledged appends, ${events} events: none lost, none twice`,
      );
      expect(appends).toBeGreaterThan(KILLS);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
