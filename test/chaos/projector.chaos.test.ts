// The embedded way: all partitions as one set, the engine in a process of its own that outlives the projectors.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { LadderEvent } from '@ladderlog/core';
import { PROJECTIONS } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { openSqliteCursors, verify } from '@ladderlog/projector';
import { openEngineStore } from '@ladderlog/store';
import { expect, test } from 'vitest';

import { generate, inBatches } from '../../packages/projector/test/generate.ts';
import type { Started } from '../harness/ladderlog.ts';
import { REPOSITORY, launch } from '../harness/ladderlog.ts';
import { finish, killRepeatedly, seeded, sizeOf } from './projector-kills.ts';

const { observations: OBSERVATIONS, kills: KILLS } = sizeOf({ observations: 40_000, kills: 10 });
const LARGE = OBSERVATIONS > 100_000;
const SERVER = join(REPOSITORY, 'test', 'harness', 'chdb-server.ts');

async function startEngine(directory: string, socket: string): Promise<Started> {
  const engine = launch([directory, socket], { program: [process.execPath, SERVER] });
  await engine.says(/ready/);
  return engine;
}

/** Half of the log is there when the killing begins; the rest arrives meanwhile. */
async function produce(
  log: EventLog,
  events: Generator<LadderEvent[]>,
): Promise<{ readonly rest: Promise<void> }> {
  for (let appended = 0; appended < OBSERVATIONS / 2;) {
    const batch = events.next();
    if (batch.done) break;
    await log.append(batch.value);
    appended += batch.value.length;
  }
  const rest = (async () => {
    for (const batch of events) {
      await log.append(batch);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return { rest };
}

test(
  `${OBSERVATIONS} observations under ${KILLS} kills of the projector: none lost, none twice`,
  async () => {
    const seed = Number(process.env['LADDERLOG_SEED'] ?? 1);
    const folder = mkdtempSync(join(tmpdir(), 'chaos-projector-'));
    const path = join(folder, 'log.db');
    const cursorsPath = join(folder, 'cursors.db');
    const socket = join(folder, 'engine.sock');
    const log = await openSqliteLog({ path });
    let engine = await startEngine(join(folder, 'store'), socket);
    try {
      const events = inBatches(generate({ seed, observations: OBSERVATIONS, levels: 10 }), 500);
      const producing = await produce(log, events);
      const plan = {
        log: { kind: 'sqlite', path, cursors: cursorsPath },
        store: { socket },
        generation: 1,
        maxRecords: LARGE ? 1_000 : 500,
      } as const;
      const report = await killRepeatedly({
        ...plan,
        kills: KILLS,
        // Somewhat less than a fair share: the last kills must find work too.
        recordsPerLife: (0.7 * OBSERVATIONS) / KILLS,
        idleMs: LARGE ? 60_000 : 15_000,
        random: seeded(seed),
        async killEngine() {
          await engine.kill();
          engine = await startEngine(join(folder, 'store'), socket);
        },
      });
      await producing.rest;
      await finish(plan);

      const store = await openEngineStore({ socket });
      const cursors = openSqliteCursors(cursorsPath);
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
      await engine.kill();
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  LARGE ? 4 * 3_600_000 : 900_000,
);
