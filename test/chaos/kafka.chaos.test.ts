// Brokers die while events are appended and consumed. Whatever was acknowledged is there, once, where it was said to be.

import type { LadderEvent, Position } from '@ladderlog/core';
import { formatPosition, isLadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { positionsFromBeginning, readEvents } from '@ladderlog/log';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultCluster } from '../harness/kafka.ts';
import { startCluster } from '../harness/kafka.ts';
import { newPrefix, openTestLog } from '../harness/kafka-log.ts';
import { books } from '../harness/log-events.ts';

const FULL = process.env['LADDERLOG_FULL'] === '1';
const KILLS = FULL ? 20 : 2;
const LANES = 4;
const BATCH = 20;

type Differences = Record<'lost' | 'moved' | 'doubled' | 'unexpected' | 'holes', string[]>;
const NONE: Differences = { lost: [], moved: [], doubled: [], unexpected: [], holes: [] };

const started = await startCluster(3);

describe.skipIf(!started)('a cluster of three brokers', () => {
  const cluster: FaultCluster = started!;
  let log: EventLog;
  let prefix: string;

  const open = (retryForMs: number): Promise<EventLog> =>
    openTestLog({ brokers: cluster.addresses, registryUrl: cluster.registryUrl }, prefix, { retryForMs });

  beforeEach(async () => {
    prefix = newPrefix();
    log = await open(60_000);
  });
  afterEach(() => log.close());
  afterAll(() => cluster.stop());

  /** Lanes that append one batch after the other until told to stop; what was acknowledged, and where. */
  function writing(onFailure: (error: unknown) => Promise<void>) {
    const acknowledged = new Map<string, string>();
    const state = { running: true, batches: 0 };
    const lane = async (session: string): Promise<void> => {
      for (let n = 0; state.running; n += BATCH) {
        const events = books(n, n + BATCH, { session, markets: 24 });
        const positions = await insist(events);
        events.forEach((event, index) =>
          acknowledged.set(nameOf(event), formatPosition(positions[index] as Position)),
        );
        state.batches++;
      }
    };
    const insist = async (events: readonly LadderEvent[]): Promise<Position[]> => {
      for (;;)
        try {
          return await log.append(events);
        } catch (error) {
          await onFailure(error);
        }
    };
    const lanes = Array.from({ length: LANES }, (_, index) => lane(`lane${index}`));
    return {
      acknowledged,
      /** Until so many more batches were acknowledged. */
      async progress(more: number): Promise<void> {
        const aim = state.batches + more;
        while (state.batches < aim) await Promise.race([...lanes, sleep(10)]);
      },
      async stop(): Promise<void> {
        state.running = false;
        await Promise.all(lanes);
      },
    };
  }

  /** What the log holds against what was acknowledged. */
  async function compare(acknowledged: ReadonlyMap<string, string>): Promise<Differences> {
    const found = new Map<string, string>();
    const differences: Differences = { lost: [], moved: [], doubled: [], unexpected: [], holes: [] };
    const next = new Map<number, number>();
    for await (const batch of readEvents(log, { from: await positionsFromBeginning(log, ['venueb']) }))
      for (const { event, position } of batch) {
        const name = nameOf(event!);
        if (position.offset !== (next.get(position.partition) ?? 0))
          differences.holes.push(formatPosition(position));
        next.set(position.partition, position.offset + 1);
        if (found.has(name)) differences.doubled.push(name);
        if (!acknowledged.has(name)) differences.unexpected.push(name);
        found.set(name, formatPosition(position));
      }
    for (const [name, position] of acknowledged) {
      if (!found.has(name)) differences.lost.push(name);
      else if (found.get(name) !== position) differences.moved.push(name);
    }
    return differences;
  }

  test(
    `loses and doubles nothing while brokers are killed and come back (${KILLS} kills)`,
    async () => {
      const writers = writing((error) => Promise.reject(error));
      await writers.progress(20);
      for (let kill = 0; kill < KILLS; kill++) {
        const broker = cluster.brokers[kill % cluster.brokers.length]!;
        await broker.kill();
        // With one of three away, appends go on.
        await writers.progress(20);
        await broker.restart();
        await writers.progress(20);
      }
      await writers.stop();
      expect(await compare(writers.acknowledged)).toEqual(NONE);
    },
    120_000 + KILLS * 60_000,
  );

  test('fails in bounded time when all are gone; the repeat of what failed is not doubled', async () => {
    await log.close();
    log = await open(1_500);
    let failures = 0;
    const everyLaneFailed = Promise.withResolvers<void>();
    const writers = writing(async (error) => {
      if (!isLadderlogError(error, 'LOG_UNAVAILABLE') || !error.retryable) throw error;
      if (++failures === LANES) everyLaneFailed.resolve();
    });
    await writers.progress(20);
    await Promise.all(cluster.brokers.map((broker) => broker.kill()));
    await everyLaneFailed.promise;
    await Promise.all(cluster.brokers.map((broker) => broker.restart()));
    await writers.progress(20);
    await writers.stop();
    expect(await compare(writers.acknowledged)).toEqual(NONE);
  }, 300_000);

  test('keeps a group and a follower going through the loss of a broker', async () => {
    const abort = new AbortController();
    const total = 400;
    const consumed = new Set<string>();
    const followed = new Set<string>();
    const done = (): void => {
      if (consumed.size === total && followed.size === total) abort.abort();
    };
    const consuming = log.consume({
      group: 'g',
      topics: ['venueb'],
      signal: abort.signal,
      onAssigned: async () => null,
      onBatch: async (batch, control) => {
        if (control.isStale()) return;
        for (const record of batch.records) {
          const decoded = log.codec.decode(record.value);
          if (decoded.ok) consumed.add(nameOf(decoded.event));
        }
        await log
          .commit('g', [
            {
              topic: batch.topic,
              partition: batch.partition,
              offset: batch.records.at(-1)!.offset + 1,
            },
          ])
          .catch(() => {});
        done();
      },
    });
    const following = (async () => {
      const from = await positionsFromBeginning(log, ['venueb']);
      for await (const batch of readEvents(log, { from, follow: true, signal: abort.signal })) {
        for (const { event } of batch) followed.add(nameOf(event!));
        done();
      }
    })();
    await log.append(books(0, total / 2, { session: 's', markets: 24 }));
    await cluster.brokers[1]!.kill();
    await log.append(books(total / 2, total, { session: 's', markets: 24 }));
    await Promise.all([consuming, following]);
    expect(consumed.size).toBe(total);
    expect(followed.size).toBe(total);
    await cluster.brokers[1]!.restart();
  }, 300_000);
});

const nameOf = (event: LadderEvent): string =>
  'ordinal' in event ? `${event.session}/${event.ordinal}` : event.type;
