// Brokers die while events are appended and consumed. Whatever was acknowledged is there, once, where it was said to be.

import type { LadderEvent, Position } from '@ladderlog/core';
import { formatPosition, isLadderlogError } from '@ladderlog/core';
import type { EventLog, KafkaLog } from '@ladderlog/log';
import { positionsFromBeginning, readEvents } from '@ladderlog/log';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import type { FaultCluster } from '../harness/kafka.ts';
import { startCluster } from '../harness/kafka.ts';
import { newPrefix, openTestLog } from '../harness/kafka-log.ts';
import { books } from '../harness/log-events.ts';

const FULL = process.env['LADDERLOG_FULL'] === '1';
const KILLS = FULL ? 20 : 2;
const OUTAGES = FULL ? 5 : 1;
const LANES = 4;
const BATCH = 20;

type Differences = Record<'lost' | 'moved' | 'doubled' | 'unexpected' | 'holes', string[]>;
const NONE: Differences = { lost: [], moved: [], doubled: [], unexpected: [], holes: [] };

const started = await startCluster(3);

describe.skipIf(!started)('a cluster of three brokers', () => {
  const cluster: FaultCluster = started!;
  let log: EventLog;
  let prefix: string;
  let warnings: string[];
  let faults: Promise<unknown> = Promise.resolve();

  const open = (retryForMs: number): Promise<EventLog> =>
    openTestLog({ brokers: cluster.addresses, registryUrl: cluster.registryUrl }, prefix, {
      retryForMs,
      logger: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) }),
    });

  beforeEach(async () => {
    await Promise.all(
      cluster.brokers.map((broker) => (broker.running() ? Promise.resolve() : broker.restart())),
    );
    warnings = [];
    prefix = newPrefix();
    log = await open(60_000);
  });
  // A test that ran out of time is told so; the next one begins when it has stopped.
  afterEach(async () => {
    await faults.catch(() => {});
    await log.close();
  });
  afterAll(() => cluster.stop());

  const faulty =
    (body: (signal: AbortSignal) => Promise<void>) =>
    ({ signal }: { signal: AbortSignal }): Promise<void> => {
      onTestFailed(() => console.error(warnings.join('')));
      const running = body(signal);
      faults = running;
      return running;
    };

  test('topics get three copies by themselves, and one that has fewer is named', async () => {
    const brokers = { brokers: cluster.addresses, registryUrl: cluster.registryUrl };
    expect((log as KafkaLog).thinTopics).toEqual([]);
    const single = newPrefix();
    await (await openTestLog(brokers, single, { replication: 1 })).close();
    const again = await openTestLog(brokers, single, {
      logger: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) }),
    });
    try {
      expect((again as KafkaLog).thinTopics).toContainEqual({
        topic: `${single}venueb`,
        copies: 1,
        wanted: 3,
      });
      expect(warnings.join('')).toContain('log.kafka.few_copies');
    } finally {
      await again.close();
    }
  });

  /** Lanes that append one batch after the other until told to stop; what was acknowledged, and where. */
  function writing(signal: AbortSignal, onFailure: (error: unknown) => void) {
    const target = log;
    const acknowledged = new Map<string, string>();
    const waiting = new Set<() => void>();
    const state = { running: true };
    let batches = 0;
    const lane = async (session: string): Promise<void> => {
      for (let n = 0; state.running; n += BATCH) {
        const events = books(n, n + BATCH, { session, markets: 24 });
        const positions = await insist(events);
        events.forEach((event, index) =>
          acknowledged.set(nameOf(event), formatPosition(positions[index] as Position)),
        );
        batches++;
        for (const look of waiting) look();
      }
    };
    const insist = async (events: readonly LadderEvent[]): Promise<Position[]> => {
      for (;;)
        try {
          signal.throwIfAborted();
          return await target.append(events);
        } catch (error) {
          signal.throwIfAborted();
          onFailure(error);
        }
    };
    const lanes = Array.from({ length: LANES }, (_, index) => lane(`lane${index}`));
    const failed = new Promise<never>((_, reject) => {
      Promise.all(lanes).catch(reject);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    failed.catch(() => {});
    return {
      acknowledged,
      /** Rejects when a lane fails or the test is over. */
      failed,
      /** Until so many more batches were acknowledged. */
      async progress(more: number): Promise<void> {
        const aim = batches + more;
        const { promise, resolve } = Promise.withResolvers<void>();
        const look = (): void => {
          if (batches >= aim) resolve();
        };
        waiting.add(look);
        try {
          await Promise.race([promise, failed]);
        } finally {
          waiting.delete(look);
        }
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
    { timeout: 120_000 + KILLS * 60_000 },
    faulty(async (signal) => {
      const writers = writing(signal, (error) => {
        throw error;
      });
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
    }),
  );

  test(
    `fails in bounded time when all are gone; the repeat of what failed is not doubled (${OUTAGES} outages)`,
    { timeout: 120_000 + OUTAGES * 120_000 },
    faulty(async (signal) => {
      await log.close();
      log = await open(1_500);
      let failures = 0;
      let onFailure = (): void => {};
      const writers = writing(signal, (error) => {
        if (!isLadderlogError(error, 'LOG_UNAVAILABLE') || !error.retryable) throw error;
        failures++;
        onFailure();
      });
      await writers.progress(20);
      for (let outage = 0; outage < OUTAGES; outage++) {
        const enough = Promise.withResolvers<void>();
        await Promise.all(cluster.brokers.map((broker) => broker.kill()));
        const aim = failures + LANES;
        onFailure = () => {
          if (failures >= aim) enough.resolve();
        };
        await Promise.race([enough.promise, writers.failed]);
        await Promise.all(cluster.brokers.map((broker) => broker.restart()));
        await writers.progress(20);
      }
      await writers.stop();
      expect(await compare(writers.acknowledged)).toEqual(NONE);
    }),
  );

  test(
    'keeps a group and a follower going through the loss of a broker',
    { timeout: 900_000 },
    faulty(async (signal) => {
      const abort = new AbortController();
      signal.addEventListener('abort', () => abort.abort());
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
      const reading = Promise.all([consuming, following]);
      // Should an append fail, that is what the test reports.
      reading.catch(() => {});
      await log.append(books(0, total / 2, { session: 's', markets: 24 }));
      await cluster.brokers[1]!.kill();
      await log.append(books(total / 2, total, { session: 's', markets: 24 }));
      await reading;
      expect(consumed.size).toBe(total);
      expect(followed.size).toBe(total);
    }),
  );
});

const nameOf = (event: LadderEvent): string =>
  'ordinal' in event ? `${event.session}/${event.ordinal}` : event.type;
