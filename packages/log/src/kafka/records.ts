// Kafka's records as the log's. Kafka keeps milliseconds; the microseconds are in the event itself, near the front.

import type { Micros } from '@ladderlog/core';
import { LadderlogError, MICROS_PER_MS, fromMillis, timeOf } from '@ladderlog/core';
import { AvroReader } from '../avro/avro-reader.ts';
import { HEADER_BYTES } from '../avro/codec.ts';
import type { FetchedRecord } from './kafkajs-internals.ts';
import type { EventCodec } from '../record.ts';
import { LogRecord } from '../record.ts';

const EMPTY = new Uint8Array(0);
const reader = new AvroReader();

export function toLogRecord(record: FetchedRecord, codec: EventCodec): LogRecord {
  const offset = Number(record.offset);
  const key = record.key?.toString('utf8') ?? '';
  const ms = Number(record.timestamp);
  if (record.value === null)
    return new LogRecord(codec, {
      offset,
      key,
      time: fromMillis(ms),
      value: EMPTY,
      fault: new LadderlogError('CODEC_FOREIGN_BYTES', 'a record without a value', { details: { offset } }),
    });
  const time = exactTime(record.value, ms, codec);
  return new LogRecord(codec, { offset, key, time, value: record.value, fault: null });
}

/**
 * Venue events begin with venue, market and observed_at, so the time is found without decoding the rest. What is found counts
 * only if it is within the record's millisecond; otherwise the whole event is asked, and bytes that are none have Kafka's time.
 */
function exactTime(value: Buffer, ms: number, codec: EventCodec): Micros {
  const peeked = peekTime(value);
  if (peeked !== null && Math.floor(peeked / MICROS_PER_MS) === ms) return peeked;
  const decoded = codec.decode(value);
  if (decoded.ok && Math.floor(timeOf(decoded.event) / MICROS_PER_MS) === ms) return timeOf(decoded.event);
  return fromMillis(ms);
}

function peekTime(value: Buffer): Micros | null {
  if (value.length <= HEADER_BYTES) return null;
  try {
    reader.open(value, HEADER_BYTES);
    reader.long();
    const market = reader.length('string');
    reader.at += market;
    return reader.long();
  } catch {
    return null;
  }
}
