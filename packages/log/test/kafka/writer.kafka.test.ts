// Answers that do not come, and a broker that no longer knows the producer: whatever was written before is found, not repeated.

import type { Broker, Cluster } from 'kafkajs';
import kafkajs from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPrefix, sharedKafka, testLogger } from '../../../../test/harness/kafka-log.ts';
import { connectCluster, connectKafka } from '../../src/kafka/client.ts';
import type { OutRecord } from '../../src/kafka/failed-appends.ts';
import type { WideBroker } from '../../src/kafka/kafkajs-internals.ts';
import { fetchSpans } from '../../src/kafka/reader.ts';
import { PartitionWriter } from '../../src/kafka/writer.ts';

const shared = sharedKafka();

type Produce = Parameters<Broker['produce']>[0] & { producerEpoch: number };
type Send = (request: Produce) => Promise<unknown>;
/** What happens to one attempt instead of simply being sent. */
type Fault = (send: Send, request: Produce) => Promise<unknown>;

/** So old that the broker forgets the producer at its next look, and then takes any batch of it. */
const OLD = '1600000000000';
const LOOKS_EVERY_MS = 500;

const records = (...names: string[]): OutRecord[] =>
  names.map((name) => ({ key: 'M', value: Buffer.from(name), timestamp: OLD }));

const noAnswer = (): Error => new kafkajs.KafkaJSConnectionError('the connection broke');

const pass: Fault = (send, request) => send(request);
const answerLost: Fault = async (send, request) => {
  await send(request);
  throw noAnswer();
};
const neverSent: Fault = () => Promise.reject(noAnswer());

/** Somebody writes under the producer's id with a newer epoch: from now on the broker itself refuses ours. */
const thenFenced =
  (fault: Fault): Fault =>
  async (send, request) => {
    try {
      return await fault(send, request);
    } finally {
      const { topic, partitions } = request.topicData[0]!;
      const partition = { ...partitions[0]!, firstSequence: 0, messages: records('fence') };
      await send({
        ...request,
        producerEpoch: request.producerEpoch + 1,
        topicData: [{ topic, partitions: [partition] }],
      });
    }
  };

/** The real cluster, but for what the next attempts to produce meet. */
const withFaults = (real: Cluster, faults: Fault[]): Cluster =>
  new Proxy(real, {
    get(target, name) {
      if (name !== 'findBroker') {
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      }
      return async (node: Parameters<Cluster['findBroker']>[0]) => {
        const broker = await target.findBroker(node);
        const send: Send = (request) => broker.produce(request);
        const produce: Send = (request) => (faults.shift() ?? pass)(send, request);
        const { listOffsets } = broker as WideBroker;
        return { produce, fetch: broker.fetch.bind(broker), listOffsets: listOffsets.bind(broker) };
      };
    },
  });

describe.skipIf(!shared)('the writer of a partition', () => {
  const connection = { brokers: shared?.brokers ?? [], logger: testLogger };
  const client = connectKafka(connection);
  const events: string[] = [];
  const logger = pino(
    { level: 'warn' },
    { write: (line: string) => void events.push((JSON.parse(line) as { event: string }).event) },
  );
  let real: Cluster;

  beforeAll(async () => {
    real = await connectCluster(connection);
  });
  afterAll(() => real.disconnect());

  function writerOf(topic: string, faults: Fault[], retryForMs: number): PartitionWriter {
    const cluster = withFaults(real, faults);
    return new PartitionWriter({ cluster, topic, partition: 0, retryForMs, logger });
  }

  /** A writer on a new topic; each attempt to produce takes the next fault from the list. */
  async function writerWith(faults: Fault[], retryForMs: number): Promise<[PartitionWriter, string]> {
    const topic = `${newPrefix()}writer`;
    const admin = client.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    await admin.disconnect();
    await real.addTargetTopic(topic);
    events.length = 0;
    return [writerOf(topic, faults, retryForMs), topic];
  }

  async function contentOf(topic: string): Promise<string[]> {
    const ends = await real.fetchTopicsOffset([
      { topic, partitions: [{ partition: 0 }], fromBeginning: false },
    ]);
    const stop = Number(ends[0]!.partitions[0]!.offset);
    const spans = [{ topic, partition: 0, next: 0, stop }];
    const found: string[] = [];
    for await (const batch of fetchSpans({
      cluster: real,
      spans,
      signal: new AbortController().signal,
      retryForMs: 60_000,
      logger: testLogger,
      onIdle() {},
    }))
      found.push(...batch.records.map(({ value }) => String(value)));
    return found;
  }

  test('a repeat after a lost answer is not stored again', async () => {
    const [writer, topic] = await writerWith([answerLost, answerLost], 120_000);
    expect(await writer.append(records('a', 'b'))).toEqual([0, 1]);
    expect(await writer.append(records('c'))).toEqual([2]);
    expect(await contentOf(topic)).toEqual(['a', 'b', 'c']);
    expect(events).toEqual([]);
  });

  test('nor when the broker has forgotten the producer, as it does when records are old', async () => {
    const forgotten: Fault = async (send, request) => {
      await send(request);
      await sleep(3 * LOOKS_EVERY_MS);
      throw noAnswer();
    };
    const [writer, topic] = await writerWith([pass, forgotten], 120_000);
    expect(await writer.append(records('a'))).toEqual([0]);
    expect(await writer.append(records('b', 'c'))).toEqual([1, 2]);
    expect(await writer.append(records('d'))).toEqual([3]);
    expect(await contentOf(topic)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a batch that is in the log is found when the broker refuses the producer', async () => {
    const [writer, topic] = await writerWith([pass, thenFenced(answerLost)], 120_000);
    expect(await writer.append(records('a'))).toEqual([0]);
    expect(await writer.append(records('b', 'c'))).toEqual([1, 2]);
    expect(await writer.append(records('d'))).toEqual([4]);
    expect(await contentOf(topic)).toEqual(['a', 'b', 'c', 'fence', 'd']);
    expect(events).toEqual(['log.kafka.producer_reset']);
  });

  test('a batch that is not in the log goes out under a new producer, once', async () => {
    const [writer, topic] = await writerWith([pass, thenFenced(neverSent), pass, answerLost], 120_000);
    expect(await writer.append(records('a'))).toEqual([0]);
    expect(await writer.append(records('b', 'c'))).toEqual([2, 3]);
    expect(await contentOf(topic)).toEqual(['a', 'fence', 'b', 'c']);
  });

  test('the first batch of a writer is found too, behind what others wrote', async () => {
    const [other, topic] = await writerWith([], 120_000);
    await other.append(records('x', 'y'));
    const writer = writerOf(topic, [thenFenced(answerLost)], 120_000);
    expect(await writer.append(records('a'))).toEqual([2]);
    expect(await contentOf(topic)).toEqual(['x', 'y', 'a', 'fence']);
  });

  test('what failed and is repeated by the caller is answered from the log, with newer records behind it', async () => {
    // No time to try again: every attempt is an append that fails.
    const [writer, topic] = await writerWith([pass, thenFenced(answerLost)], 0);
    await writer.append(records('a'));
    await expect(writer.append(records('b', 'c'))).rejects.toMatchObject({
      code: 'LOG_UNAVAILABLE',
      retryable: true,
    });
    const offsets: number[] = [];
    while (offsets.length === 0)
      await writer.append([...records('b', 'c'), ...records('d')]).then(
        (found) => offsets.push(...found),
        () => {},
      );
    expect(offsets).toEqual([1, 2, 4]);
    expect(await contentOf(topic)).toEqual(['a', 'b', 'c', 'fence', 'd']);
  });
});
