// BookObserved and FrameCaptured by hand: they are all but a few of the events, and a book is some four hundred integers.
// Byte for byte what avsc writes from the schemas (a property test holds them together). HOT_FIELDS are the field lists this
// file was written for; the codec refuses to start when a schema and its list differ.

import type { BookObserved, Envelope, EventType, FrameCaptured, TextException, Venue } from '@ladderlog/core';
import { BOOK_STATES, PROVENANCES, VENUES } from '@ladderlog/core';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

const BOOK_KINDS = ['snapshot', 'delta'] as const;
const DIRECTIONS = ['in', 'out'] as const;
const SIDES = ['bid', 'ask'] as const;

const ENVELOPE = 'venue market observedAt sourceTs session ordinal provenance';
export const HOT_FIELDS: Readonly<Partial<Record<EventType, string>>> = {
  BookObserved:
    `${ENVELOPE} outcome entry kind bidPrices bidSizes askPrices askSizes state flags nativeBid nativeAsk ` +
    'askComplement priceFormat sizeFormat exceptions hash sequence nativeIds',
  FrameCaptured: `${ENVELOPE} channel direction body requestedAt settings`,
};

function symbol(writer: ByteWriter, symbols: readonly string[], value: string): void {
  const index = symbols.indexOf(value);
  if (index < 0) throw new TypeError(`"${value}" is none of ${symbols.join(', ')}`);
  writer.byte(index << 1);
}

function envelope(writer: ByteWriter, event: Envelope): void {
  symbol(writer, VENUES, event.venue);
  writer.string(event.market);
  writer.long(event.observedAt);
  writer.optionalLong(event.sourceTs);
  writer.string(event.session);
  writer.long(event.ordinal);
  symbol(writer, PROVENANCES, event.provenance);
}

export function writeBook(writer: ByteWriter, event: BookObserved): void {
  envelope(writer, event);
  writer.string(event.outcome);
  writer.int(event.entry);
  symbol(writer, BOOK_KINDS, event.kind);
  writer.longs(event.bidPrices);
  writer.longs(event.bidSizes);
  writer.longs(event.askPrices);
  writer.longs(event.askSizes);
  symbol(writer, BOOK_STATES, event.state);
  writer.strings(event.flags);
  writer.string(event.nativeBid);
  writer.string(event.nativeAsk);
  writer.boolean(event.askComplement);
  writer.string(event.priceFormat);
  writer.string(event.sizeFormat);
  exceptions(writer, event.exceptions);
  writer.optionalString(event.hash);
  writer.optionalLong(event.sequence);
  writer.stringMap(event.nativeIds);
}

function exceptions(writer: ByteWriter, values: readonly TextException[]): void {
  if (values.length > 0) {
    writer.long(values.length);
    for (const value of values) {
      symbol(writer, SIDES, value.side);
      writer.int(value.level);
      writer.string(value.price);
      writer.string(value.size);
    }
  }
  writer.byte(0);
}

export function writeFrame(writer: ByteWriter, event: FrameCaptured): void {
  envelope(writer, event);
  writer.string(event.channel);
  symbol(writer, DIRECTIONS, event.direction);
  writer.bytes(event.body);
  writer.optionalLong(event.requestedAt);
  writer.stringMap(event.settings);
}

const oneOf = <T extends string>(reader: ByteReader, symbols: readonly T[]): T =>
  symbols[reader.index(symbols.length, 'enum symbol')]!;

// The writer's venues: a log outlives the version that wrote it, and a later one knows more of them.
// Field order in the literals is the order of the bytes: JavaScript evaluates them in this order.
export const readBook = (reader: ByteReader, venues: readonly Venue[]): BookObserved => ({
  type: 'BookObserved',
  venue: oneOf(reader, venues),
  market: reader.string(),
  observedAt: reader.long(),
  sourceTs: reader.optionalLong(),
  session: reader.string(),
  ordinal: reader.long(),
  provenance: oneOf(reader, PROVENANCES),
  outcome: reader.string(),
  entry: reader.int(),
  kind: oneOf(reader, BOOK_KINDS),
  bidPrices: reader.longs(),
  bidSizes: reader.longs(),
  askPrices: reader.longs(),
  askSizes: reader.longs(),
  state: oneOf(reader, BOOK_STATES),
  flags: reader.strings() as BookObserved['flags'][number][],
  nativeBid: reader.string(),
  nativeAsk: reader.string(),
  askComplement: reader.boolean(),
  priceFormat: reader.string() as BookObserved['priceFormat'],
  sizeFormat: reader.string() as BookObserved['sizeFormat'],
  exceptions: readExceptions(reader),
  hash: reader.optionalString(),
  sequence: reader.optionalLong(),
  nativeIds: reader.stringMap(),
});

function readExceptions(reader: ByteReader): TextException[] {
  const values: TextException[] = [];
  for (let count = reader.block(4); count > 0; count = reader.block(4))
    for (let left = count; left > 0; left--)
      values.push({
        side: oneOf(reader, SIDES),
        level: reader.int(),
        price: reader.string(),
        size: reader.string(),
      });
  return values;
}

export const readFrame = (reader: ByteReader, venues: readonly Venue[]): FrameCaptured => ({
  type: 'FrameCaptured',
  venue: oneOf(reader, venues),
  market: reader.string(),
  observedAt: reader.long(),
  sourceTs: reader.optionalLong(),
  session: reader.string(),
  ordinal: reader.long(),
  provenance: oneOf(reader, PROVENANCES),
  channel: reader.string(),
  direction: oneOf(reader, DIRECTIONS),
  body: reader.bytes(),
  requestedAt: reader.optionalLong(),
  settings: reader.stringMap(),
});
