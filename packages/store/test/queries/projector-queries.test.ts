// The text of what the projector, a rebuild and a verification ask of the tables.

import { expect, test } from 'vitest';
import {
  anyRow,
  copyMonths,
  copyPiece,
  copyPieces,
  cursorRows,
  hasHistory,
  insertCursor,
  marketSums,
  offsetsWithRows,
  partitionsWithRows,
} from '@ladderlog/store';
import { switchToGeneration } from '../../src/queries/generations.ts';
import { rowsBefore } from '../../src/queries/log-rows.ts';

const evil = `x'"\\; DROP TABLE gaps --`;
const quoted = `'x\\'"\\\\; DROP TABLE gaps --'`;
const key = { generation: 7, topic: evil, partition: 2 };

test('places in the log are bound', () => {
  for (const { sql, params } of [
    anyRow('gaps', key),
    cursorRows(key),
    offsetsWithRows('gaps', key, { first: 3, last: 9 }),
  ]) {
    expect(sql).toContain(
      'WHERE generation = {generation:UInt32} AND topic = {topic:String} AND partition = {partition:UInt16}',
    );
    expect(sql).not.toContain('DROP');
    expect(params).toMatchObject(key);
  }
  expect(offsetsWithRows('gaps', key, { first: 3, last: 9 }).params).toMatchObject({ first: 3, last: 9 });
});

test('a whole generation is asked for by its number alone', () => {
  for (const { sql, params } of [
    anyRow('gaps', { generation: 7 }),
    cursorRows({ generation: 7 }),
    partitionsWithRows('gaps', 7),
  ]) {
    expect(sql).toMatch(/WHERE generation = \{generation:UInt32\}( LIMIT 1| ORDER BY [a-z, ]+)?$/);
    expect(params).toEqual({ generation: 7 });
  }
});

test('a cursor is inserted under a token of its revision', () => {
  const row = {
    ...key,
    epoch: 3,
    revision: 12,
    owner: evil,
    hwm: -1,
    pending_first: null,
    pending_last: 8,
    fingerprint: 'f',
  };
  const sql = insertCursor(row);
  expect(sql).toContain(
    `insert_deduplication_token = 'cursor:g7:x\\'"\\\\; DROP TABLE gaps --:2:12'\nVALUES (7, ${quoted}, 2, 3, 12, ${quoted}, -1,`,
  );
  expect(sql).toMatch(/NULL, 8, 'f'\)$/);
});

test('rows before positions: none of a partition that is not named', () => {
  expect(rowsBefore([])).toBe('false');
  expect(
    rowsBefore(
      [
        { topic: 'a', partition: 0, offset: 5 },
        { topic: evil, partition: 1, offset: 6 },
      ],
      'b.',
    ),
  ).toBe(
    `((b.topic = 'a' AND b.partition = 0 AND b.offset < 5) OR (b.topic = ${quoted} AND b.partition = 1 AND b.offset < 6))`,
  );
});

test('a table of every row is copied from itself, one of newest rows from its history', () => {
  const before = [{ topic: 'venueb', partition: 0, offset: 5 }];
  const piece = { month: 202_609, venue: 'venueb', first: evil, last: 'z' };
  const books = { table: 'book_snapshots', source: 3, target: 4, before } as const;
  const latest = { ...books, table: 'latest_books' } as const;
  expect(copyMonths(latest)).toBe(copyMonths(books));
  expect(copyPieces(latest, 202_609, 10)).toBe(copyPieces(books, 202_609, 10));
  const where = `generation = 3 AND ${rowsBefore(before)} AND toYYYYMM(observed_at) = 202609 AND venue = 'venueb' AND market >= ${quoted} AND market <= 'z'`;
  expect(copyPiece(books, piece)).toMatch(
    /^INSERT INTO book_snapshots \(generation, `version`, .*\) SELECT 4, `version`, /,
  );
  expect(copyPiece(books, piece).endsWith(`FROM book_snapshots WHERE ${where}`)).toBe(true);
  expect(copyPiece(latest, piece)).toMatch(/^INSERT INTO latest_books /);
  expect(copyPiece(latest, piece)).toContain(
    `FROM book_snapshots WHERE ${where} AND (venue, market, outcome, observed_at, offset) GLOBAL IN (`,
  );
  expect([hasHistory('latest_books'), hasHistory('markets'), hasHistory('gaps')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('sums leave out the generation, and collapse where the table does', () => {
  const plain = marketSums('book_snapshots', 7, false);
  expect(plain.params).toEqual({ generation: 7 });
  expect(plain.sql).toContain("CRC32(concat(toString(`version`), '\\x1f', ");
  expect(plain.sql).not.toContain('`generation`');
  expect(plain.sql).not.toContain('FINAL');
  expect(marketSums('latest_books', 7, true).sql).toContain('FROM latest_books FINAL WHERE');
});

test('a switch adds one row after the last', () => {
  expect(switchToGeneration(8, "it's")).toBe(
    "INSERT INTO current_generation (sequence, generation, reason)\nSELECT max(sequence) + 1, 8, 'it\\'s' FROM current_generation",
  );
});
