import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allEvents, books } from '../../../../test/harness/log-events.ts';
import { keyOf, timeOf } from '@ladderlog/core';
import { BatchBuilder, salvage, unpack } from '../../src/sqlite/batch-format.ts';
import type { StoredRecord, UnpackedRecord } from '../../src/sqlite/batch-format.ts';
import { createCodec } from '../../src/avro/codec.ts';
import { localSchemaIds } from '../avro/local-schema-ids.ts';

const codec = createCodec(localSchemaIds());
const packed = (records: readonly StoredRecord[]): Buffer => {
  const builder = new BatchBuilder();
  for (const record of records) builder.add(record.key, record.time, record.value);
  return Buffer.from(builder.pack(1));
};
const stored = (events: Parameters<typeof keyOf>[0][]): StoredRecord[] =>
  events.map((event) => ({ key: keyOf(event), time: timeOf(event), value: codec.encode(event) }));
const plain = (records: readonly StoredRecord[]) =>
  records.map(({ key, time, value }) => ({ key, time, value: Buffer.from(value) }));

const taken = async (blob: Uint8Array): Promise<UnpackedRecord[]> => {
  try {
    return unpack(blob, 1);
  } catch {
    return salvage(blob);
  }
};

describe('a batch', () => {
  test('of every kind of event comes back', async () => {
    const records = stored(allEvents());
    const blob = packed(records);
    const back = unpack(blob, 1);
    expect(plain(back)).toEqual(plain(records));
    expect(back.every((record) => record.whole)).toBe(true);
  });

  test('of any bytes, keys and times comes back, compressed or not', async () => {
    const record = fc.record({
      key: fc.string({ unit: 'grapheme' }),
      time: fc.integer({ min: 0, max: 7_258_118_400_000_000 }),
      value: fc.uint8Array({ maxLength: 300 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (records) => {
        const back = unpack(packed(records), 1);
        expect(plain(back)).toEqual(plain(records));
        expect(back.every((one) => one.whole)).toBe(true);
      }),
    );
  });

  test('comes back whether compressed at once or aside', async () => {
    const builder = new BatchBuilder();
    for (const { key, time, value } of stored(books(0, 50))) builder.add(key, time, value);
    expect(plain(unpack(await builder.packAside(6), 1))).toEqual(plain(unpack(builder.pack(1), 1)));
  });

  test('says its times and size', () => {
    const builder = new BatchBuilder();
    for (const { key, time, value } of stored(books(0, 10))) builder.add(key, time, value);
    const times = books(0, 10).map(timeOf);
    expect([builder.count, builder.minTime, builder.maxTime]).toEqual([10, times[0], times[9]]);
    builder.clear();
    expect([builder.count, builder.bytes]).toEqual([0, 0]);
  });

  test('takes less than a tenth for ladders that differ in one level', async () => {
    const records = stored(books(0, 500, { levels: 50, markets: 1 }));
    const raw = records.reduce((sum, record) => sum + record.value.length, 0);
    expect(packed(records).length).toBeLessThan(raw / 10);
  });
});

describe('damage', () => {
  test('of any one byte is noticed: no record is whole and different', async () => {
    const records = stored(books(0, 4, { levels: 4 }));
    for (const original of [packed(records), packed(records.slice(0, 1))])
      for (let at = 0; at < original.length; at++) {
        const blob = Buffer.from(original);
        blob[at]! ^= 0x41;
        const back = await taken(blob);
        const wrong = back.filter(
          (record, index) =>
            record.whole && JSON.stringify(plain([record])) !== JSON.stringify(plain([records[index]!])),
        );
        expect(wrong).toEqual([]);
      }
  });

  test('in the middle of a large batch leaves the records before it', async () => {
    // Incompressible, so that the batch has many blocks.
    const records = Array.from({ length: 200 }, (_, n) => ({
      key: 'k',
      time: n,
      value: Uint8Array.from(
        { length: 4_000 },
        (_, index) => (Math.imul(index + n * 7_919, 2_654_435_761) >>> 11) & 0xff,
      ),
    }));
    const blob = packed(records);
    blob.fill(0xff, Math.floor(blob.length / 2), Math.floor(blob.length / 2) + 2_000);
    const back = await taken(blob);
    const whole = back.filter((record) => record.whole).length;
    expect(whole).toBeGreaterThan(50);
    expect(whole).toBeLessThan(200);
  });

  test('that leaves no batch at all gives nothing', async () => {
    expect(await salvage(new Uint8Array(0))).toEqual([]);
    expect(await salvage(Buffer.from([1, 1, 2, 3]))).toEqual([]);
    expect(() => unpack(Buffer.from('not a batch'), 1)).toThrow('not a batch');
  });
});
