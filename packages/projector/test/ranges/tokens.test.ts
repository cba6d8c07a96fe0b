import { PROJECTIONS } from '@ladderlog/core';
import { describe, expect, test } from 'vitest';

import { nameOfRange, nameOfSet, schemaHash, tokenOf } from '../../src/ranges/tokens.ts';

const at = (topic: string, partition: number, first: number, last: number) => ({
  key: { topic, partition },
  range: { first, last },
});
const one = at('venueb', 1, 40, 99);
const other = at('venuec', 0, 7, 7);

describe('a token', () => {
  const books = PROJECTIONS[0]!;
  const token = tokenOf(books, 3, nameOfRange(one));

  // As version 0.1.0 made it: a range that it began is repeated under the same.
  test('names projection, generation, version, columns, partition and range', () => {
    expect(token).toBe(`book_snapshots:g3:v1:${schemaHash('book_snapshots')}:venueb:1:40-99`);
  });

  test('differs when anything differs that changes the rows', () => {
    const others = [
      tokenOf({ ...books, version: 2 }, 3, nameOfRange(one)),
      tokenOf(books, 4, nameOfRange(one)),
      tokenOf(books, 3, nameOfRange(at('venuec', 1, 40, 99))),
      tokenOf(books, 3, nameOfRange(at('venueb', 2, 40, 99))),
      tokenOf(books, 3, nameOfRange(at('venueb', 1, 40, 98))),
      tokenOf(PROJECTIONS[1]!, 3, nameOfRange(one)),
      tokenOf(books, 3, nameOfSet([one])),
    ];
    expect(new Set([token, ...others]).size).toBe(8);
    expect(schemaHash('book_snapshots')).not.toBe(schemaHash('markets'));
  });
});

describe('the name of a set', () => {
  test('does not change from one version to the next: what was begun is repeated under it', () => {
    expect(nameOfSet([one, other])).toBe('set:1a7e6c2337191b1d3424e9ff4d64');
  });

  test('is of the set, not of an order', () => {
    expect(nameOfSet([other, one])).toBe(nameOfSet([one, other]));
  });

  test('differs when a range, a partition or a member differs', () => {
    const names = [
      nameOfSet([one, other]),
      nameOfSet([one]),
      nameOfSet([other]),
      nameOfSet([one, at('venuec', 0, 7, 8)]),
      nameOfSet([one, at('venuec', 0, 6, 7)]),
      nameOfSet([one, at('venuec', 1, 7, 7)]),
      nameOfSet([one, at('venuea', 0, 7, 7)]),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});
