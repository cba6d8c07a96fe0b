import { expect, test } from 'vitest';
import { LadderlogError } from '@ladderlog/core';
import { toStoreError } from '@ladderlog/store';

const clickhouse = (code: string, message = 'x') => Object.assign(new Error(message), { code });

test.each([
  ['243', 'STORE_DISK_FULL', true],
  ['241', 'STORE_BUSY', true],
  ['159', 'STORE_BUSY', true],
  ['252', 'STORE_BUSY', true],
  ['210', 'STORE_UNAVAILABLE', true],
  ['999', 'STORE_UNAVAILABLE', true],
  ['ECONNREFUSED', 'STORE_UNAVAILABLE', true],
  ['ENOSPC', 'STORE_DISK_FULL', true],
  ['62', 'STORE_QUERY_FAILED', false],
  ['60', 'STORE_QUERY_FAILED', false],
])('ClickHouse error %s is %s', (code, expected, retryable) => {
  expect(toStoreError(clickhouse(code), 'insert')).toMatchObject({ code: expected, retryable });
});

test('an errno wrapped by ClickHouse is looked up in its text', () => {
  const text = 'Cannot write to file, errno: 28, strerror: No space left on device';
  expect(toStoreError(clickhouse('75', text), 'insert').code).toBe('STORE_DISK_FULL');
  expect(toStoreError(clickhouse('75', 'Cannot write, errno: 5'), 'insert').code).toBe('STORE_QUERY_FAILED');
  // A client's query text may hold the words; a syntax error stays one.
  expect(toStoreError(clickhouse('62', text), 'query').code).toBe('STORE_QUERY_FAILED');
});

test('our own errors pass', () => {
  const error = new LadderlogError('STORE_LOCKED', 'x');
  expect(toStoreError(error, 'open')).toBe(error);
});
