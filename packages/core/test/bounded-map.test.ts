import { expect, test } from 'vitest';
import { setBounded } from '../src/index.ts';

test('a bounded map drops what was set longest ago, and says what it was', () => {
  const map = new Map<string, number>();
  expect(setBounded(map, 'a', 1, 2)).toBeNull();
  expect(setBounded(map, 'b', 2, 2)).toBeNull();
  expect(setBounded(map, 'a', 3, 2)).toBeNull();
  expect(setBounded(map, 'c', 4, 2)).toEqual(['b', 2]);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
