import type { LadderEvent } from '@ladderlog/core';
import { EVENT_TYPES, timeOf, toMillis } from '@ladderlog/core';
import { describe, expect, test } from 'vitest';
import { allEvents, bookAt } from '../../../../test/harness/log-events.ts';
import { createCodec } from '../../src/avro/codec.ts';
import { toLogRecord } from '../../src/kafka/records.ts';
import { EVENT_SCHEMAS } from '../../src/avro/schemas.ts';

const codec = createCodec({
  idOf: (type) => EVENT_TYPES.indexOf(type) + 1,
  schemaOf: (id) => EVENT_SCHEMAS[EVENT_TYPES[id - 1]!]?.text ?? null,
});

const recordOf = (value: Buffer | null, timestamp: number) => ({
  offset: '7',
  timestamp: String(timestamp),
  key: Buffer.from('k'),
  value,
});
const encoded = (event: LadderEvent): Buffer => Buffer.from(codec.encode(event));

describe('a record from Kafka', () => {
  test('has the microseconds of its event, of every kind', () => {
    for (const event of allEvents())
      expect(toLogRecord(recordOf(encoded(event), toMillis(timeOf(event))), codec).time).toBe(timeOf(event));
  });

  test('has them without the event being decoded, but for keys', () => {
    const undecoded = {
      ...codec,
      decode: () => {
        throw new Error('decoded');
      },
    };
    for (const event of allEvents().filter((one) => 'observedAt' in one))
      expect(toLogRecord(recordOf(encoded(event), toMillis(timeOf(event))), undecoded).time).toBe(
        timeOf(event),
      );
  });

  test("has Kafka's time when the bytes say another, or nothing", () => {
    for (const value of [encoded(bookAt(0)), Buffer.from('foreign'), Buffer.alloc(0), null])
      expect(toLogRecord(recordOf(value, 1_700_000_000_000), codec).time).toBe(1_700_000_000_000_000);
  });
});
