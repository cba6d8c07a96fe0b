// What others do to our topics: records of foreign producers, newer schemas, settings, an absent broker.

import type { LadderEvent } from '@ladderlog/core';
import { keyOf } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { openSqliteLog, positionsFromBeginning, readEvents } from '@ladderlog/log';
import confluent from '@kafkajs/confluent-schema-registry';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPrefix, openTestLog, sharedKafka, testLogger } from '../../../../test/harness/kafka-log.ts';
import { FULL_EVENTS, allEvents, bookAt, books } from '../../../../test/harness/log-events.ts';
import { connectKafka } from '../../src/kafka/client.ts';
import { EVENT_SCHEMAS } from '../../src/avro/schemas.ts';

const shared = sharedKafka();

describe.skipIf(!shared)('KafkaLog among others', () => {
  const kafka = shared!;
  const prefix = newPrefix();
  const client = shared && connectKafka({ brokers: kafka.brokers, logger: testLogger });
  let log: EventLog;

  beforeAll(async () => {
    log = await openTestLog(kafka, prefix);
  });
  afterAll(() => log.close());

  async function produce(topic: string, partition: number, values: (Buffer | null)[]): Promise<void> {
    const producer = client!.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({
      topic: prefix + topic,
      messages: values.map((value) => ({ key: 'foreign', value, partition, timestamp: '1763164800000' })),
    });
    await producer.disconnect();
  }

  test('hands out poison as errors with their position, and goes on', async () => {
    const good = Buffer.from(log.codec.encode(bookAt(0)));
    const unknownSchema = Buffer.from(good);
    unknownSchema.writeUInt32BE(987_654_321, 1);
    const partition = log.partitionOf('venueb', 'M0');
    await log.append([bookAt(0)]);
    await produce('venueb', partition, [
      Buffer.from('not avro at all'),
      unknownSchema,
      good.subarray(0, 40),
      Buffer.concat([good, Buffer.from([1, 2, 3])]),
      null,
      Buffer.alloc(0),
    ]);
    const [last] = await log.append([bookAt(7)]);

    const seen: string[] = [];
    for await (const batch of readEvents(log, { from: await positionsFromBeginning(log, ['venueb']) }))
      for (const one of batch) seen.push(`${one.position.offset} ${one.error ? one.error.code : 'ok'}`);
    const expected = [
      '0 ok',
      '1 CODEC_FOREIGN_BYTES',
      '2 CODEC_UNKNOWN_SCHEMA',
      '3 CODEC_CORRUPT',
      '4 CODEC_CORRUPT',
      '5 CODEC_FOREIGN_BYTES',
      '6 CODEC_FOREIGN_BYTES',
      '7 ok',
    ];
    expect(seen).toEqual(expected);

    const abort = new AbortController();
    const consumed: LogRecord[] = [];
    await log.consume({
      group: 'poison',
      topics: ['venueb'],
      signal: abort.signal,
      onAssigned: async () => 0,
      onBatch: async (batch) => {
        consumed.push(...batch.records);
        if (batch.records.at(-1)!.offset === last!.offset) abort.abort();
      },
    });
    expect(consumed.map((record) => record.offset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(consumed[1]!.time).toBe(1_763_164_800_000_000);
  });

  test('fetches the schema of a newer writer before it hands out its records', async () => {
    const registry = new confluent.SchemaRegistry({ host: kafka.registryUrl });
    const { name, text } = EVENT_SCHEMAS.KeyRevoked;
    const newer = JSON.parse(text) as { fields: object[] };
    newer.fields.push({ name: 'revoked_by', type: ['null', 'string'], default: null });
    const { id } = await registry.register(
      { type: confluent.SchemaType.AVRO, schema: JSON.stringify(newer) },
      { subject: name },
    );
    const { type: _type, keyId, ...rest } = FULL_EVENTS.KeyRevoked;
    const value = await registry.encode(id, { ...rest, key_id: keyId, revoked_by: 'ada' });
    await produce('control', 0, [value]);
    const events: (LadderEvent | null)[] = [];
    for await (const batch of readEvents(log, { from: [{ topic: 'control', partition: 0, offset: 0 }] }))
      events.push(...batch.map((one) => one.event));
    expect(events).toEqual([FULL_EVENTS.KeyRevoked]);
  });

  test('has the registry refuse a schema that could not read the log', async () => {
    const registry = new confluent.SchemaRegistry({ host: kafka.registryUrl });
    const { name, text } = EVENT_SCHEMAS.GapClosed;
    const broken = JSON.parse(text) as { fields: object[] };
    broken.fields.push({ name: 'without_default', type: 'string' });
    await expect(
      registry.register(
        { type: confluent.SchemaType.AVRO, schema: JSON.stringify(broken) },
        { subject: name },
      ),
    ).rejects.toMatchObject({ status: 409 });
  });

  test('makes topics that keep records for ever and take the largest', async () => {
    const admin = client!.admin();
    await admin.connect();
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: ['venuea', 'venuea.frames', 'control'].map((topic) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: prefix + topic,
      })),
    });
    await admin.disconnect();
    for (const { configEntries } of resources) {
      const settings = Object.fromEntries(configEntries.map((one) => [one.configName, one.configValue]));
      expect(settings).toMatchObject({
        'retention.ms': '-1',
        'retention.bytes': '-1',
        'cleanup.policy': 'delete',
        'message.timestamp.type': 'CreateTime',
        // One broker, one copy: it must be on its disk.
        'flush.messages': '1',
      });
      expect(Number(settings['max.message.bytes'])).toBeGreaterThan(8 * 1024 * 1024);
    }
  });

  test('puts the same keys on the same partitions as SQLite', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ladderlog-'));
    const sqlite = await openSqliteLog({ path: join(folder, 'log.sqlite'), logger: testLogger });
    try {
      const events = [...allEvents(), ...books(0, 500, { markets: 250, venue: 'venuec' })];
      const [ours, theirs] = [await sqlite.append(events), await log.append(events)];
      expect(ours.map(({ topic, partition }) => [topic, partition])).toEqual(
        theirs.map(({ topic, partition }) => [topic, partition]),
      );
      for (const event of events)
        expect(sqlite.partitionOf('venuec', keyOf(event))).toBe(log.partitionOf('venuec', keyOf(event)));
    } finally {
      await sqlite.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('takes times before and after now', async () => {
    const years = 365 * 86_400_000_000;
    const events = [-5, 3, -1].map((shift, ordinal) => ({
      ...bookAt(ordinal, { venue: 'venuea', markets: 1 }),
      observedAt: 1_763_164_800_123_456 + shift * years,
    }));
    const positions = await log.append(events);
    const { partition } = positions[0]!;
    const offsets = await log.offsetsAt('venuea', events[2]!.observedAt);
    expect(offsets[partition]).toBe(1);
    expect((await log.offsetsAt('venuea', events[0]!.observedAt + 1))[partition]).toBe(1);
    expect((await log.offsetsAt('venuea', events[0]!.observedAt))[partition]).toBe(0);
  });

  test('says nothing above debug in normal work', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const quiet = await openTestLog(kafka, newPrefix(), { logger });
    await quiet.append(books(0, 50));
    const abort = new AbortController();
    let count = 0;
    await quiet.consume({
      group: 'fresh',
      topics: ['venueb'],
      signal: abort.signal,
      onAssigned: async () => null,
      onBatch: async (batch) => {
        count += batch.records.length;
        if (count === 50) abort.abort();
      },
    });
    await quiet.close();
    expect(lines).toEqual([]);
  });

  test.skipIf(!shared?.secure)(
    'connects with TLS and a password, and is refused with a wrong one',
    async () => {
      const { addresses, ca, username, password } = kafka.secure!;
      const secure = (word: string): Promise<EventLog> =>
        openTestLog({ brokers: addresses, registryUrl: kafka.registryUrl }, prefix, {
          ssl: { ca },
          sasl: { mechanism: 'plain', username, password: word },
          retryForMs: 60_000,
        });
      const other = await secure(password);
      const [position] = await other.append([bookAt(0, { venue: 'venuec' })]);
      const abort = new AbortController();
      const seen: number[] = [];
      await other.consume({
        group: 'secure',
        topics: ['venuec'],
        signal: abort.signal,
        onAssigned: async () => null,
        onBatch: async (batch) => {
          seen.push(...batch.records.map((record) => record.offset));
          if (batch.partition === position!.partition && seen.includes(position!.offset)) abort.abort();
        },
      });
      await other.close();
      await expect(secure('wrong')).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: false });
    },
  );

  test('fails with a retryable error, in bounded time, when no broker answers', async () => {
    await expect(
      openTestLog({ brokers: ['127.0.0.1:1'], registryUrl: kafka.registryUrl }, prefix, { retryForMs: 300 }),
    ).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: true });
    await expect(
      openTestLog({ brokers: kafka.brokers, registryUrl: 'http://127.0.0.1:1' }, prefix, { retryForMs: 300 }),
    ).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: true });
  });
});
