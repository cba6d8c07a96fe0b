import { LadderlogError } from '@ladderlog/core';
import { expect, test } from 'vitest';
import { FULL_EVENTS } from '../../../test/harness/log-events.ts';
import { createCodec } from '../src/avro/codec.ts';
import type { EventCodec } from '../src/record.ts';
import { LogRecord } from '../src/record.ts';
import { localSchemaIds } from './avro/local-schema-ids.ts';

const codec = createCodec(localSchemaIds());
const event = FULL_EVENTS.BookObserved;
const fields = { offset: 7, key: 'm', time: 1, value: codec.encode(event), fault: null };

test('a record is decoded when first asked for, and once for all who share it', () => {
  let decoded = 0;
  const counting: EventCodec = {
    ...codec,
    decode: (bytes) => {
      decoded++;
      return codec.decode(bytes);
    },
  };
  const record = new LogRecord(counting, fields);
  expect(record.type).toBe('BookObserved');
  expect(decoded).toBe(0);
  expect(record.decoded).toEqual({ ok: true, event });
  expect(record.decoded).toBe(record.decoded);
  expect(record.peek()).toBe(record.decoded);
  expect(decoded).toBe(1);
});

test('who only peeks has nothing kept', () => {
  const record = new LogRecord(codec, fields);
  expect(record.peek()).toEqual({ ok: true, event });
  expect(record.peek()).not.toBe(record.peek());
});

test('a record that the storage lost has its fault as the reason, and no type', () => {
  const fault = new LadderlogError('LOG_CORRUPT', 'checksum');
  const record = new LogRecord(codec, { ...fields, fault });
  expect(record.type).toBeNull();
  expect(record.decoded).toEqual({ ok: false, error: fault });
});

test('bytes that are no event are told as the codec tells it', () => {
  const record = new LogRecord(codec, { ...fields, value: new TextEncoder().encode('{}') });
  expect(record.type).toBeNull();
  expect(record.decoded).toMatchObject({ ok: false, error: { code: 'CODEC_FOREIGN_BYTES' } });
});
