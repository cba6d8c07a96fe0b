// What every EventLog must do. Run for SqliteLog and KafkaLog; a difference between the two is a bug in one of them.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LadderEvent, Position } from '@ladderlog/core';
import { keyOf, timeOf, TOPICS, topicOf } from '@ladderlog/core';
import type { EventLog, LogBatch } from '@ladderlog/log';
import { positionsAt, positionsFromBeginning, readEvents } from '@ladderlog/log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allEvents, bookAt, books, FULL_EVENTS, timeOfBook } from '../harness/log-events.ts';
import { liveBytes } from '../harness/log-memory.ts';
import { Consumer, firstBatch, readAll } from '../harness/log-reading.ts';

/** One log, empty at first. */
export type LogUnderTest = {
  /** A handle of its own, as another process would have; also after all others were closed. */
  open(): Promise<EventLog>;
  /** Handles are closed already. */
  dispose(): Promise<void>;
};

const FULL = process.env['LADDERLOG_FULL'] === '1';
const EVENTS = FULL ? 1_000_000 : 20_000;

export function logContract(name: string, create: () => Promise<LogUnderTest>): void {
  describe(`${name} keeps the contract of the event log`, () => {
    let under: LogUnderTest;
    let handles: EventLog[];
    const open = async (): Promise<EventLog> => {
      const log = await under.open();
      handles.push(log);
      return log;
    };

    beforeEach(async () => {
      handles = [];
      under = await create();
    });
    afterEach(async () => {
      await Promise.all(handles.map((log) => log.close()));
      await under.dispose();
    });

    test('lists its topics and partitions, empty at first', async () => {
      const log = await open();
      const topics = await log.topics();
      expect(topics.map((info) => info.topic).sort()).toEqual([...TOPICS].sort());
      for (const info of topics)
        expect(info.partitions).toEqual([0, 1, 2, 3].map((partition) => ({ partition, begin: 0, end: 0 })));
    });

    test("partitions by Kafka's murmur2 of the key", async () => {
      const log = await open();
      // The vectors of Kafka's own UtilsTest, made positive, of 4 partitions.
      const vectors: [string, number][] = [
        ['21', -973_932_308],
        ['foobar', -790_332_482],
        ['a-little-bit-long-string', -985_981_536],
        ['a-little-bit-longer-string', -1_486_304_829],
        ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
        ['abc', 479_470_107],
      ];
      for (const [market, hash] of vectors) {
        const [position] = await log.append([{ ...bookAt(0), market }]);
        expect(position!.partition).toBe((hash & 0x7fffffff) % 4);
        expect(log.partitionOf('venueb', market)).toBe(position!.partition);
      }
    });

    test('gives back every kind of event as it was appended', async () => {
      const log = await open();
      const events = allEvents();
      const positions = await log.append(events);
      expect(positions.map((position) => position.topic)).toEqual(events.map(topicOf));
      const read = await readAll(log);
      for (const [index, event] of events.entries()) {
        const found = read.find((one) => isDeepStrictEqual(one.position, positions[index]));
        expect(found?.event).toEqual(event);
        expect(found!.key).toBe(keyOf(event));
        expect(found!.time).toBe(timeOf(event));
      }
      expect(read).toHaveLength(events.length);
    });

    test('appends in order, with dense offsets a partition', async () => {
      const log = await open();
      const seen = new Map<number, number>();
      for (let round = 0; round < 5; round++) {
        const events = books(round * 40, (round + 1) * 40);
        const positions = await log.append(events);
        for (const [index, position] of positions.entries()) {
          expect(position.partition).toBe(log.partitionOf(position.topic, keyOf(events[index]!)));
          expect(position.offset).toBe(seen.get(position.partition) ?? 0);
          seen.set(position.partition, position.offset + 1);
        }
      }
      expect(await log.append([])).toEqual([]);
      const read = await readAll(log, ['venueb']);
      const ordinals = new Map<string, number>();
      for (const one of read) {
        expect(ordinalOf(one.event)).toBeGreaterThan(ordinals.get(one.key) ?? -1);
        ordinals.set(one.key, ordinalOf(one.event));
      }
      expect(read).toHaveLength(200);
    });

    test('reads batches of consecutive records, from and to given offsets', async () => {
      const log = await open();
      await log.append(books(0, 400));
      const { partitions } = (await log.topics()).find((info) => info.topic === 'venueb')!;
      const from = partitions.map(({ partition, end }) => at('venueb', partition, Math.floor(end / 4)));
      const to = partitions.map(({ partition, end }) => at('venueb', partition, Math.floor(end / 2)));
      const next = new Map(from.map((position) => [position.partition, position.offset]));
      for await (const batch of log.read({ from, to })) {
        expect(batch.records.length).toBeGreaterThan(0);
        expect(batch.end).toBe(partitions[batch.partition]!.end);
        for (const record of batch.records) {
          expect(record.offset).toBe(next.get(batch.partition));
          expect(record.fault).toBeNull();
          next.set(batch.partition, record.offset + 1);
        }
      }
      expect([...next]).toEqual(to.map((position) => [position.partition, position.offset]));
    });

    test('ends at the end offsets of the call when nothing else is said', async () => {
      const log = await open();
      await log.append(books(0, 50));
      const from = await positionsFromBeginning(log, ['venueb']);
      const iterator = log.read({ from })[Symbol.asyncIterator]();
      const first = await iterator.next();
      await log.append(books(50, 100));
      let count = (first.value as LogBatch).records.length;
      for (let step = await iterator.next(); !step.done; step = await iterator.next())
        count += step.value.records.length;
      expect(count).toBe(50);
    });

    test('ends at the end offsets of the call also when asked for more', async () => {
      const log = await open();
      await log.append(books(0, 50));
      const from = await positionsFromBeginning(log, ['venueb']);
      const to = from.map((position) => ({ ...position, offset: 1_000 }));
      let count = 0;
      for await (const batch of log.read({ from, to })) count += batch.records.length;
      expect(count).toBe(50);
    });

    test('finds everything of a range of times', async () => {
      const log = await open();
      for (let n = 0; n < 300; n += 30) await log.append(books(n, n + 30));
      const times = { from: timeOfBook(100), to: timeOfBook(200) };
      const inside: number[] = [];
      const from = await positionsFromBeginning(log, ['venueb']);
      for await (const batch of readEvents(log, { from, times }))
        for (const one of batch)
          if (one.event && one.time >= times.from && one.time < times.to) inside.push(ordinalOf(one.event));
      expect(inside.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => 100 + index));
    });

    test('finds the offset at a time', async () => {
      const log = await open();
      for (let n = 0; n < 300; n += 30) await log.append(books(n, n + 30));
      const all = await readAll(log, ['venueb']);
      for (const time of [0, timeOfBook(0), timeOfBook(137), timeOfBook(299), timeOfBook(300)]) {
        const offsets = await log.offsetsAt('venueb', time);
        for (const [partition, offset] of offsets.entries()) {
          const mine = all.filter((one) => one.position.partition === partition);
          const first = mine.find((one) => one.time >= time);
          expect(offset).toBe(first?.position.offset ?? mine.length);
        }
        expect(await positionsAt(log, ['venueb'], time)).toEqual(
          offsets.map((offset, partition) => at('venueb', partition, offset)),
        );
      }
    });

    test('follows the tail, also what another handle appends', async () => {
      const [log, other] = [await open(), await open()];
      await log.append(books(0, 10));
      const abort = new AbortController();
      const ordinals: number[] = [];
      let appended = 10;
      const from = await positionsFromBeginning(log, ['venueb']);
      for await (const batch of readEvents(log, { from, follow: true, signal: abort.signal })) {
        for (const one of batch) ordinals.push(ordinalOf(one.event));
        if (ordinals.length < appended) continue;
        if (appended === 50) abort.abort();
        else {
          await (appended % 20 === 10 ? other : log).append(books(appended, appended + 10));
          appended += 10;
        }
      }
      expect(ordinals.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index));
    });

    test('stops reading on abort, in the middle and while it waits, without an error', async () => {
      const log = await open();
      await log.append(books(0, 500));
      const from = await positionsFromBeginning(log, ['venueb']);
      const middle = new AbortController();
      let batches = 0;
      for await (const _ of log.read({ from, signal: middle.signal })) {
        batches++;
        middle.abort();
      }
      expect(batches).toBe(1);

      const { partitions } = (await log.topics()).find((info) => info.topic === 'venueb')!;
      const idle = new AbortController();
      const end = partitions.map(({ partition, end }) => at('venueb', partition, end));
      const waiting = firstBatch(log.read({ from: end, follow: true, signal: idle.signal }));
      await nextTurn();
      idle.abort();
      expect(await waiting).toBeUndefined();

      const before = AbortSignal.abort();
      expect(await firstBatch(log.read({ from, signal: before }))).toBeUndefined();
    });

    test('keeps the committed offsets of a group', async () => {
      const log = await open();
      await log.append(books(0, 100));
      expect(await log.committed('g', 'venueb')).toEqual([null, null, null, null]);
      await log.commit('g', [at('venueb', 0, 3), at('venueb', 2, 1)]);
      await log.commit('g', [at('venueb', 0, 4)]);
      expect(await log.committed('g', 'venueb')).toEqual([4, null, 1, null]);
      expect(await log.committed('other', 'venueb')).toEqual([null, null, null, null]);
      await log.close();
      expect(await (await open()).committed('g', 'venueb')).toEqual([4, null, 1, null]);
    });

    test('consumes from the committed offset, or from where the reader says', async () => {
      const log = await open();
      await log.append(books(0, 200));
      const first = new Consumer(log, { group: 'g', topics: ['venueb'], commit: true });
      await first.saw(200);
      await first.stop();
      await log.append(books(200, 260));
      const second = new Consumer(log, { group: 'g', topics: ['venueb'], commit: true });
      await second.saw(60);
      await second.stop();
      expect(second.ordinals()).toEqual(Array.from({ length: 60 }, (_, index) => 200 + index));

      const third = new Consumer(log, { group: 'g', topics: ['venueb'], from: () => 0 });
      await third.saw(260);
      await third.stop();
      expect(third.ordinals()).toEqual(Array.from({ length: 260 }, (_, index) => index));
    });

    test('shares the partitions among two members, and moves them when one leaves', async () => {
      const [log, other] = [await open(), await open()];
      const one = new Consumer(log, { group: 'g', topics: ['venueb'], commit: true });
      await one.owns(4);
      const two = new Consumer(other, { group: 'g', topics: ['venueb'], commit: true });
      await two.owns(2);
      await one.owns(2);
      expect([...one.assigned, ...two.assigned].sort((a, b) => a - b)).toEqual([0, 1, 2, 3]);
      // kafkajs hands over by restarting every member; what counts is that the partitions that moved were given up.
      for (const partition of two.assigned) expect(one.revoked).toContain(partition);

      await log.append(books(0, 300, { markets: 40 }));
      await Consumer.sawTogether([one, two], 300);
      expect([...one.ordinals(), ...two.ordinals()].sort((a, b) => a - b)).toEqual(
        Array.from({ length: 300 }, (_, index) => index),
      );
      expect(one.ordinals().length).toBeGreaterThan(0);
      expect(two.ordinals().length).toBeGreaterThan(0);

      const lastOfTwo = two.lastControl!;
      expect(lastOfTwo.isStale()).toBe(false);
      await two.stop();
      expect(lastOfTwo.isStale()).toBe(true);
      await one.owns(4);
      const before = one.ordinals().length;
      await log.append(books(300, 400, { markets: 40 }));
      await one.saw(before + 100);
      await one.stop();
      expect(one.ordinals().slice(-100).length).toBe(100);
    });

    test('ends consume with the error of its reader', async () => {
      const log = await open();
      await log.append(books(0, 20));
      const abort = new AbortController();
      await expect(
        log.consume({
          group: 'g',
          topics: ['venueb'],
          signal: abort.signal,
          onAssigned: async () => null,
          onBatch: async () => {
            throw new Error('the reader failed');
          },
        }),
      ).rejects.toThrow('the reader failed');
    });

    test('has everything after a restart, and goes on', async () => {
      const first = await open();
      const before = await first.append(books(0, 100));
      await first.close();
      const second = await open();
      const after = await second.append(books(100, 200));
      for (const position of after) {
        const last = before.findLast((earlier) => earlier.partition === position.partition);
        expect(position.offset).toBeGreaterThan(last?.offset ?? -1);
      }
      const ordinals = (await readAll(second, ['venueb'])).map((one) => ordinalOf(one.event));
      expect(ordinals.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index));
    });

    test('refuses a record of 10 MB, with nothing of its batch written', async () => {
      const log = await open();
      const huge: LadderEvent = { ...FULL_EVENTS.FrameCaptured, body: new Uint8Array(10 * 1024 * 1024) };
      await expect(log.append([FULL_EVENTS.FrameCaptured, huge])).rejects.toMatchObject({
        code: 'LOG_RECORD_TOO_LARGE',
        retryable: false,
      });
      await log.append([FULL_EVENTS.FrameCaptured]);
      const largest: LadderEvent = { ...FULL_EVENTS.FrameCaptured, body: randomBytes(7 * 1024 * 1024) };
      await log.append([largest]);
      const read = await readAll(log);
      expect(read).toHaveLength(2);
      expect(isDeepStrictEqual(read[1]?.event, largest)).toBe(true);
    });

    test('knows its topics only, and its offsets only', async () => {
      const log = await open();
      await log.append(books(0, 10));
      const unknown = { code: 'LOG_UNKNOWN_TOPIC' };
      await expect(firstBatch(log.read({ from: [at('nowhere', 0, 0)] }))).rejects.toMatchObject(unknown);
      await expect(log.offsetsAt('nowhere', 0)).rejects.toMatchObject(unknown);
      await expect(log.append([{ ...bookAt(0), venue: 'nowhere' as never }])).rejects.toMatchObject({
        code: expect.stringMatching(/^(LOG_UNKNOWN_TOPIC|BAD_ARGUMENT)$/),
      });
      await expect(firstBatch(log.read({ from: [at('venueb', 9, 0)] }))).rejects.toMatchObject(unknown);
      await expect(firstBatch(log.read({ from: [at('venueb', 0, 1_000)] }))).rejects.toMatchObject({
        code: 'LOG_OFFSET_OUT_OF_RANGE',
      });
    });

    test('takes appends of several writers at once, each in its own order', async () => {
      const writers = await Promise.all([open(), open(), open()]);
      await Promise.all(
        writers.map(async (log, writer) => {
          const sends: Promise<Position[]>[] = [];
          for (let n = 0; n < 300; n += 3)
            sends.push(log.append(books(n, n + 3, { session: `w${writer}`, markets: 5 })));
          await Promise.all(sends);
        }),
      );
      const read = await readAll(writers[0], ['venueb']);
      expect(read).toHaveLength(900);
      const last = new Map<string, number>();
      const next = new Map<number, number>();
      for (const one of read) {
        expect(one.position.offset).toBe(next.get(one.position.partition) ?? 0);
        next.set(one.position.partition, one.position.offset + 1);
        const event = one.event as { session: string; ordinal: number };
        const lane = `${event.session}/${one.key}`;
        expect(event.ordinal).toBeGreaterThan(last.get(lane) ?? -1);
        last.set(lane, event.ordinal);
      }
    });

    test('says when it is closed', async () => {
      const log = await open();
      await log.append(books(0, 5));
      const from = await positionsFromBeginning(log, ['venueb']);
      const pending = log.append(books(5, 10));
      await log.close();
      await pending;
      await log.close();
      await expect(log.append(books(0, 1))).rejects.toMatchObject({ code: 'LOG_CLOSED' });
      await expect(firstBatch(log.read({ from }))).rejects.toMatchObject({ code: 'LOG_CLOSED' });
      await expect(log.topics()).rejects.toMatchObject({ code: 'LOG_CLOSED' });
      expect(await readAll(await open(), ['venueb'])).toHaveLength(10);
    });

    test(`${EVENTS.toLocaleString('en')} events in and out are equal`, { timeout: 900_000 }, async () => {
      const log = await open();
      const sends: Promise<Position[]>[] = [];
      for (let n = 0; n < EVENTS; n += 500) {
        sends.push(log.append(books(n, Math.min(n + 500, EVENTS), { markets: 50 })));
        if (sends.length >= 4) await sends.shift();
      }
      await Promise.all(sends);
      const seen = new Uint8Array(EVENTS);
      const from = await positionsFromBeginning(log, ['venueb']);
      let different = 0;
      for await (const batch of readEvents(log, { from }))
        for (const one of batch) {
          const n = ordinalOf(one.event);
          seen[n]!++;
          if (!isDeepStrictEqual(one.event, bookAt(n, { markets: 50 }))) different++;
        }
      expect(different).toBe(0);
      expect(seen.every((count) => count === 1)).toBe(true);
    });

    test('reads with bounded memory', { timeout: 300_000 }, async () => {
      const log = await open();
      const frames = FULL ? 40_000 : 8_000;
      // Compresses well, so that the log itself stays small while what is read is 128 MB (640 MB).
      const body = new Uint8Array(16 * 1024).fill(120);
      for (let n = 0; n < frames; n += 400)
        await log.append(
          Array.from({ length: 400 }, (_, index) => ({
            ...FULL_EVENTS.FrameCaptured,
            ordinal: n + index,
            body,
          })),
        );
      const from = await positionsFromBeginning(log, ['venueb.frames']);
      let most = 0;
      let count = 0;
      let batches = 0;
      const before = liveBytes();
      for await (const batch of log.read({ from })) {
        count += batch.records.length;
        if (batches++ % 8 === 0) most = Math.max(most, liveBytes() - before);
      }
      expect(count).toBe(frames);
      expect(most).toBeLessThan(48 * 1024 * 1024);
    });
  });
}

const at = (topic: string, partition: number, offset: number): Position => ({ topic, partition, offset });
const ordinalOf = (event: LadderEvent | null): number => (event as { ordinal: number }).ordinal;

function randomBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = 12_345;
  for (let index = 0; index < size; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 16;
  }
  return bytes;
}
