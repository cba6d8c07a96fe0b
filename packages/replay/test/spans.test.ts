import { expect, test } from 'vitest';
import { Spans } from '../src/source/spans.ts';

const SECOND = 1_000_000;

/** First and last offset, first and last second. */
const joined = (...given: readonly (readonly [number, number, number, number])[]) => {
  const spans = new Spans({ topic: 'venueb', partition: 0 });
  for (const [first, last, from, to] of given) spans.add(first, last, from * SECOND, to * SECOND);
  return spans.list.map(({ first, last, minTime, maxTime }) => [
    first,
    last,
    minTime / SECOND,
    maxTime / SECOND,
  ]);
};

test('joins neighbours that are small and close in time', () => {
  expect(joined([0, 99, 3, 5], [100, 199, 1, 10])).toEqual([[0, 199, 1, 10]]);
});

test('keeps apart what would be in memory too long', () => {
  expect(joined([0, 99, 0, 5], [100, 199, 600, 605])).toHaveLength(2);
});

test('keeps apart what would be too many records at once', () => {
  expect(joined([0, 1_000, 0, 5], [1_001, 1_998, 5, 6], [1_999, 2_500, 6, 7])).toEqual([
    [0, 1_998, 0, 6],
    [1_999, 2_500, 6, 7],
  ]);
});

test('an import of old times after live capture is a span of its own', () => {
  expect(joined([0, 9, 10_000, 10_001], [10, 19, 0, 1])).toEqual([
    [0, 9, 10_000, 10_001],
    [10, 19, 0, 1],
  ]);
});
