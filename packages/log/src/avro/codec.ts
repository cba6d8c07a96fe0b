// Events to and from the Confluent wire format: a zero byte, the schema's id (four bytes, big-endian), Avro. The ids come from
// whoever keeps the schemas: a table of the SQLite log, or a registry.

import type { EventType, LadderEvent, Venue } from '@ladderlog/core';
import { EVENT_TYPES, LadderlogError, VENUES } from '@ladderlog/core';
import avsc from 'avsc';
import { compileReader } from './avro-reader.ts';
import { ByteFault, ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { HOT_FIELDS, readBook, readFrame, writeBook, writeFrame } from './hot-events.ts';
import type { Decoded, EventCodec } from '../record.ts';
import type { AvroObject, AvroSchema } from './schemas.ts';
import { camelSchema, EVENT_SCHEMAS, venuesOf, withVenues } from './schemas.ts';

/** Who knows the schemas by number. Synchronous: an implementation fetches what it needs before records are handed out. */
export type SchemaIds = {
  /** The id under which this version's own schema of an event is kept. */
  idOf(type: EventType): number;
  /** The writer's schema as JSON text; null when the id is unknown. */
  schemaOf(id: number): string | null;
};

/** A codec that can also write into a batch under construction, without a copy per event. */
export type WritingCodec = EventCodec & { write(writer: ByteWriter, event: LadderEvent): void };

export const HEADER_BYTES = 5;

/** The schema id of a record; null when the bytes are not in Confluent wire format. */
export const schemaIdOf = (bytes: Uint8Array): number | null =>
  bytes.length >= HEADER_BYTES && bytes[0] === 0
    ? ((bytes[1]! << 24) | (bytes[2]! << 16) | (bytes[3]! << 8) | bytes[4]!) >>> 0
    : null;

type Schema = {
  readonly camel: AvroObject;
  readonly avro: avsc.Type;
  /** The same for schemas that differ in nothing but their venues. */
  readonly shape: string;
  readonly byteFields: readonly string[];
};

function schemaFrom(text: string): Schema {
  const camel = camelSchema(JSON.parse(text) as AvroSchema) as AvroObject;
  const shape = JSON.stringify(typeFrom(withVenues(text, VENUES)).schema());
  const fields = camel['fields'] as readonly { name: string; type: unknown }[];
  const byteFields = fields.filter((field) => field.type === 'bytes').map((field) => field.name);
  return { camel, avro: typeFrom(text), shape, byteFields };
}

const typeFrom = (text: string): avsc.Type =>
  avsc.Type.forSchema(camelSchema(JSON.parse(text) as AvroSchema) as unknown as avsc.Schema);

const OWN = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, schemaFrom(EVENT_SCHEMAS[type].text)]),
) as Record<EventType, Schema>;

for (const [type, expected] of Object.entries(HOT_FIELDS)) {
  const fields = OWN[type as EventType].camel['fields'] as readonly { name: string }[];
  const actual = fields.map((field) => field.name).join(' ');
  if (actual !== expected)
    throw new LadderlogError('INTERNAL', `hot-events.ts is not written for the schema of ${type}: ${actual}`);
}

/** avsc's types over the camelCase schemas: tests and benches compare with them. */
export const avroTypeOf = (type: EventType): avsc.Type => OWN[type].avro;

type Decoder = { readonly type: EventType; readonly read: (reader: ByteReader) => LadderEvent };

export const createCodec = (ids: SchemaIds): WritingCodec => ({ ...encoder(ids), ...decoder(ids) });

function encoder(ids: SchemaIds): Pick<WritingCodec, 'write' | 'encode'> {
  const idsByType = new Map<EventType, number>(EVENT_TYPES.map((type) => [type, ids.idOf(type)]));
  const scratch = new ByteWriter();

  const write = (writer: ByteWriter, event: LadderEvent): void => {
    const id = idsByType.get(event.type);
    if (id === undefined) throw new LadderlogError('BAD_ARGUMENT', `no event type "${event.type}"`);
    const start = writer.at;
    try {
      writer.byte(0);
      writer.uint32(id);
      writeEvent(writer, event);
    } catch (cause) {
      writer.at = start;
      const reason = (cause as Error).message;
      throw new LadderlogError('BAD_ARGUMENT', `${event.type} does not fit its schema: ${reason}`, { cause });
    }
  };

  return {
    write,
    encode(event) {
      scratch.reset();
      write(scratch, event);
      return scratch.copy();
    },
  };
}

function decoder(ids: SchemaIds): Pick<EventCodec, 'decode' | 'typeOf'> {
  const decoders = new Map<number, Decoder>();
  const reader = new ByteReader();

  const decoderOf = (id: number): Decoder | null => {
    let known = decoders.get(id) ?? null;
    const text = known ? null : ids.schemaOf(id);
    if (text !== null) decoders.set(id, (known = decoderFor(text)));
    return known;
  };

  return {
    decode(bytes) {
      const id = schemaIdOf(bytes);
      if (id === null)
        return failed('CODEC_FOREIGN_BYTES', 'not in Confluent wire format (0, schema id, Avro)', 0);
      try {
        const known = decoderOf(id);
        if (!known) return failed('CODEC_UNKNOWN_SCHEMA', `no schema has the id ${id}`, 1, { id });
        reader.open(bytes, HEADER_BYTES);
        const event = known.read(reader);
        if (reader.at !== reader.end)
          return failed('CODEC_CORRUPT', `${reader.end - reader.at} bytes after the event`, reader.at);
        return { ok: true, event };
      } catch (error) {
        if (error instanceof ByteFault) return failed('CODEC_CORRUPT', error.message, error.at, { id });
        if (error instanceof LadderlogError) return { ok: false, error };
        return failed('CODEC_CORRUPT', (error as Error).message, HEADER_BYTES, { id });
      }
    },
    typeOf(bytes) {
      const id = schemaIdOf(bytes);
      try {
        return id === null ? null : (decoderOf(id)?.type ?? null);
      } catch {
        return null;
      }
    },
  };
}

const failed = (
  code: 'CODEC_FOREIGN_BYTES' | 'CODEC_UNKNOWN_SCHEMA' | 'CODEC_CORRUPT',
  message: string,
  byte: number,
  details: Readonly<Record<string, unknown>> = {},
): Decoded => ({
  ok: false,
  error: new LadderlogError(code, `${message} (byte ${byte})`, { details: { ...details, byte } }),
});

function writeEvent(writer: ByteWriter, event: LadderEvent): void {
  switch (event.type) {
    case 'BookObserved':
      return writeBook(writer, event);
    case 'FrameCaptured':
      return writeFrame(writer, event);
    default:
      return writeWithAvsc(writer, event);
  }
}

function writeWithAvsc(writer: ByteWriter, event: LadderEvent): void {
  const { avro, byteFields } = OWN[event.type];
  const value = byteFields.length === 0 ? event : withBuffers(event, byteFields);
  let end = avro.encode(value, writer.buffer, writer.at);
  if (end < 0) {
    // avsc says by how many bytes the buffer was too short.
    writer.reserve(writer.buffer.length - writer.at - end);
    end = avro.encode(value, writer.buffer, writer.at);
  }
  writer.at = end;
}

/** avsc takes bytes as Buffer only. */
function withBuffers(event: LadderEvent, fields: readonly string[]): LadderEvent {
  const copy: Record<string, unknown> = { ...event };
  for (const field of fields) {
    const value = copy[field];
    if (value instanceof Uint8Array)
      copy[field] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return copy as unknown as LadderEvent;
}

function decoderFor(text: string): Decoder {
  const writer = schemaFrom(text);
  const name = String(writer.camel['name']).split('.').at(-1)!;
  const type = EVENT_TYPES.find((known) => known === name);
  if (!type)
    throw new LadderlogError(
      'CODEC_UNKNOWN_SCHEMA',
      `schema of "${name}", which is no event of this version`,
    );
  // Also what was written before a venue was added is read at full speed.
  if (writer.shape === OWN[type].shape) return { type, read: ownReader(type, writer) };
  return { type, read: resolvingReader(type, writer) };
}

function ownReader(type: EventType, writer: Schema): (reader: ByteReader) => LadderEvent {
  const venues = venuesOf(writer.camel) as readonly Venue[];
  if (type === 'BookObserved') return (reader) => readBook(reader, venues);
  if (type === 'FrameCaptured') return (reader) => readFrame(reader, venues);
  const read = compileReader(writer.camel);
  return (reader) => {
    const event = read(reader) as { type?: EventType };
    event.type = type;
    return event as LadderEvent;
  };
}

/** Bytes of another version of the schema: proven whole first, then resolved by avsc (defaults, added and removed fields). */
function resolvingReader(type: EventType, writer: Schema): (reader: ByteReader) => LadderEvent {
  const prove = compileReader(writer.camel);
  let resolver: avsc.types.LongType;
  try {
    resolver = OWN[type].avro.createResolver(writer.avro) as avsc.types.LongType;
  } catch (cause) {
    throw new LadderlogError(
      'SCHEMA_INCOMPATIBLE',
      `${type}: the writer's schema cannot be read by this version: ${(cause as Error).message}`,
      { cause },
    );
  }
  return (reader) => {
    const start = reader.at;
    prove(reader);
    const { value } = OWN[type].avro.decode(reader.buffer, start, resolver) as { value: object };
    return { type, ...(plain(value) as object) } as LadderEvent;
  };
}

/** avsc gives instances of its own classes and Buffers over the input; events are plain data of their own. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}
