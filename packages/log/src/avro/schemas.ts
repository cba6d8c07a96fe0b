// The Avro schemas of /avro, as they are registered (snake_case) and as the codec uses them (camelCase). Avro's binary form
// carries no names, so renaming the fields of a schema before a type is made from it renames nothing in the bytes and spares
// a mapping per event.

import { readFileSync } from 'node:fs';
import type { EventType } from '@ladderlog/core';
import { EVENT_TYPES, VENUES } from '@ladderlog/core';

/** An Avro schema as JSON: a name, an object, or a union. */
export type AvroSchema = string | AvroSchema[] | AvroObject;
export type AvroObject = { readonly type: AvroSchema; readonly [key: string]: unknown };
export type AvroField = { readonly name: string; readonly type: AvroSchema; readonly [key: string]: unknown };

export type EventSchema = {
  readonly type: EventType;
  /** What a registry is given: the file, with every venue that this version knows. */
  readonly text: string;
  /** Full Avro name, e.g. `ladderlog.v1.BookObserved`; also the registry's subject. */
  readonly name: string;
};

const AVRO = new URL('../../../../avro/', import.meta.url);

export const fileOf = (type: EventType): string => `${type.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()}.avsc`;

function load(type: EventType): EventSchema {
  const text = withVenues(readFileSync(new URL(fileOf(type), AVRO), 'utf8'), VENUES);
  const schema = JSON.parse(text) as { name: string; namespace: string };
  return { type, text, name: `${schema.namespace}.${schema.name}` };
}

const venueEnum = (schema: AvroObject): { symbols: readonly string[] } | undefined =>
  (schema['fields'] as readonly AvroField[]).find((field) => field.name === 'venue')?.type as
    { symbols: readonly string[] } | undefined;

/** A schema whose venue may be any of these. A new venue needs no edit of the files: it is added here. */
export function withVenues(text: string, venues: readonly string[]): string {
  const schema = JSON.parse(text) as AvroObject;
  const found = venueEnum(schema);
  if (!found || found.symbols.join() === venues.join()) return text;
  found.symbols = venues;
  return `${JSON.stringify(schema, null, 2)}\n`;
}

export const EVENT_SCHEMAS = Object.fromEntries(EVENT_TYPES.map((type) => [type, load(type)])) as Readonly<
  Record<EventType, EventSchema>
>;

export const toCamel = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const isField = (value: unknown): value is AvroField =>
  typeof value === 'object' && value !== null && 'name' in value && 'type' in value;

/** The same schema with the fields of its records in camelCase; everything else is left as it is. */
export function camelSchema(schema: AvroSchema): AvroSchema {
  if (typeof schema === 'string') return schema;
  if (Array.isArray(schema)) return schema.map(camelSchema);
  const copy: Record<string, unknown> = { ...schema };
  if (Array.isArray(schema['fields']))
    copy['fields'] = schema['fields'].filter(isField).map((field) => ({
      ...field,
      name: toCamel(field.name),
      type: camelSchema(field.type),
      ...(Array.isArray(field['aliases'])
        ? { aliases: field['aliases'].map((alias: unknown) => toCamel(String(alias))) }
        : {}),
    }));
  for (const part of ['items', 'values'] as const)
    if (copy[part] !== undefined) copy[part] = camelSchema(copy[part] as AvroSchema);
  if (typeof schema.type === 'object') copy['type'] = camelSchema(schema.type);
  return copy as AvroObject;
}
