import type { BookObserved, TableName, TableRow } from '@ladderlog/core';
import { EVENT_TYPES, LadderlogError, PROJECTIONS, keyOf, timeOf } from '@ladderlog/core';
import type { RecordFields } from '@ladderlog/log';
import { EVENT_SCHEMAS, LogRecord, createCodec } from '@ladderlog/log';
import { describe, expect, test } from 'vitest';

import { createRangeProjector } from '../../src/ranges/range-projection.ts';
import { generate } from '../generate.ts';

const codec = createCodec({
  idOf: (type) => EVENT_TYPES.indexOf(type) + 1,
  schemaOf: (id) => {
    const type = EVENT_TYPES[id - 1];
    return type ? EVENT_SCHEMAS[type].text : null;
  },
});
const events = [...generate({ observations: 200, levels: 2, markets: 3, venues: ['venueb'] })];
const stored: RecordFields[] = events.map((event, offset) => ({
  offset,
  key: keyOf(event),
  time: timeOf(event),
  value: codec.encode(event),
  fault: null,
}));
const records = stored.map((fields) => new LogRecord(codec, fields));

type Rows = Record<string, TableRow<TableName>[]>;

function tablesOf(from: readonly LogRecord[]): { rows: Rows; poison: number } {
  const rows: Rows = {};
  const sinks = PROJECTIONS.map(({ table }) => {
    const own = (rows[table] = []) as TableRow<TableName>[];
    return { add: (row: TableRow<TableName>) => void own.push(row) };
  });
  const { poison } = createRangeProjector(PROJECTIONS)('venueb', 1, from, sinks);
  return { rows, poison };
}

describe('a range', () => {
  test('projected again gives the same rows', () => {
    expect(tablesOf(records)).toEqual(tablesOf(records));
  });

  test('gives every book, and of the newest books one an outcome', () => {
    const { rows } = tablesOf(records);
    const books = events.filter((event): event is BookObserved => event.type === 'BookObserved');
    expect(rows['book_snapshots']).toHaveLength(books.length);
    const newest = new Map(books.map((book) => [book.market, book.observedAt]));
    const latest = rows['latest_books'] as TableRow<'latest_books'>[];
    expect(new Map(latest.map((row) => [row.market, row.observed_at]))).toEqual(newest);
  });

  test('keeps going past faults and foreign bytes, which become rejects in their place', () => {
    const spoiled = stored.map((record, at) =>
      at === 5
        ? { ...record, fault: new LadderlogError('LOG_CORRUPT', 'checksum') }
        : at === 9
          ? { ...record, value: new TextEncoder().encode('{}') }
          : record,
    );
    const { rows, poison } = tablesOf(spoiled.map((fields) => new LogRecord(codec, fields)));
    expect(poison).toBe(2);
    const rejected = (rows['rejects'] as TableRow<'rejects'>[]).filter(({ origin }) => origin === 'record');
    expect(rejected.map(({ offset, reason }) => [offset, reason])).toEqual([
      [5, 'LOG_CORRUPT'],
      [9, 'CODEC_FOREIGN_BYTES'],
    ]);
  });
});
