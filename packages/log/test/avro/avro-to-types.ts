// TypeScript types of the schemas in /avro, written to generated/avro-types.ts. `tsc` then holds them against the event types
// of core (schema-drift.check.ts): neither can change without the other.

import { EVENT_TYPES } from '@ladderlog/core';
import type { AvroField, AvroObject, AvroSchema } from '../../src/avro/schemas.ts';
import { EVENT_SCHEMAS, toCamel } from '../../src/avro/schemas.ts';

const PRIMITIVES: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  string: 'string',
  bytes: 'Uint8Array',
};

export function typesOfSchemas(): string {
  const lines = [
    '// Generated from /avro by avro-to-types.ts; rewritten with UPDATE_GOLDEN=1.',
    '',
    'export type AvroEvents = {',
  ];
  for (const type of EVENT_TYPES) {
    const schema = JSON.parse(EVENT_SCHEMAS[type].text) as AvroObject;
    lines.push(`  ${type}: ${typeOf(schema, new Map(), '  ')};`);
  }
  return `${[...lines, '};'].join('\n')}\n`;
}

function typeOf(schema: AvroSchema, named: Map<string, string>, indent: string): string {
  if (typeof schema === 'string') {
    const found = PRIMITIVES[schema] ?? named.get(schema.split('.').at(-1)!);
    if (!found) throw new TypeError(`no TypeScript type for ${schema}`);
    return found;
  }
  if (Array.isArray(schema))
    return schema
      .map((branch) => typeOf(branch, named, indent))
      .toReversed()
      .join(' | ');
  switch (schema.type) {
    case 'record': {
      const fields = (schema['fields'] as AvroField[]).map(
        (field) => `${indent}  ${toCamel(field.name)}: ${typeOf(field.type, named, `${indent}  `)};`,
      );
      const text = `{\n${fields.join('\n')}\n${indent}}`;
      named.set(String(schema['name']), text);
      return text;
    }
    case 'enum': {
      // Which venues there are says the registry, in the schemas as in the event types.
      const text =
        schema['name'] === 'Venue'
          ? '`venue${string}`'
          : (schema['symbols'] as string[]).map((symbol) => `'${symbol}'`).join(' | ');
      named.set(String(schema['name']), text);
      return text;
    }
    case 'array':
      return `(${typeOf(schema['items'] as AvroSchema, named, indent)})[]`;
    case 'map':
      return `Record<string, ${typeOf(schema['values'] as AvroSchema, named, indent)}>`;
    default:
      return typeOf(schema.type, named, indent);
  }
}
