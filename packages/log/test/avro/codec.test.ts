import type { BookObserved, FrameCaptured, LadderEvent } from '@ladderlog/core';
import { BOOK_STATES, CHECK_FLAGS, EVENT_TYPES, PROVENANCES, VENUES } from '@ladderlog/core';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allEvents, BARE_EVENTS, bookAt, FULL_EVENTS } from '../../../../test/harness/log-events.ts';
import { avroTypeOf, createCodec } from '../../src/avro/codec.ts';
import { headerOf, localSchemaIds } from './local-schema-ids.ts';

const codec = createCodec(localSchemaIds());

/** avsc's own bytes of an event, with the wire header. */
function oracle(event: LadderEvent): Buffer {
  const value = 'body' in event ? { ...event, body: Buffer.from(event.body) } : event;
  return Buffer.concat([
    headerOf(EVENT_TYPES.indexOf(event.type) + 1),
    avroTypeOf(event.type).toBuffer(value),
  ]);
}

const decoded = (bytes: Uint8Array): LadderEvent => {
  const result = codec.decode(bytes);
  if (!result.ok) throw result.error;
  return result.event;
};

/** avsc stops one short of the largest safe integer, and rounds below −2^52 (it doubles in floating point). */
const LARGEST = Number.MAX_SAFE_INTEGER - 1;
const LEAST = -(2 ** 52);
// Every kind of integer the writers treat differently: one byte to eight, both signs, the edges between the paths.
const micro = fc.oneof(
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.integer({ min: LEAST, max: LARGEST }),
  fc.constantFrom(
    0,
    -1,
    1,
    63,
    64,
    -64,
    -65,
    2 ** 27 - 1,
    2 ** 27,
    2 ** 30 - 1,
    2 ** 30,
    2 ** 31,
    -(2 ** 31),
  ),
  fc.constantFrom(LARGEST, LEAST, 2 ** 48, 2 ** 49, -(2 ** 49)),
);
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.string({ maxLength: 200 }),
);
const strings = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  text,
  { maxKeys: 4, noNullPrototype: true },
);
const long = fc.array(micro, { maxLength: 150 });
const envelope = {
  venue: fc.constantFrom(...VENUES),
  market: text,
  observedAt: micro,
  sourceTs: fc.option(micro),
  session: text,
  ordinal: micro,
  provenance: fc.constantFrom(...PROVENANCES),
};
const anyBook: fc.Arbitrary<BookObserved> = fc.record({
  ...envelope,
  type: fc.constant('BookObserved' as const),
  outcome: text,
  entry: fc.integer(),
  kind: fc.constantFrom('snapshot' as const, 'delta' as const),
  bidPrices: long,
  bidSizes: long,
  askPrices: long,
  askSizes: long,
  state: fc.constantFrom(...BOOK_STATES),
  flags: fc.array(fc.constantFrom(...CHECK_FLAGS)),
  nativeBid: text,
  nativeAsk: text,
  askComplement: fc.boolean(),
  priceFormat: fc.constantFrom('cents' as const, 'min' as const, '4' as const),
  sizeFormat: fc.constantFrom('min' as const, '2' as const),
  exceptions: fc.array(
    fc.record({
      side: fc.constantFrom('bid' as const, 'ask' as const),
      level: fc.integer(),
      price: text,
      size: text,
    }),
    { maxLength: 5 },
  ),
  hash: fc.option(text),
  sequence: fc.option(micro),
  nativeIds: strings,
});
const anyFrame: fc.Arbitrary<FrameCaptured> = fc.record({
  ...envelope,
  type: fc.constant('FrameCaptured' as const),
  channel: text,
  direction: fc.constantFrom('in' as const, 'out' as const),
  body: fc.uint8Array({ maxLength: 300 }),
  requestedAt: fc.option(micro),
  settings: strings,
});

describe('the bytes', () => {
  test('are those of avsc for one event of each type', () => {
    for (const event of allEvents()) expect(Buffer.from(codec.encode(event))).toEqual(oracle(event));
  });

  test('are those of avsc for any book and any frame', () => {
    fc.assert(
      fc.property(fc.oneof(anyBook, anyFrame), (event) => {
        const bytes = codec.encode(event);
        expect(Buffer.compare(bytes, oracle(event))).toBe(0);
        expect(decoded(bytes)).toEqual(event);
      }),
      { numRuns: 300 },
    );
  });

  test('come back as the same plain events', () => {
    for (const event of allEvents()) expect(decoded(codec.encode(event))).toStrictEqual(event);
  });

  test('hold the largest safe integers, which avsc refuses or rounds', () => {
    const sizes = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, -LARGEST];
    const event = { ...FULL_EVENTS.BookObserved, bidSizes: sizes };
    expect(decoded(codec.encode(event))).toStrictEqual(event);
  });

  test('keep any key of a map', () => {
    const nativeIds = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const event = decoded(codec.encode({ ...FULL_EVENTS.BookObserved, nativeIds })) as BookObserved;
    expect(Object.entries(event.nativeIds)).toEqual(Object.entries(nativeIds));
  });

  test.each([
    { entry: 2 ** 40 },
    { entry: 0.5 },
    { askComplement: 'false' },
    { exceptions: [{ side: 'bid', level: 2 ** 31, price: '1', size: '1' }] },
    { observedAt: Number.NaN },
    { nativeBid: 1 },
  ])('are not made of what could not be read back: %j', (wrong) => {
    const event = { ...FULL_EVENTS.BookObserved, ...wrong } as unknown as BookObserved;
    expect(() => codec.encode(event)).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENT' }));
  });

  test('of a large market grow the buffer', () => {
    const event = { ...FULL_EVENTS.MarketObserved, native: JSON.stringify({ rules: 'x'.repeat(300_000) }) };
    expect(decoded(codec.encode(event))).toStrictEqual(event);
    const frame = { ...FULL_EVENTS.FrameCaptured, body: new Uint8Array(200_000).fill(7) };
    expect(decoded(codec.encode(frame))).toStrictEqual(frame);
  });

  test('do not share memory with the buffer they were read from', () => {
    const bytes = codec.encode(FULL_EVENTS.FrameCaptured);
    const event = decoded(bytes);
    bytes.fill(0);
    expect(event).toStrictEqual(FULL_EVENTS.FrameCaptured);
  });

  test('say their type without being decoded', () => {
    for (const event of allEvents()) expect(codec.typeOf(codec.encode(event))).toBe(event.type);
    expect(codec.typeOf(headerOf(999))).toBeNull();
    expect(codec.typeOf(Buffer.from('{}'))).toBeNull();
  });
});

describe('an event that does not fit its schema is refused', () => {
  const book = bookAt(1);
  test.each<[string, unknown]>([
    ['a fraction', { ...book, bidPrices: [0.5] }],
    ['not a number', { ...book, bidSizes: [Number.NaN] }],
    ['beyond the safe integers', { ...book, askSizes: [2 ** 53] }],
    ['no such venue', { ...book, venue: 'venuex' }],
    ['a missing text', { ...book, market: undefined }],
    ['a missing field of a cold event', { ...FULL_EVENTS.MetricSampled, value: undefined }],
    ['an unknown symbol of a cold event', { ...FULL_EVENTS.MetricSampled, metric: 'volume' }],
    ['no such event', { ...book, type: 'BookGuessed' }],
  ])('%s', (_, event) => {
    expect(() => codec.encode(event as LadderEvent)).toThrow(
      expect.objectContaining({ code: 'BAD_ARGUMENT' }),
    );
    // The codec is as good as new.
    expect(decoded(codec.encode(book))).toStrictEqual(book);
  });
});

describe('bad bytes are a typed error with the place of the fault', () => {
  const faultOf = (bytes: Uint8Array) => {
    const result = codec.decode(bytes);
    return result.ok ? null : { code: result.error.code, byte: result.error.details['byte'] };
  };

  test('foreign, of an unknown schema, with something after', () => {
    expect(faultOf(Buffer.from('{"type":"x"}'))).toEqual({ code: 'CODEC_FOREIGN_BYTES', byte: 0 });
    expect(faultOf(new Uint8Array(0))).toEqual({ code: 'CODEC_FOREIGN_BYTES', byte: 0 });
    expect(faultOf(headerOf(4_000_000_000))).toEqual({ code: 'CODEC_UNKNOWN_SCHEMA', byte: 1 });
    const bytes = codec.encode(FULL_EVENTS.KeyRevoked);
    expect(faultOf(Buffer.concat([bytes, Buffer.from([1])]))).toEqual({
      code: 'CODEC_CORRUPT',
      byte: bytes.length,
    });
  });

  test('cut off at any byte, for every type', () => {
    for (const event of [...Object.values(FULL_EVENTS), ...Object.values(BARE_EVENTS)] as LadderEvent[]) {
      const bytes = codec.encode(event);
      for (let length = 5; length < bytes.length; length++) {
        const fault = faultOf(bytes.subarray(0, length));
        expect(fault?.code).toBe('CODEC_CORRUPT');
        expect(fault?.byte).toBeLessThanOrEqual(length);
      }
    }
  });

  test('lying about a length', () => {
    const huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]; // 2^52 and more, negative
    const absurd = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]; // the same, positive
    const bytes = Buffer.from(codec.encode({ ...bookAt(0), market: '' }));
    for (const lie of [huge, absurd, [0xfe, 0xff, 0xff, 0xff, 0x0f]])
      for (let at = 5; at < bytes.length; at++) {
        const lying = Buffer.concat([bytes.subarray(0, at), Buffer.from(lie), bytes.subarray(at + 1)]);
        // Whatever the lie hit, the answer is an event or a fault, at once.
        const result = codec.decode(lying);
        expect(result.ok || result.error.code === 'CODEC_CORRUPT').toBe(true);
      }
    // The same for the readers made from the schema.
    const market = Buffer.from(codec.encode(BARE_EVENTS.MarketObserved));
    for (let at = 5; at < market.length; at++)
      expect(
        codec.decode(Buffer.concat([market.subarray(0, at), Buffer.from(absurd), market.subarray(at)])).ok,
      ).toBe(false);
  });

  test('any bytes at all give an event or a fault', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: EVENT_TYPES.length }),
        fc.uint8Array({ maxLength: 200 }),
        (id, body) => {
          const result = codec.decode(Buffer.concat([headerOf(id), body]));
          expect(result.ok || result.error.code === 'CODEC_CORRUPT').toBe(true);
        },
      ),
    );
  });

  test('any one byte changed gives an event or a fault', () => {
    const bytes = codec.encode(FULL_EVENTS.BookObserved);
    for (let at = 5; at < bytes.length; at++)
      for (const value of [0, 1, 2, 3, 127, 128, 255]) {
        const changed = bytes.slice();
        changed[at] = value;
        const result = codec.decode(changed);
        expect(result.ok || result.error.code === 'CODEC_CORRUPT').toBe(true);
      }
  });
});
