import { setTimeout as later } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemo, readRarely } from '../src/answers/memo.ts';

const counter = () => {
  let reads = 0;
  return () => Promise.resolve(++reads);
};
const LONG = 3_600_000;

test('requests at the same time share one read, and the answer is kept for its time', async () => {
  const memo = createMemo({ ttlMs: LONG });
  const read = counter();
  expect(await Promise.all([memo('a', read), memo('a', read)])).toEqual([1, 1]);
  expect(await memo('a', read)).toBe(1);
  expect(await memo('b', read)).toBe(2);
});

test('with a version it is kept until that changes, and no longer than its bound', async () => {
  const memo = createMemo({ ttlMs: 1, versionedMs: LONG });
  const read = counter();
  expect(await memo('a', read, 'v1')).toBe(1);
  await later(2);
  expect(await memo('a', read, 'v1')).toBe(1);
  expect(await memo('a', read, 'v2')).toBe(2);
  await later(2);
  expect(await memo('a', read, null)).toBe(3);
  // What was read while the version was unknown is not kept for any.
  await later(2);
  expect(await memo('a', read, 'v2')).toBe(4);
  const bounded = createMemo({ ttlMs: 1, versionedMs: 1 });
  expect(await bounded('a', read, 'v')).toBe(5);
  await later(2);
  expect(await bounded('a', read, 'v')).toBe(6);
});

test('an answer of another version is never given, however young it is', async () => {
  const memo = createMemo({ ttlMs: LONG, versionedMs: LONG });
  const read = counter();
  expect(await memo('a', read)).toBe(1);
  expect(await memo('a', read, 'v1')).toBe(2);
  expect(await memo('a', read, 'v2')).toBe(3);
  expect(await memo('a', read, 'v2')).toBe(3);
  // Who names none takes what is young.
  expect(await memo('a', read)).toBe(3);
});

test('neither failures nor more than the most entries are kept, and with 0 nothing is', async () => {
  const memo = createMemo({ ttlMs: LONG, maxEntries: 2 });
  await expect(memo('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const read = counter();
  expect(await memo('a', read)).toBe(1);
  await memo('b', read);
  await memo('c', read);
  expect(await memo('a', read)).toBe(4);
  expect(await memo('c', read)).toBe(3);
  const none = createMemo({ ttlMs: 0 });
  expect([await none('a', read, 'v'), await none('a', read, 'v')]).toEqual([5, 6]);
});

test('what is slow to read is read rarely: kept for many times as long as it took, a minute at most', async () => {
  let now = 0;
  let took = 100;
  let reads = 0;
  const get = readRarely(
    () => {
      now += took;
      return took < 0 ? Promise.reject(new Error('no')) : Promise.resolve(++reads);
    },
    () => now,
  );
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  now += 1_999;
  expect(await get()).toBe(1);
  now += 1;
  took = 10_000;
  expect(await get()).toBe(2);
  now += 59_999;
  expect(await get()).toBe(2);
  now += 1;
  took = -1;
  await expect(get()).rejects.toThrow('no');
  took = 100;
  expect(await get()).toBe(3);
});
