// The projector on a real broker, with cursors in ClickHouse.

import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { newPrefix, openTestLog, sharedKafka } from '../../../../test/harness/kafka-log.ts';
import type { CursorStore } from '../../src/index.ts';
import { openClickhouseCursors } from '../../src/index.ts';
import type { Embedded } from '../embedded.ts';
import { openBench, openEmbedded, projectAll, projectorOf, tableChecksums, verifyAll } from '../embedded.ts';
import { generate, inBatches } from '../generate.ts';

const kafka = sharedKafka();

describe.skipIf(kafka === null)('on Kafka and chDB', () => {
  const shared = kafka!;
  let embedded: Embedded;
  let store: Store;
  let cursors: CursorStore;
  let generation = 300;
  const open: EventLog[] = [];
  const logOf = async (prefix: string): Promise<EventLog> => {
    const log = await openTestLog(shared, prefix, { partitions: 2 });
    open.push(log);
    return log;
  };

  beforeAll(async () => {
    embedded = await openEmbedded();
    ({ store } = embedded);
    cursors = openClickhouseCursors(store);
  });
  afterAll(async () => {
    await Promise.all(open.map((log) => log.close()));
    await embedded.close();
  });

  const events = (seed: number) =>
    generate({ seed, observations: 1_500, levels: 4, venues: ['venueb', 'venuec'] });

  test('the same events through Kafka and through SQLite give the same tables', async () => {
    const log = await logOf(newPrefix());
    for (const batch of inBatches(events(1), 300)) await log.append(batch);
    const bench = await openBench(embedded.folder, events(1));
    const onKafka = { log, store, cursors, generation: ++generation };
    const onSqlite = { log: bench.log, store, cursors: bench.cursors, generation: ++generation };
    await projectAll({ ...onKafka, limits: { maxRecords: 171 } });
    await projectAll(onSqlite);
    expect(await verifyAll(onKafka)).toMatchObject({ ok: true, differences: [] });
    expect(await verifyAll(onSqlite)).toMatchObject({ ok: true, differences: [] });
    const tables = await tableChecksums(store, onKafka.generation);
    expect(tables).toEqual(await tableChecksums(store, onSqlite.generation));
    expect(tables.every(({ rows }) => rows > 0)).toBe(true);
    await bench.close();
  });

  test('partitions that move to a second projector lose and double nothing', async () => {
    const prefix = newPrefix();
    const [first, second] = [await logOf(prefix), await logOf(prefix)];
    const at = { store, cursors, generation: ++generation };
    const batches = [...inBatches(events(2), 100)];
    for (const batch of batches.slice(0, 5)) await first.append(batch);
    const stop = new AbortController();
    const one = projectorOf({ ...at, log: first, limits: { maxRecords: 90 } });
    const running = [one.run(stop.signal)];
    await one.caughtUp();
    const two = projectorOf({ ...at, log: second, limits: { maxRecords: 130 } });
    running.push(two.run(stop.signal));
    // Only once the group has given it partitions: else the first may be done with everything before.
    await expect.poll(() => two.status().partitions.length).toBeGreaterThan(0);
    for (const batch of batches.slice(5)) await first.append(batch);
    await two.caughtUp();
    stop.abort();
    await Promise.all(running);
    expect(two.status().events).toBeGreaterThan(0);
    expect(await verifyAll({ ...at, log: first })).toMatchObject({ ok: true, differences: [] });
  });

  test('a projector paused in an insert while its partitions moved is fenced when it wakes', async () => {
    const prefix = newPrefix();
    const [first, second] = [await logOf(prefix), await logOf(prefix)];
    const at = { store, cursors, generation: ++generation };
    for (const batch of inBatches(events(3), 300)) await first.append(batch);
    const paused = Promise.withResolvers<void>();
    const wake = Promise.withResolvers<void>();
    let inserts = 0;
    const sleeping: Store = {
      ...store,
      async insertRowBinary(...insert) {
        if (++inserts > 3) {
          paused.resolve();
          await wake.promise;
        }
        await store.insertRowBinary(...insert);
      },
    };
    const stop = new AbortController();
    const old = projectorOf({
      ...at,
      log: first,
      store: sleeping,
      limits: { maxRecords: 100, recheckMs: 0 },
    });
    const sleeper = old.run(stop.signal);
    await paused.promise;
    // Kafka waits a minute for a member that does not answer a rebalance; by default the new owner is of another group.
    const moved = process.env['LADDERLOG_FULL'] === '1' ? second : inGroupOfItsOwn(second);
    const now = projectorOf({ ...at, log: moved, limits: { maxRecords: 70 } });
    const running = now.run(stop.signal);
    await now.caughtUp();
    const before = await tableChecksums(store, generation);
    wake.resolve();
    while (old.status().fenced === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await now.caughtUp();
    expect(await tableChecksums(store, generation)).toEqual(before);
    stop.abort();
    await Promise.all([sleeper, running]);
    expect(await verifyAll({ ...at, log: second })).toMatchObject({ ok: true, differences: [] });
  });

  test('bytes of no schema go to rejects with their position, and the stream goes on', async () => {
    const prefix = newPrefix();
    const log = await logOf(prefix);
    const at = { log, store, cursors, generation: ++generation };
    const [before, after] = [...inBatches(events(4), 900)];
    await log.append(before!);
    const producer = new Kafka({
      brokers: [...shared.brokers],
      logLevel: logLevel.NOTHING,
    }).producer();
    await producer.connect();
    await producer.send({
      topic: `${prefix}venueb`,
      messages: [
        { key: 'foreign', partition: 0, value: 'not Avro at all' },
        { key: 'unknown', partition: 0, value: Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]) },
        { key: 'huge', partition: 0, value: Buffer.alloc(10_000_000, 1) },
      ],
    });
    await producer.disconnect();
    await log.append(after!);
    const projector = await projectAll(at);
    expect(projector.status().poison).toBe(3);
    expect(await verifyAll(at)).toMatchObject({ ok: true, differences: [] });
    const rejected = await store.query<{ market: string; reason: string; bytes: number }>(
      `SELECT market, reason, length(body) AS bytes FROM rejects
       WHERE generation = ${generation} AND origin = 'record' ORDER BY offset`,
    );
    expect(rejected.map(({ market, bytes }) => [market, bytes])).toEqual([
      ['foreign', 15],
      ['unknown', 8],
      ['huge', 65_536],
    ]);
    expect(rejected.every(({ reason }) => reason.startsWith('CODEC_'))).toBe(true);
  });
});

const inGroupOfItsOwn = (log: EventLog): EventLog => ({
  ...log,
  consume: (request) => log.consume({ ...request, group: `${request.group}-other` }),
  commit: async () => undefined,
});
