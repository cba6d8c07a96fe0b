// A checksum that JavaScript and ClickHouse compute alike: CRC-32 of a canonical text of the row, summed. The text has every
// column but `generation` (two builds of the same log must agree), so a changed, missing or doubled row shows.

import { crc32 } from 'node:zlib';

import type { ColumnType, TableName, TableRow } from '@ladderlog/core';
import { columnsOf } from '@ladderlog/store';

const FIELD = '\u001f';
const ITEM = '\u001e';
const NULL = '\\N';

/** Columns that may hold any bytes: their own CRC stands for them, since a text cannot. */
const BYTES: ReadonlySet<string> = new Set(['body']);

type TextOf = (value: never) => string;

const plain: TextOf = (value: string | number | boolean) => String(value);
const orNull: TextOf = (value: string | number | null) => (value === null ? NULL : String(value));
const numbers: TextOf = (values: readonly number[]) => `[${values.join(',')}]`;
const TEXT: Readonly<Record<ColumnType, TextOf>> = {
  Bool: plain,
  UInt16: plain,
  UInt32: plain,
  UInt64: plain,
  Int64: plain,
  String: plain,
  'DateTime64(6)': plain,
  'Nullable(UInt64)': orNull,
  'Nullable(Int64)': orNull,
  'Nullable(String)': orNull,
  'Nullable(DateTime64(6))': orNull,
  'Array(UInt16)': numbers,
  'Array(UInt32)': numbers,
  'Array(Int64)': numbers,
  'Array(String)': (values: readonly string[]) => values.join(ITEM),
  'Map(String, String)': (map: Readonly<Record<string, string>>) =>
    Object.entries(map)
      .map(([key, value]) => `${key}=${value}`)
      .join(ITEM),
};

const SQL: Readonly<Record<ColumnType, (column: string) => string>> = {
  Bool: (column) => `toString(${column})`,
  UInt16: (column) => `toString(${column})`,
  UInt32: (column) => `toString(${column})`,
  UInt64: (column) => `toString(${column})`,
  Int64: (column) => `toString(${column})`,
  String: (column) => `toString(${column})`,
  'DateTime64(6)': (column) => `toString(toUnixTimestamp64Micro(${column}))`,
  'Nullable(UInt64)': (column) => `ifNull(toString(${column}), '\\\\N')`,
  'Nullable(Int64)': (column) => `ifNull(toString(${column}), '\\\\N')`,
  'Nullable(String)': (column) => `ifNull(toString(${column}), '\\\\N')`,
  'Nullable(DateTime64(6))': (column) => `ifNull(toString(toUnixTimestamp64Micro(${column})), '\\\\N')`,
  'Array(UInt16)': (column) => `toString(${column})`,
  'Array(UInt32)': (column) => `toString(${column})`,
  'Array(Int64)': (column) => `toString(${column})`,
  'Array(String)': (column) => `arrayStringConcat(${column}, '\\x1e')`,
  'Map(String, String)': (column) =>
    `arrayStringConcat(arrayMap((k, v) -> concat(k, '=', v), mapKeys(${column}), mapValues(${column})), '\\x1e')`,
};

/** The checksum of one row, as a projection gives it. */
export function createRowChecksum(table: TableName): (row: TableRow<TableName>) => number {
  const columns = Object.entries(columnsOf(table)).slice(1);
  const names = columns.map(([name]) => name);
  const texts = columns.map(([name, type]): TextOf =>
    BYTES.has(name) ? (value: string | Uint8Array) => String(crc32(value)) : TEXT[type],
  );
  return (row) => {
    let text = '';
    for (let at = 0; at < names.length; at++)
      text += texts[at]!((row as Record<string, unknown>)[names[at]!] as never) + FIELD;
    return crc32(text);
  };
}

/** The same in SQL: an expression over the columns of the table. */
export function checksumSql(table: TableName): string {
  const parts = Object.entries(columnsOf(table))
    .slice(1)
    .map(([name, type]) => (BYTES.has(name) ? `toString(CRC32(\`${name}\`))` : SQL[type](`\`${name}\``)));
  return `CRC32(concat(${parts.map((part) => `${part}, '\\x1f'`).join(', ')}))`;
}
