// Kills of the projector on a real broker: the group waits out its session, the cursors are in ClickHouse.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PROJECTIONS } from '@ladderlog/core';
import { openClickhouseCursors, verify } from '@ladderlog/projector';
import { openChdbStore } from '@ladderlog/store';
import { expect, test } from 'vitest';

import { generate, inBatches } from '../../packages/projector/test/generate.ts';
import { newPrefix, openTestLog, sharedKafka } from '../harness/kafka-log.ts';
import { finish, killRepeatedly, seeded, sizeOf } from './projector-kills.ts';

const kafka = sharedKafka();
const { observations: OBSERVATIONS, kills: KILLS } = sizeOf({ observations: 10_000, kills: 3 });
const LARGE = OBSERVATIONS > 100_000;

test.skipIf(kafka === null)(
  `${OBSERVATIONS} observations from Kafka under ${KILLS} kills of the projector: none lost, none twice`,
  async () => {
    const { brokers, registryUrl } = kafka!;
    const seed = Number(process.env['LADDERLOG_SEED'] ?? 1);
    const prefix = newPrefix();
    const storePath = mkdtempSync(join(tmpdir(), 'chaos-projector-'));
    const log = await openTestLog(kafka!, prefix);
    try {
      for (const batch of inBatches(generate({ seed, observations: OBSERVATIONS, levels: 10 }), 1_000))
        await log.append(batch);
      const connection = { kind: 'kafka', brokers, registryUrl, prefix, sessionTimeoutMs: 6_000 } as const;
      const plan = {
        log: connection,
        store: { directory: storePath },
        generation: 1,
        maxRecords: 300,
      } as const;
      const recordsPerLife = (0.7 * OBSERVATIONS) / KILLS;
      const report = await killRepeatedly({
        ...plan,
        kills: KILLS,
        recordsPerLife,
        idleMs: LARGE ? 60_000 : 15_000,
        random: seeded(seed),
      });
      await finish(plan);
      const store = await openChdbStore({ path: storePath });
      const cursors = openClickhouseCursors(store);
      const result = await verify({ log, store, cursors, projections: PROJECTIONS, generation: 1 });
      const [books] = await store.query<{ rows: number; positions: number }>(
        'SELECT count() AS rows, uniqExact(topic, partition, offset) AS positions FROM book_snapshots',
      );
      await store.close();
      process.stdout.write(`projector chaos on Kafka: ${JSON.stringify({ seed, ...report })}\n`);
      expect(result.differences.slice(0, 5)).toEqual([]);
      expect(books).toEqual({ rows: OBSERVATIONS, positions: OBSERVATIONS });
    } finally {
      await log.close();
      rmSync(storePath, { recursive: true, force: true });
    }
  },
  LARGE ? 7_200_000 : 900_000,
);
