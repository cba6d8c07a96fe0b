import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { EventType, LadderEvent } from '@ladderlog/core';
import { EVENT_TYPES, keyOf, timeOf, TOPICS, topicOf } from '@ladderlog/core';
import { describe, expect, test } from 'vitest';
import { allEvents, BARE_EVENTS, FULL_EVENTS } from '../../../../test/harness/log-events.ts';
import { EVENT_SCHEMAS, toCamel } from '../../src/avro/schemas.ts';
import { typesOfSchemas } from './avro-to-types.ts';

const GENERATED = new URL('generated/avro-types.ts', import.meta.url);

test('the types that tsc holds against the event types are those of the schemas', () => {
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(new URL('./', GENERATED), { recursive: true });
    writeFileSync(GENERATED, typesOfSchemas());
  }
  expect(readFileSync(GENERATED, 'utf8')).toBe(typesOfSchemas());
});

test('there is one schema file per event, and no other', () => {
  const files = readdirSync(new URL('../../../../avro/', import.meta.url));
  expect(files.toSorted()).toEqual(
    EVENT_TYPES.map((type) => `${type.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()}.avsc`).toSorted(),
  );
});

type Documented = { name: string; doc?: string; fields?: Documented[]; type?: unknown };
const fieldsOf = (type: EventType): Documented[] =>
  (JSON.parse(EVENT_SCHEMAS[type].text) as { fields: Documented[] }).fields;

describe.each(EVENT_TYPES)('%s', (type) => {
  test('has the same fields in the schema and in an event', () => {
    const fields = fieldsOf(type).map((field) => toCamel(field.name));
    for (const event of [FULL_EVENTS[type], BARE_EVENTS[type]] as LadderEvent[])
      expect(Object.keys(event).toSorted()).toEqual(['type', ...fields].toSorted());
  });

  test('is documented, field by field', () => {
    const undocumented = fieldsOf(type).filter((field) => !field.doc || field.doc.length < 3);
    expect(undocumented.map((field) => field.name)).toEqual([]);
    expect((JSON.parse(EVENT_SCHEMAS[type].text) as { doc?: string }).doc).toBeTruthy();
  });

  test('says null, and nothing but null, by default where it may be null', () => {
    const unions = fieldsOf(type).filter((field) => Array.isArray(field.type));
    for (const field of unions) {
      expect((field.type as unknown[])[0]).toBe('null');
      expect(field).toHaveProperty('default', null);
    }
  });
});

test('every event has a topic, a key and a time', () => {
  for (const event of allEvents()) {
    expect(TOPICS).toContain(topicOf(event));
    expect(keyOf(event)).not.toBe('');
    expect(timeOf(event)).toBeGreaterThan(0);
  }
});
