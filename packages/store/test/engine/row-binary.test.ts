import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLadderlogError, TABLES } from '@ladderlog/core';
import { createRowEncoder } from '@ladderlog/store';
import { RowBinaryWriter } from '../../src/engine/row-binary.ts';
import { book, bookRow } from '../book-rows.ts';

const written = (write: (writer: RowBinaryWriter) => void): Buffer => {
  const writer = new RowBinaryWriter(1);
  write(writer);
  return writer.bytes();
};

test('64-bit integers are what BigInt would write', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const expected = Buffer.alloc(8);
      expected.writeBigInt64LE(BigInt(value));
      expect(written((writer) => writer.int64(value))).toEqual(expected);
      expect(written((writer) => writer.int64s([value])).subarray(1)).toEqual(expected);
    }),
  );
});

test('text is its UTF-8 length and bytes, of any length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (value) => {
      const bytes = Buffer.from(value, 'utf8');
      const out = written((writer) => writer.text(value));
      const head = bytes.length < 128 ? 1 : 2;
      expect(out.subarray(head)).toEqual(bytes);
      expect(out).toEqual(written((writer) => writer.text(new Uint8Array(bytes))));
    }),
  );
});

test('variable-length counts', () => {
  expect([...written((writer) => writer.varuint(0))]).toEqual([0]);
  expect([...written((writer) => writer.varuint(127))]).toEqual([127]);
  expect([...written((writer) => writer.varuint(128))]).toEqual([128, 1]);
  expect([...written((writer) => writer.varuint(624_485))]).toEqual([0xe5, 0x8e, 0x26]);
});

test('a row that lacks a column is refused whole, and the encoder goes on', () => {
  const encoder = createRowEncoder('book_snapshots', 1);
  encoder.add(bookRow(book(), 1));
  const one = encoder.bytes;
  const { state: _state, ...broken } = bookRow(book(), 2);
  let error: unknown;
  try {
    encoder.add(broken as never);
  } catch (caught) {
    error = caught;
  }
  expect(isLadderlogError(error, 'BAD_ARGUMENT')).toBe(true);
  expect((error as Error).message).toContain('column state');
  expect([encoder.rows, encoder.bytes]).toEqual([1, one]);
  encoder.add(bookRow(book(), 3));
  expect([encoder.rows, encoder.bytes]).toEqual([2, 2 * one]);
  expect(encoder.take().length).toBe(2 * one);
  expect([encoder.rows, encoder.bytes]).toEqual([0, 0]);
});

test('a number that its column cannot hold is refused, not wrapped', () => {
  const encoder = createRowEncoder('book_snapshots', 1);
  const row = bookRow(book(), 1);
  const refused: [string, unknown][] = [
    ['entry', 65_536],
    ['entry', -1],
    ['entry', 0.5],
    ['bid_levels', 4_294_967_296],
    ['exception_levels', [-1]],
    ['ordinal', -1],
    ['sequence', 2 ** 53],
    ['observed_at', Number.NaN],
    ['bid_prices', [1, Number.NaN]],
    ['bid_sizes', [0.5]],
    ['ask_prices', [2 ** 63]],
    ['ask_prices', [-(2 ** 64)]],
    ['ask_sizes', [1, 2, undefined]],
    ['ask_sizes', [Number.POSITIVE_INFINITY]],
  ];
  for (const [column, value] of refused) {
    const wrong = Array.isArray(value) ? String(value.at(-1)) : String(value);
    expect(() => encoder.add({ ...row, [column]: value })).toThrow(`column ${column}: ${wrong}`);
    expect([encoder.rows, encoder.bytes]).toEqual([0, 0]);
  }
  encoder.add({ ...row, entry: 65_535, bid_levels: 4_294_967_295, exception_levels: [70_000] });
  expect(encoder.rows).toBe(1);
});

test('columns are generation, position, then the table', () => {
  expect(createRowEncoder('gaps', 1).columns).toEqual([
    'generation',
    'version',
    'topic',
    'partition',
    'offset',
    ...Object.keys(TABLES.gaps),
  ]);
});
