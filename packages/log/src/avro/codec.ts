// Events to and from the Confluent wire format: a zero byte, the schema's id (four bytes, big-endian), Avro. The ids come from
// whoever keeps the schemas: a table of the SQLite log, or a registry.

import type { EventType, LadderEvent } from '@ladderlog/core';
import { EVENT_TYPES, LadderlogError, VENUES } from '@ladderlog/core';
import avsc from 'avsc';
import { ByteFault, AvroReader } from './avro-reader.ts';
import { AvroWriter } from './avro-writer.ts';
import type { Compiled } from './compile.ts';
import { compile } from './compile.ts';
import type { Decoded, EventCodec } from '../record.ts';
import type { AvroObject, AvroSchema } from './schemas.ts';
import { camelSchema, EVENT_SCHEMAS, withVenues } from './schemas.ts';

/** Who knows the schemas by number. Synchronous: an implementation fetches what it needs before records are handed out. */
export type SchemaIds = {
  /** The id under which this version's own schema of an event is kept. */
  idOf(type: EventType): number;
  /** The writer's schema as JSON text; null when the id is unknown. */
  schemaOf(id: number): string | null;
};

/** A codec that can also write into a batch under construction, without a copy per event. */
export type WritingCodec = EventCodec & { write(writer: AvroWriter, event: LadderEvent): void };

export const HEADER_BYTES = 5;

/** The schema id of a record; null when the bytes are not in Confluent wire format. */
export const schemaIdOf = (bytes: Uint8Array): number | null =>
  bytes.length >= HEADER_BYTES && bytes[0] === 0
    ? ((bytes[1]! << 24) | (bytes[2]! << 16) | (bytes[3]! << 8) | bytes[4]!) >>> 0
    : null;

type Schema = Compiled & {
  readonly avro: avsc.Type;
  /** The same for schemas that differ in nothing but their venues. */
  readonly shape: string;
};

// `log cat` shows the type of an event where it stands; the most frequent ones have it first.
const TYPE_FIRST: ReadonlySet<string> = new Set<EventType>(['BookObserved', 'FrameCaptured']);

function schemaFrom(text: string, type: EventType): Schema {
  const shape = JSON.stringify(typeFrom(withVenues(text, VENUES)).schema());
  const place = TYPE_FIRST.has(type) ? 'first' : 'last';
  return { ...compile(parse(text), { name: 'type', value: type, place }), avro: typeFrom(text), shape };
}

const parse = (text: string): AvroObject => camelSchema(JSON.parse(text) as AvroSchema) as AvroObject;
const typeFrom = (text: string): avsc.Type => avsc.Type.forSchema(parse(text) as unknown as avsc.Schema);

const OWN = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, schemaFrom(EVENT_SCHEMAS[type].text, type)]),
) as Record<EventType, Schema>;

/** avsc's types over the camelCase schemas: tests and benches compare with them. */
export const avroTypeOf = (type: EventType): avsc.Type => OWN[type].avro;

type Decoder = { readonly type: EventType; readonly read: (reader: AvroReader) => LadderEvent };

export const createCodec = (ids: SchemaIds): WritingCodec => ({ ...encoder(ids), ...decoder(ids) });

function encoder(ids: SchemaIds): Pick<WritingCodec, 'write' | 'encode'> {
  const known = new Map<EventType, number>();
  const scratch = new AvroWriter();
  // When first written: who only reads may lack the id.
  const idOf = (type: EventType): number => {
    if (!Object.hasOwn(OWN, type)) throw new LadderlogError('BAD_ARGUMENT', `no event type "${type}"`);
    const id = ids.idOf(type);
    known.set(type, id);
    return id;
  };

  const write = (writer: AvroWriter, event: LadderEvent): void => {
    const id = known.get(event.type) ?? idOf(event.type);
    const start = writer.at;
    try {
      writer.byte(0);
      writer.uint32(id);
      OWN[event.type].write(writer, event);
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
  const reader = new AvroReader();

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

function decoderFor(text: string): Decoder {
  const name = String(parse(text)['name']).split('.').at(-1)!;
  const type = EVENT_TYPES.find((known) => known === name);
  if (!type)
    throw new LadderlogError(
      'CODEC_UNKNOWN_SCHEMA',
      `schema of "${name}", which is no event of this version`,
    );
  const writer = schemaFrom(text, type);
  // Also what was written before a venue was added is read at full speed.
  const read = writer.shape === OWN[type].shape ? writer.read : resolvingReader(type, writer);
  return { type, read: read as Decoder['read'] };
}

/** Bytes of another version of the schema: proven whole first, then resolved by avsc (defaults, added and removed fields). */
function resolvingReader(type: EventType, writer: Schema): (reader: AvroReader) => LadderEvent {
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
    writer.read(reader);
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
