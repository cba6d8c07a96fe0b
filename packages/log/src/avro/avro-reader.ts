// Readers made from any Avro schema, bounds checked at every step. They read the events that are not hot, and prove that
// bytes of an older schema are whole before avsc resolves them (avsc trusts the lengths it reads).

import type { ByteReader } from './byte-reader.ts';
import { put } from './byte-reader.ts';
import type { AvroField, AvroObject, AvroSchema } from './schemas.ts';

export type ReadValue = (reader: ByteReader) => unknown;

type Part = { readonly read: ReadValue; /** Fewest bytes a value takes. */ readonly smallest: number };

const PRIMITIVES: Readonly<Record<string, Part>> = {
  null: { read: () => null, smallest: 0 },
  boolean: { read: (reader) => reader.boolean(), smallest: 1 },
  int: { read: (reader) => reader.int(), smallest: 1 },
  long: { read: (reader) => reader.long(), smallest: 1 },
  float: { read: (reader) => floating(reader, 4), smallest: 4 },
  double: { read: (reader) => floating(reader, 8), smallest: 8 },
  string: { read: (reader) => reader.string(), smallest: 1 },
  bytes: { read: (reader) => reader.bytes(), smallest: 1 },
};

function floating(reader: ByteReader, size: 4 | 8): number {
  if (reader.end - reader.at < size) reader.fault('bytes end early');
  reader.at += size;
  return size === 4
    ? reader.buffer.readFloatLE(reader.at - size)
    : reader.buffer.readDoubleLE(reader.at - size);
}

/** A reader of the schema's values as plain objects. The schema's own field names are used. */
export function compileReader(schema: AvroSchema): ReadValue {
  return compile(schema, '', new Map()).read;
}

function compile(schema: AvroSchema, namespace: string, named: Map<string, Part>): Part {
  if (typeof schema === 'string') {
    const found = PRIMITIVES[schema] ?? named.get(schema) ?? named.get(`${namespace}.${schema}`);
    if (!found) throw new TypeError(`unknown Avro type ${schema}`);
    return found;
  }
  if (Array.isArray(schema)) return union(schema.map((branch) => compile(branch, namespace, named)));
  switch (schema.type) {
    case 'record':
      return record(schema, namespace, named);
    case 'enum':
      return define(schema, namespace, named, enumeration(schema['symbols'] as readonly string[]));
    case 'fixed':
      return define(schema, namespace, named, fixed(Number(schema['size'])));
    case 'array':
      return array(compile(schema['items'] as AvroSchema, namespace, named));
    case 'map':
      return map(compile(schema['values'] as AvroSchema, namespace, named));
    default:
      // {"type": "long", "logicalType": …} and other wrappings: the plain type.
      return compile(schema.type, namespace, named);
  }
}

const namespaceOf = (schema: AvroObject, outer: string): string => {
  const name = String(schema['name']);
  if (name.includes('.')) return name.slice(0, name.lastIndexOf('.'));
  return typeof schema['namespace'] === 'string' ? schema['namespace'] : outer;
};

function define(schema: AvroObject, outer: string, named: Map<string, Part>, part: Part): Part {
  const name = String(schema['name']);
  const namespace = namespaceOf(schema, outer);
  named.set(name.includes('.') || namespace === '' ? name : `${namespace}.${name}`, part);
  return part;
}

function record(schema: AvroObject, outer: string, named: Map<string, Part>): Part {
  const namespace = namespaceOf(schema, outer);
  const fields = (schema['fields'] as readonly AvroField[]).map((field) => ({
    name: field.name,
    part: compile(field.type, namespace, named),
  }));
  const read: ReadValue = (reader) => {
    const value: Record<string, unknown> = {};
    for (const field of fields) value[field.name] = field.part.read(reader);
    return value;
  };
  return define(schema, outer, named, {
    read,
    smallest: fields.reduce((sum, field) => sum + field.part.smallest, 0),
  });
}

const enumeration = (symbols: readonly string[]): Part => ({
  read: (reader) => symbols[reader.index(symbols.length, 'enum symbol')],
  smallest: 1,
});

const fixed = (size: number): Part => ({
  read: (reader) => {
    if (reader.end - reader.at < size) reader.fault('bytes end early');
    reader.at += size;
    return Uint8Array.prototype.slice.call(reader.buffer, reader.at - size, reader.at);
  },
  smallest: size,
});

const union = (branches: readonly Part[]): Part => ({
  read: (reader) => branches[reader.index(branches.length, 'union branch')]!.read(reader),
  smallest: 1,
});

const array = (item: Part): Part => ({
  read: (reader) => {
    const values: unknown[] = [];
    for (let count = reader.block(item.smallest); count > 0; count = reader.block(item.smallest))
      for (let left = count; left > 0; left--) values.push(item.read(reader));
    return values;
  },
  smallest: 1,
});

const map = (item: Part): Part => ({
  read: (reader) => {
    const values: Record<string, unknown> = {};
    const smallest = item.smallest + 1;
    for (let count = reader.block(smallest); count > 0; count = reader.block(smallest))
      for (let left = count; left > 0; left--) {
        const key = reader.string();
        put(values, key, item.read(reader));
      }
    return values;
  },
  smallest: 1,
});
