import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PROJECTIONS } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import { openSqliteCursors, verify } from '@ladderlog/projector';
import { openChdbStore } from '@ladderlog/store';
import { expect, test } from 'vitest';

import { generate, inBatches } from '../../packages/projector/test/generate.ts';
import { finish, killRepeatedly, seeded } from './projector-kills.ts';

const FULL = process.env['LADDERLOG_FULL'] === '1';
const OBSERVATIONS = FULL ? 1_000_000 : 40_000;
const KILLS = FULL ? 100 : 8;

test(
  `${OBSERVATIONS} observations under ${KILLS} kills of the projector: none lost, none twice`,
  async () => {
    const seed = Number(process.env['LADDERLOG_SEED'] ?? 1);
    const folder = mkdtempSync(join(tmpdir(), 'chaos-projector-'));
    const path = join(folder, 'log.db');
    const storePath = join(folder, 'store');
    const log = await openSqliteLog({ path });
    try {
      const events = inBatches(generate({ seed, observations: OBSERVATIONS, levels: 10 }), 500);
      // Half of the log is there when the killing begins; the rest arrives meanwhile.
      for (let appended = 0; appended < OBSERVATIONS / 2;) {
        const batch = events.next();
        if (batch.done) break;
        await log.append(batch.value);
        appended += batch.value.length;
      }
      const producing = (async () => {
        for (const batch of events) {
          await log.append(batch);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })();
      const plan = {
        log: { kind: 'sqlite', path },
        storePath,
        generation: 1,
        maxRecords: FULL ? 1_000 : 500,
      } as const;
      // Somewhat less than a fair share: the last kills must find work too.
      const recordsPerLife = (0.7 * OBSERVATIONS) / KILLS;
      const report = await killRepeatedly({
        ...plan,
        kills: KILLS,
        recordsPerLife,
        idleMs: FULL ? 60_000 : 15_000,
        random: seeded(seed),
      });
      await producing;
      await finish(plan);

      const store = await openChdbStore({ path: storePath });
      const cursors = openSqliteCursors(path);
      const result = await verify({ log, store, cursors, projections: PROJECTIONS, generation: 1 });
      const [books] = await store.query<{ rows: number; positions: number }>(
        'SELECT count() AS rows, uniqExact(topic, partition, offset) AS positions FROM book_snapshots',
      );
      await cursors.close();
      await store.close();
      process.stdout.write(
        `projector chaos: ${JSON.stringify({ seed, observations: OBSERVATIONS, ...report })}\n`,
      );
      expect(result.differences.slice(0, 5)).toEqual([]);
      expect(books).toEqual({ rows: OBSERVATIONS, positions: OBSERVATIONS });
      expect(report.random + report.atFailPoints + report.idle).toBe(KILLS);
    } finally {
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  FULL ? 3_600_000 : 900_000,
);
