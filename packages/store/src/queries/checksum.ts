// A checksum that JavaScript and ClickHouse compute alike: CRC-32 of a canonical text of the row, summed. The text has every
// column but `generation` (two builds of the same log must agree), so a changed, missing or doubled row shows.

import { crc32 } from 'node:zlib';

import type { ColumnType, TableName, TableRow } from '@ladderlog/core';
import { columnsOf } from '../engine/row-binary.ts';
import type { Query } from '../store.ts';

const FIELD = '\u001f';
const ITEM = '\u001e';
const NULL = '\\N';

/** The text of a value, here and in the engine. */
type Text = { readonly here: (value: never) => string; readonly sql: (column: string) => string };

const plain: Text = {
  here: (value: string | number | boolean) => String(value),
  sql: (column) => `toString(${column})`,
};
const time: Text = { ...plain, sql: (column) => `toString(toUnixTimestamp64Micro(${column}))` };
const numbers: Text = { ...plain, here: (values: readonly number[]) => `[${values.join(',')}]` };
const nullable = ({ sql }: Text): Text => ({
  here: (value: string | number | null) => (value === null ? NULL : String(value)),
  sql: (column) => `ifNull(${sql(column)}, '\\\\N')`,
});
/** For columns that may hold any bytes, which no text can: their own CRC. */
const bytes: Text = {
  here: (value: string | Uint8Array) => String(crc32(value)),
  sql: (column) => `toString(CRC32(${column}))`,
};

const TEXTS: Readonly<Record<ColumnType, Text>> = {
  Bool: plain,
  UInt16: plain,
  UInt32: plain,
  UInt64: plain,
  Int64: plain,
  String: plain,
  'DateTime64(6)': time,
  'Nullable(UInt64)': nullable(plain),
  'Nullable(Int64)': nullable(plain),
  'Nullable(String)': nullable(plain),
  'Nullable(DateTime64(6))': nullable(time),
  'Array(UInt16)': numbers,
  'Array(UInt32)': numbers,
  'Array(Int64)': numbers,
  'Array(String)': {
    here: (values: readonly string[]) => values.join(ITEM),
    sql: (column) => `arrayStringConcat(${column}, '\\x1e')`,
  },
  'Map(String, String)': {
    here: (map: Readonly<Record<string, string>>) =>
      Object.entries(map)
        .map(([key, value]) => `${key}=${value}`)
        .join(ITEM),
    sql: (column) =>
      `arrayStringConcat(arrayMap((k, v) -> concat(k, '=', v), mapKeys(${column}), mapValues(${column})), '\\x1e')`,
  },
};

const textsOf = (table: TableName): { readonly name: string; readonly text: Text }[] =>
  Object.entries(columnsOf(table))
    .slice(1)
    .map(([name, type]) => ({ name, text: name === 'body' ? bytes : TEXTS[type] }));

/** The checksum of one row, as a projection gives it. */
export function createRowChecksum(table: TableName): (row: TableRow<TableName>) => number {
  const texts = textsOf(table);
  return (row) => {
    let whole = '';
    for (const { name, text } of texts)
      whole += text.here((row as Record<string, unknown>)[name] as never) + FIELD;
    return crc32(whole);
  };
}

/** The same in SQL: an expression over the columns of the table. */
export const checksumSql = (table: TableName): string =>
  `CRC32(concat(${textsOf(table)
    .map(({ name, text }) => `${text.sql(`\`${name}\``)}, '\\x1f'`)
    .join(', ')}))`;

export type MarketSums = {
  readonly venue: string;
  readonly market: string;
  readonly rows: number;
  /** Of the checksums of all its rows, as text: it may exceed 2^53. */
  readonly checksum: string;
  /** How many places in the log its rows come from. */
  readonly positions: number;
};

/** Answers MarketSums of every market in the table. `collapsed`: of a table that keeps the newest or merged rows. */
export const marketSums = (table: TableName, generation: number, collapsed: boolean): Query => ({
  sql: `SELECT venue, market, count() AS rows, toString(sum(${checksumSql(table)})) AS checksum,
  uniqExact(topic, partition, offset) AS positions
FROM ${table}${collapsed ? ' FINAL' : ''} WHERE generation = {generation:UInt32} GROUP BY venue, market`,
  params: { generation },
});
