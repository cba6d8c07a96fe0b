// Rows of a table as ClickHouse's RowBinary, from the one table description (TABLES). The hot path is arrays of Int64: two
// 32-bit stores a value, no BigInt, one growing buffer.

import type { Columns, ColumnType, TableName, TableRow } from '@ladderlog/core';
import { LadderlogError, POSITION_COLUMNS, TABLES } from '@ladderlog/core';

/** Takes what is left of a safe integer without its low 32 bits to its high 32 bits; exact, also below zero. */
const HIGH_HALF = 2 ** -32;
const INITIAL_BYTES = 1 << 16;

/** Every column of a table in insert order, generation first. */
export const columnsOf = (table: TableName): Columns => ({
  generation: 'UInt32',
  ...POSITION_COLUMNS,
  ...TABLES[table],
});

export class RowBinaryWriter {
  private buffer: Buffer;
  private view: DataView;
  private at = 0;

  constructor(capacity = INITIAL_BYTES) {
    this.buffer = Buffer.allocUnsafeSlow(capacity);
    this.view = new DataView(this.buffer.buffer);
  }

  get length(): number {
    return this.at;
  }

  /** A copy of what was written. */
  bytes(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.at));
  }

  /** What was written; the writer is empty after. Much of it is handed over as it is, little of it is copied. */
  take(): Buffer {
    const written = this.buffer.length > INITIAL_BYTES ? this.buffer.subarray(0, this.at) : this.bytes();
    this.at = 0;
    if (this.buffer.length > INITIAL_BYTES) {
      this.buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
      this.view = new DataView(this.buffer.buffer);
    }
    return written;
  }

  truncate(length: number): void {
    this.at = length;
  }

  private reserve(count: number): void {
    const needed = this.at + count;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, this.at);
    this.buffer = grown;
    this.view = new DataView(grown.buffer);
  }

  uint8(value: number): void {
    this.reserve(1);
    this.buffer[this.at++] = value;
  }

  /** Throws where the value would wrap. */
  uint16(value: number): void {
    if ((value & 0xffff) !== value) throw new RangeError(`${value} is no UInt16`);
    this.reserve(2);
    this.view.setUint16(this.at, value, true);
    this.at += 2;
  }

  uint32(value: number): void {
    if (value >>> 0 !== value) throw new RangeError(`${value} is no UInt32`);
    this.reserve(4);
    this.view.setUint32(this.at, value, true);
    this.at += 4;
  }

  /** A safe integer as 64 bits, two's complement. */
  int64(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no safe integer`);
    this.reserve(8);
    const low = value >>> 0;
    this.view.setUint32(this.at, low, true);
    this.view.setInt32(this.at + 4, (value - low) * HIGH_HALF, true);
    this.at += 8;
  }

  uint64(value: number): void {
    if (value < 0) throw new RangeError(`${value} is no UInt64`);
    this.int64(value);
  }

  int64s(values: readonly number[]): void {
    const count = values.length;
    this.varuint(count);
    this.reserve(count * 8);
    const { view } = this;
    let { at } = this;
    for (let index = 0; index < count; index++) {
      const value = values[index]!;
      const low = value >>> 0;
      const half = (value - low) * HIGH_HALF;
      const high = half | 0;
      // One comparison finds what is no number, no integer, or too large.
      if (high !== half) throw new RangeError(`${value} (value ${index + 1}) is no Int64`);
      view.setUint32(at, low, true);
      view.setInt32(at + 4, high, true);
      at += 8;
    }
    this.at = at;
  }

  varuint(value: number): void {
    this.reserve(10);
    let rest = value;
    while (rest >= 128) {
      this.buffer[this.at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.buffer[this.at++] = rest;
  }

  text(value: string | Uint8Array): void {
    if (typeof value !== 'string') {
      this.varuint(value.length);
      this.reserve(value.length);
      this.buffer.set(value, this.at);
      this.at += value.length;
      return;
    }
    const { length } = value;
    if (length < 64) {
      this.reserve(length + 1);
      const { buffer } = this;
      const begin = this.at;
      let at = begin + 1;
      for (let index = 0; index < length; index++) {
        const code = value.charCodeAt(index);
        if (code > 127) return this.longText(value);
        buffer[at++] = code;
      }
      buffer[begin] = length;
      this.at = at;
      return;
    }
    this.longText(value);
  }

  private longText(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.varuint(bytes);
    this.reserve(bytes);
    this.at += this.buffer.write(value, this.at, bytes, 'utf8');
  }
}

type Write = (writer: RowBinaryWriter, value: never) => void;

const text: Write = (writer, value: string | Uint8Array) => writer.text(value);
const int64: Write = (writer, value: number) => writer.int64(value);
const uint16: Write = (writer, value: number) => writer.uint16(value);
const uint32: Write = (writer, value: number) => writer.uint32(value);
const uint64: Write = (writer, value: number) => writer.uint64(value);

const nullable =
  (write: Write): Write =>
  (writer, value) => {
    if (value === null) writer.uint8(1);
    else {
      writer.uint8(0);
      write(writer, value);
    }
  };

const array =
  (write: Write): Write =>
  (writer, values: readonly unknown[]) => {
    writer.varuint(values.length);
    for (const value of values) write(writer, value as never);
  };

const WRITERS: Readonly<Record<ColumnType, Write>> = {
  Bool: (writer, value: boolean) => writer.uint8(value ? 1 : 0),
  UInt16: uint16,
  UInt32: uint32,
  UInt64: uint64,
  Int64: int64,
  String: text,
  'DateTime64(6)': int64,
  'Nullable(UInt64)': nullable(uint64),
  'Nullable(Int64)': nullable(int64),
  'Nullable(String)': nullable(text),
  'Nullable(DateTime64(6))': nullable(int64),
  'Array(UInt16)': array(uint16),
  'Array(UInt32)': array(uint32),
  'Array(Int64)': (writer, values: readonly number[]) => writer.int64s(values),
  'Array(String)': array(text),
  'Map(String, String)': (writer, map: Readonly<Record<string, string>>) => {
    const keys = Object.keys(map);
    writer.varuint(keys.length);
    for (const key of keys) {
      writer.text(key);
      writer.text(map[key]!);
    }
  },
};

export type RowEncoder<T extends TableName> = {
  readonly table: T;
  /** Column names in the order of the bytes; for the INSERT statement. */
  readonly columns: readonly string[];
  readonly rows: number;
  readonly bytes: number;
  /** Appends a row. A row that lacks a column or has a value of another kind throws and leaves nothing behind. */
  add(row: TableRow<T>): void;
  /** The rows so far as bytes; the encoder is empty after. */
  take(): Uint8Array;
};

export function createRowEncoder<T extends TableName>(table: T, generation: number): RowEncoder<T> {
  const columns = Object.entries(columnsOf(table)).slice(1);
  const names = columns.map(([name]) => name);
  const writes = columns.map(([, type]) => WRITERS[type]);
  const writer = new RowBinaryWriter();
  let rows = 0;
  return {
    table,
    columns: ['generation', ...names],
    get rows() {
      return rows;
    },
    get bytes() {
      return writer.length;
    },
    add(row) {
      const begin = writer.length;
      let column = 0;
      try {
        writer.uint32(generation);
        for (; column < names.length; column++) {
          const value = (row as Record<string, unknown>)[names[column]!];
          if (value === undefined) throw new TypeError('no value');
          writes[column]!(writer, value as never);
        }
        rows++;
      } catch (cause) {
        writer.truncate(begin);
        throw new LadderlogError(
          'BAD_ARGUMENT',
          `a row of ${table} cannot be encoded: column ${names[column]}: ${(cause as Error).message}`,
          { cause },
        );
      }
    },
    take() {
      rows = 0;
      return writer.take();
    },
  };
}
