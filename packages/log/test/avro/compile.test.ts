import avsc from 'avsc';
import { expect, test } from 'vitest';
import { ByteFault, AvroReader } from '../../src/avro/avro-reader.ts';
import { AvroWriter } from '../../src/avro/avro-writer.ts';
import { compile } from '../../src/avro/compile.ts';
import type { AvroSchema } from '../../src/avro/schemas.ts';

const read = (schema: AvroSchema, bytes: Uint8Array): unknown => {
  const reader = new AvroReader();
  reader.open(bytes, 0);
  const value = compile(schema).read(reader);
  expect(reader.at).toBe(bytes.length);
  return value;
};

// Everything that a schema may have, also what the schemas of the events do not.
const SCHEMA = {
  type: 'record',
  name: 'ladderlog.test.Any',
  fields: [
    { name: 'flag', type: 'boolean' },
    { name: 'small', type: 'float' },
    { name: 'large', type: 'double' },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-micros' } },
    { name: 'side', type: { type: 'enum', name: 'Side', symbols: ['bid', 'ask'] } },
    { name: 'other', type: 'ladderlog.test.Side' },
    { name: 'same', type: ['null', 'Side'] },
    { name: 'hash', type: { type: 'fixed', name: 'Hash', size: 4 } },
    { name: 'mixed', type: { type: 'array', items: ['string', 'null', 'long'] } },
    { name: 'levels', type: { type: 'map', values: { type: 'array', items: 'long' } } },
    {
      name: 'inner',
      type: {
        type: 'array',
        items: { type: 'record', name: 'Inner', fields: [{ name: 'n', type: ['null', 'int'] }] },
      },
    },
  ],
} as unknown as AvroSchema;
const VALUE = {
  flag: true,
  small: 0.5,
  large: -1e300,
  at: 1_700_000_000_000_000,
  side: 'ask',
  other: 'bid',
  same: 'ask',
  hash: Buffer.from([1, 2, 3, 4]),
  mixed: ['x', null, -70],
  levels: { a: [1, 2 ** 40, -1], b: [] },
  inner: [{ n: 7 }, { n: null }],
};
const type = avsc.Type.forSchema(SCHEMA as unknown as avsc.Schema, { wrapUnions: 'never' });

test('reads what avsc writes', () => {
  const value = read(SCHEMA, type.toBuffer(VALUE)) as typeof VALUE;
  expect(value).toEqual({ ...VALUE, hash: new Uint8Array(VALUE.hash) });
});

test('bytes that end early are a fault, wherever', () => {
  const bytes = type.toBuffer(VALUE);
  for (let length = 0; length < bytes.length; length++)
    expect(() => read(SCHEMA, bytes.subarray(0, length))).toThrow(ByteFault);
});

test('refuses to write what it can only read', () => {
  expect(() => compile(SCHEMA).write(new AvroWriter(), VALUE)).toThrow('cannot be written');
});

test('a name of a schema is never more than a name', () => {
  const evil = '"]:(globalThis.ran=true),["x';
  const schema = {
    type: 'record',
    name: evil,
    fields: [
      { name: evil, type: { type: 'enum', name: evil, symbols: [evil] } },
      { name: '__proto__', type: 'long' },
    ],
  } as unknown as AvroSchema;
  const writer = new AvroWriter();
  const value = JSON.parse(`{${JSON.stringify(evil)}:${JSON.stringify(evil)},"__proto__":7}`) as object;
  compile(schema).write(writer, value);
  expect(Object.entries(read(schema, writer.copy()) as object)).toEqual([
    [evil, evil],
    ['__proto__', 7],
  ]);
  expect(globalThis).not.toHaveProperty('ran');
});

test('an unknown type is refused when the schema is read', () => {
  expect(() => compile('decimal')).toThrow('unknown Avro type decimal');
});
