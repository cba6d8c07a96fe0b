// Another implementation agrees on the bytes: fastavro reads our events from Kafka through the registry's Confluent API.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LadderEvent } from '@ladderlog/core';
import { TOPICS, keyOf, timeOf, toMillis } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPrefix, openTestLog, sharedKafka } from '../../../../test/harness/kafka-log.ts';
import { pythonWithAvro } from '../../../../test/harness/kafka-python.ts';
import { allEvents, books } from '../../../../test/harness/log-events.ts';

const kafka = sharedKafka();
const python = kafka && (await pythonWithAvro());

type Line = {
  topic: string;
  partition: number;
  offset: number;
  key: string;
  timestamp: number;
  magic: number;
  name: string;
  unread: number;
  event: unknown;
};

describe.skipIf(!python)('fastavro', () => {
  const prefix = newPrefix();
  let log: EventLog;
  beforeAll(async () => {
    log = await openTestLog(kafka!, prefix);
  });
  afterAll(() => log.close());

  test('decodes every kind of event to the same values', async () => {
    const events: LadderEvent[] = [...allEvents(), ...books(0, 200, { levels: 100 })];
    const positions = await log.append(events);
    const { stdout } = await promisify(execFile)(
      python!,
      [
        join(import.meta.dirname, 'read_topics.py'),
        kafka!.brokers.join(','),
        kafka!.registryUrl,
        ...TOPICS.map((topic) => prefix + topic),
      ],
      { maxBuffer: 256 * 1024 * 1024 },
    );
    const lines = new Map(
      stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text) as Line)
        .map((line) => [`${line.topic}/${line.partition}/${line.offset}`, line]),
    );
    expect(lines.size).toBe(events.length);
    events.forEach((event, index) => {
      const { topic, partition, offset } = positions[index]!;
      expect(lines.get(`${prefix}${topic}/${partition}/${offset}`)).toEqual({
        topic: prefix + topic,
        partition,
        offset,
        key: keyOf(event),
        timestamp: toMillis(timeOf(event)),
        magic: 0,
        name: `ladderlog.v1.${event.type}`,
        unread: 0,
        event: inAvro(event),
      });
    });
  });
});

/** The event under the names of its schema, bytes as the Python prints them. */
function inAvro(event: LadderEvent): unknown {
  const { type: _type, ...fields } = event;
  return snakeCase(fields);
}

function snakeCase(value: unknown, isMap = false): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map((part) => snakeCase(part));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      isMap ? name : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCase(part, name === 'settings' || name === 'nativeIds'),
    ]),
  );
}
