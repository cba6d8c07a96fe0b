// Bytes of every version of every schema decode for ever. golden/v1/ has the schemas and bytes of version 1: they are never
// rewritten. A changed schema gets a folder v2 beside it (UPDATE_GOLDEN=1 writes files that are missing, and only those).

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { EventType, LadderEvent } from '@ladderlog/core';
import { EVENT_TYPES, VENUES } from '@ladderlog/core';
import avsc from 'avsc';
import { describe, expect, test } from 'vitest';
import { BARE_EVENTS, FULL_EVENTS } from '../../../../test/harness/log-events.ts';
import { avroTypeOf, createCodec } from '../../src/avro/codec.ts';
import type { AvroSchema } from '../../src/avro/schemas.ts';
import { camelSchema, EVENT_SCHEMAS, withVenues } from '../../src/avro/schemas.ts';
import { headerOf, localSchemaIds } from './local-schema-ids.ts';

const GOLDEN = new URL('../golden/', import.meta.url);
const CURRENT = 'v2';
/** Of the files and of the golden bytes. More may have come since: they are added when the files are loaded. */
const GOLDEN_VENUES = ['venuea', 'venueb', 'venuec'];

type Golden = {
  readonly schema: unknown;
  readonly cases: readonly { readonly event: unknown; readonly bytes: string }[];
};

/** Events as JSON; bytes as {"hex": …}. */
const toJson = (event: LadderEvent): unknown =>
  JSON.parse(
    JSON.stringify(event, (_, value: unknown) =>
      value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value,
    ),
  );

const codec = createCodec(localSchemaIds());

if (process.env['UPDATE_GOLDEN'] === '1')
  for (const type of EVENT_TYPES) {
    const file = new URL(`${CURRENT}/${type}.json`, GOLDEN);
    if (existsSync(file)) continue;
    mkdirSync(new URL(`${CURRENT}/`, GOLDEN), { recursive: true });
    const golden: Golden = {
      schema: JSON.parse(EVENT_SCHEMAS[type].text),
      cases: [FULL_EVENTS[type], BARE_EVENTS[type]].map((event) => ({
        event: toJson(event),
        bytes: Buffer.from(codec.encode(event).subarray(5)).toString('hex'),
      })),
    };
    writeFileSync(file, `${JSON.stringify(golden, null, 2)}\n`);
  }

const versions = readdirSync(GOLDEN);
const goldenOf = (version: string, type: EventType): Golden =>
  JSON.parse(readFileSync(new URL(`${version}/${type}.json`, GOLDEN), 'utf8')) as Golden;

describe.each(versions)('version %s', (version) => {
  test.each(EVENT_TYPES)('of %s decodes', (type) => {
    const golden = goldenOf(version, type);
    const id = 1_000;
    const reader = createCodec(localSchemaIds({ [id]: JSON.stringify(golden.schema) }));
    for (const { event, bytes } of golden.cases) {
      const result = reader.decode(Buffer.concat([headerOf(id), Buffer.from(bytes, 'hex')]));
      if (!result.ok) throw result.error;
      expect(toJson(result.event)).toMatchObject(event as object);
    }
  });

  test.each(EVENT_TYPES)('of %s can be read by the current schema', (type) => {
    const writer = avsc.Type.forSchema(
      camelSchema(goldenOf(version, type).schema as AvroSchema) as unknown as avsc.Schema,
    );
    expect(() => avroTypeOf(type).createResolver(writer)).not.toThrow();
  });
});

test('there are golden bytes of every event, and of nothing else', () => {
  const files = readdirSync(new URL(`${CURRENT}/`, GOLDEN));
  expect(files.toSorted()).toEqual(EVENT_TYPES.map((type) => `${type}.json`).toSorted());
});

test.each(EVENT_TYPES)('the newest golden schema of %s is the current one', (type) => {
  expect(goldenOf(CURRENT, type).schema, 'a schema changed: add golden/v2 and make it CURRENT').toEqual(
    JSON.parse(withVenues(EVENT_SCHEMAS[type].text, GOLDEN_VENUES)),
  );
});

describe('the venues of the schemas', () => {
  const venueEvents = EVENT_TYPES.filter((type) => EVENT_SCHEMAS[type].text.includes('"Venue"'));

  test.each(EVENT_TYPES)(
    'of %s are those of the registry, and without new ones the file is what is registered',
    (type) => {
      const file = `${type.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()}.avsc`;
      const text = readFileSync(new URL(`../../../../avro/${file}`, import.meta.url), 'utf8');
      expect(EVENT_SCHEMAS[type].text).toBe(withVenues(text, VENUES));
      expect(withVenues(text, VENUES)).toBe(text);
      expect(withVenues(withVenues(text, [...VENUES, 'venuez']), VENUES)).toBe(text);
    },
  );

  test.each(venueEvents)(
    '%s written before a venue was added, or in another order, reads the same',
    (type) => {
      for (const venues of [VENUES.slice(0, 2), VENUES.toReversed()]) {
        const older = withVenues(EVENT_SCHEMAS[type].text, venues);
        const event = { ...FULL_EVENTS[type], venue: venues[1] };
        const reader = createCodec(localSchemaIds({ 1_000: older }));
        const bytes = written(older, 'body' in event ? { ...event, body: Buffer.from(event.body) } : event);
        expect(reader.decode(bytes)).toEqual({ ok: true, event });
      }
    },
  );

  test('a book of a venue that its own schema does not have is a fault', () => {
    const older = withVenues(EVENT_SCHEMAS.BookObserved.text, VENUES.slice(0, 2));
    const bytes = codec.encode({ ...FULL_EVENTS.BookObserved, venue: VENUES[2]! }).subarray(5);
    const result = createCodec(localSchemaIds({ 1_000: older })).decode(
      Buffer.concat([headerOf(1_000), bytes]),
    );
    expect(result.ok ? null : result.error.message).toContain('enum symbol 2 of 2');
  });

  test('may be more than this version knows: its own events are still read', () => {
    const newer = withVenues(EVENT_SCHEMAS.BookObserved.text, [...VENUES, 'venuez']);
    const book = FULL_EVENTS.BookObserved;
    const result = createCodec(localSchemaIds({ 1_000: newer })).decode(written(newer, book));
    expect(result).toEqual({ ok: true, event: book });
  });
});

type Field = { name: string; type: unknown; default?: unknown };
type Schema = { fields: Field[] };
const changed = (type: EventType, change: (schema: Schema) => void): string => {
  const schema = JSON.parse(EVENT_SCHEMAS[type].text) as Schema;
  change(schema);
  return JSON.stringify(schema);
};
/** Bytes as the given schema writes them. */
const written = (schema: string, event: object): Buffer =>
  Buffer.concat([
    headerOf(1_000),
    avsc.Type.forSchema(camelSchema(JSON.parse(schema) as AvroSchema) as unknown as avsc.Schema).toBuffer(
      event,
    ),
  ]);

describe('another version of a schema', () => {
  const sample = FULL_EVENTS.MetricSampled;

  test('without a field that has a default: the default', () => {
    const older = changed('MetricSampled', (schema) => {
      schema.fields = schema.fields.filter((field) => field.name !== 'taker_side' && field.name !== 'size');
    });
    const result = createCodec(localSchemaIds({ 1_000: older })).decode(written(older, sample));
    expect(result).toEqual({ ok: true, event: { ...sample, takerSide: null, size: null } });
  });

  test('with a field this version does not know: left out', () => {
    const newer = changed('MetricSampled', (schema) =>
      schema.fields.splice(3, 0, { name: 'venue_note', type: ['null', 'string'], default: null }),
    );
    const result = createCodec(localSchemaIds({ 1_000: newer })).decode(
      written(newer, { ...sample, venueNote: 'new' }),
    );
    expect(result).toEqual({ ok: true, event: sample });
  });

  test('with an enum symbol this version does not know: the default symbol', () => {
    const newer = changed('GapOpened', (schema) => {
      const cause = schema.fields.find((field) => field.name === 'cause')!;
      (cause.type as { symbols: string[] }).symbols.push('meteor');
    });
    const result = createCodec(localSchemaIds({ 1_000: newer })).decode(
      written(newer, { ...FULL_EVENTS.GapOpened, cause: 'meteor' }),
    );
    expect(result).toEqual({ ok: true, event: { ...FULL_EVENTS.GapOpened, cause: 'unknown' } });
  });

  test('of a book, whose reader is written by hand: resolved all the same', () => {
    const older = changed('BookObserved', (schema) => {
      schema.fields = schema.fields.filter((field) => field.name !== 'hash');
    });
    const bytes = written(older, FULL_EVENTS.BookObserved);
    const reader = createCodec(localSchemaIds({ 1_000: older }));
    expect(reader.decode(bytes)).toEqual({ ok: true, event: { ...FULL_EVENTS.BookObserved, hash: null } });
    for (let length = 5; length < bytes.length; length++)
      expect(reader.decode(bytes.subarray(0, length)).ok).toBe(false);
  });

  test('that cannot be read: a typed error, and what it is', () => {
    const foreign = changed('MetricSampled', (schema) => {
      schema.fields = schema.fields.filter((field) => field.name !== 'value');
    });
    const result = createCodec(localSchemaIds({ 1_000: foreign })).decode(written(foreign, sample));
    expect(result.ok ? null : result.error.code).toBe('SCHEMA_INCOMPATIBLE');
    const unknown = JSON.stringify({ type: 'record', name: 'Other', fields: [] });
    const other = createCodec(localSchemaIds({ 1_000: unknown })).decode(headerOf(1_000));
    expect(other.ok ? null : other.error.code).toBe('CODEC_UNKNOWN_SCHEMA');
  });
});
