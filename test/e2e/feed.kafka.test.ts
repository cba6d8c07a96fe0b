// Simulators → collectors → Kafka → feed and replay: the same as on the embedded log, by the same code.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VenueEvent } from '@ladderlog/core';
import { formatPosition, toIso, toRecord } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { positionsAt, positionsFromBeginning, readEvents } from '@ladderlog/log';
import type { ReplayItem } from '@ladderlog/replay';
import { inOrder, replayEvents } from '@ladderlog/replay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestFeed } from '../../packages/feed/test/harness.ts';
import { startFeed } from '../../packages/feed/test/harness.ts';
import type { TestCapture } from '../harness/capture.ts';
import { startCapture } from '../harness/capture.ts';
import { newPrefix, openTestLog, sharedKafka } from '../harness/kafka-log.ts';
import { ladderlog } from '../harness/ladderlog.ts';

const kafka = sharedKafka();
const prefix = newPrefix();

describe.skipIf(!kafka)('feed and replay on Kafka', () => {
  let log: EventLog;
  let capture: TestCapture;
  let feed: TestFeed;

  beforeAll(async () => {
    log = await openTestLog(kafka!, prefix);
    capture = await startCapture({ log, venues: ['venuec'] });
    feed = await startFeed(log, { clock: capture.clock });
  }, 120_000);
  afterAll(async () => {
    await feed?.close();
    await capture?.close();
    await log?.close();
  });

  const logged = async (): Promise<{ event: VenueEvent; seq: string }[]> => {
    const found: { event: VenueEvent; seq: string }[] = [];
    for await (const batch of readEvents(log, { from: await positionsFromBeginning(log, ['venuec']) }))
      for (const item of batch)
        if (item.event) found.push({ event: item.event as VenueEvent, seq: formatPosition(item.position) });
    return found;
  };

  test('a client follows, drops, resumes by position: every book of the log once, as recorded', async () => {
    const first = await feed.connect();
    first.send({ type: 'subscribe', venue: 'venuec' });
    const { positions } = await first.next('subscribed');
    const fresh = (): string[] => first.of('book').flatMap(({ seq, current }) => (current ? [] : [seq]));
    await first.until('books', () => fresh().length >= 100, 60_000);
    first.socket.terminate();
    const got = fresh();
    const places = new Map(positions.map((seq) => [seq.slice(0, seq.lastIndexOf('/')), seq]));
    for (const message of first.messages)
      if ('seq' in message && !('current' in message))
        places.set(message.seq.slice(0, message.seq.lastIndexOf('/')), message.seq);
    const second = await feed.connect();
    second.send({ type: 'subscribe', venue: 'venuec', from: { position: [...places.values()] } });
    await second.next('live');
    await second.until('more books', () => second.of('book').length >= 100, 60_000);
    second.socket.terminate();
    const resumed = second.of('book');
    const again = resumed.map(({ seq }) => seq);
    const all = [...got, ...again];
    expect(new Set(all).size).toBe(all.length);
    const records = await logged();
    const bySeq = new Map(records.map(({ event, seq }) => [seq, event]));
    for (const { seq, data } of resumed) {
      const event = bySeq.get(seq)!;
      if (event.type !== 'BookObserved') throw new Error(`${seq} is no book`);
      const [topic, partition, offset] = seq.split('/');
      const record = toRecord(event, { topic: topic!, partition: Number(partition), offset: Number(offset) });
      expect(data.orderbook).toEqual(record.orderbook);
      expect(data.timestamp).toBe(record.timestamp);
    }
  });

  test('a replay is in order of time and whole, and the same twice', async () => {
    await capture.stop();
    const range = { venues: ['venuec'] as const, from: 0, to: Number.MAX_SAFE_INTEGER };
    const seen: { seq: string; time: number }[] = [];
    const items: ReplayItem[] = [];
    for await (const item of replayEvents(log, range)) {
      items.push(item);
      seen.push({ seq: formatPosition(item.position), time: item.time });
    }
    expect(items.every((item, at) => at === 0 || inOrder(items[at - 1]!, item) < 0)).toBe(true);
    const records = await logged();
    expect(new Set(seen.map(({ seq }) => seq))).toEqual(new Set(records.map(({ seq }) => seq)));
    const again: string[] = [];
    for await (const item of replayEvents(log, range)) again.push(formatPosition(item.position));
    expect(again).toEqual(seen.map(({ seq }) => seq));
  });

  test('a new consumer group begins at a time', async () => {
    const records = await logged();
    const at = records[Math.floor(records.length / 2)]!.event.observedAt;
    const starts = await positionsAt(log, ['venuec'], at);
    await log.commit('research', starts);
    const begun = new Map<string, number>();
    const stop = new AbortController();
    const wanted = (await log.topics())
      .find(({ topic }) => topic === 'venuec')!
      .partitions.filter(({ partition, end }) => starts[partition]!.offset < end).length;
    const consuming = log.consume({
      group: 'research',
      topics: ['venuec'],
      signal: stop.signal,
      onAssigned: async () => null,
      onBatch: async ({ topic, partition, records: batch }) => {
        const place = `${topic}/${partition}`;
        if (!begun.has(place)) begun.set(place, batch[0]!.offset);
        await log.commit('research', [{ topic, partition, offset: batch.at(-1)!.offset + 1 }]);
        if (begun.size === wanted) stop.abort();
      },
    });
    await consuming;
    const chosen = new Map(starts.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
    expect([...begun]).toEqual([...begun.keys()].map((place) => [place, chosen.get(place)]));
    expect(begun.size).toBe(wanted);
  });

  test('the commands of docs/replay.md see the same log', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ladderlog-kafka-cli-'));
    const command = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await ladderlog([...args, '--data', folder, '--log-level', 'error'], {
        env: {
          LADDERLOG_KAFKA_BROKERS: kafka!.brokers.join(','),
          LADDERLOG_SCHEMA_REGISTRY_URL: kafka!.registryUrl,
          LADDERLOG_KAFKA_PREFIX: prefix,
        },
      });
      if (code !== 0) throw new Error(stderr);
      return stdout;
    };
    const lines = (text: string): { position: string }[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { position: string });
    try {
      const records = await logged();
      expect(JSON.parse(await command('log', 'ls', '--json'))).toMatchObject({
        log: 'kafka',
        topics: expect.arrayContaining([
          { topic: 'venuec', partitions: 4, records: records.length },
        ]) as unknown,
      });
      const offsets = JSON.parse(
        await command('log', 'offsets', 'venuec', '--group', 'research', '--json'),
      ) as { committed: number | null }[];
      expect(offsets.map(({ committed }) => committed)).toEqual(await log.committed('research', 'venuec'));
      const books = lines(await command('log', 'cat', 'venuec', '--type', 'BookObserved'));
      const expected = records.filter(({ event }) => event.type === 'BookObserved').map(({ seq }) => seq);
      expect(new Set(books.map(({ position }) => position))).toEqual(new Set(expected));
      const range = ['--to', toIso(capture.clock())];
      const replayed = await command('replay', '--venue', 'venuec', ...range);
      expect(replayed).toBe(await command('replay', '--venue', 'venuec', ...range));
      expect(replayed.split('\n').filter((line) => line.startsWith('{"type":"book"'))).toHaveLength(
        expected.length,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
