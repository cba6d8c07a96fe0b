import { describe, expect, test } from 'vitest';
import { formatOf, isReading, objectionTo, tokenize } from '../../src/sql-front/guard.ts';

describe('lets reading through', () => {
  test.each([
    'SELECT 1',
    'WITH 1 AS a SELECT a',
    'SHOW TABLES',
    'DESCRIBE TABLE v_books',
    'EXPLAIN SELECT 1',
    "SELECT 'file(\\'/etc/passwd\\')' AS text, 'a;b' AS t",
    'SELECT market AS outfile FROM v_books',
  ])('%s', (sql) => {
    expect(objectionTo(sql)).toBeNull();
  });
});

describe('stops everything else', () => {
  test.each([
    'INSERT INTO gaps FORMAT Values',
    'DROP TABLE gaps',
    'KILL QUERY WHERE 1 ASYNC',
    'SET readonly = 0',
    'SYSTEM SHUTDOWN',
    "SELECT file('/etc/passwd')",
    "SELECT FILE('/etc/passwd')",
    "SELECT `file`('/etc/passwd')",
    'SELECT "file"(\'/etc/passwd\')',
    "SELECT * APPLY file FROM (SELECT '/etc/passwd')",
    "SELECT * FROM url('http://x', CSV, 'a String')",
    "SELECT * FROM s3Cluster('c', 'x')",
    "SELECT * FROM eval('SELECT 1')",
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "'SELECT 1'",
    '',
  ])('%s', (sql) => {
    expect(objectionTo(sql)).toEqual(expect.any(String));
  });
});

test('names, texts and signs', () => {
  expect(tokenize("a.b 'c\\'d' `e\\`f` 1.5 +")).toEqual([
    { kind: 'name', value: 'a' },
    { kind: 'sign', value: '.' },
    { kind: 'name', value: 'b' },
    { kind: 'text', value: "c'd" },
    { kind: 'name', value: 'e`f' },
    { kind: 'name', value: '1' },
    { kind: 'sign', value: '.' },
    { kind: 'name', value: '5' },
    { kind: 'sign', value: '+' },
  ]);
});

test('the format a statement asks for', () => {
  expect(formatOf('SELECT 1 FORMAT JSON')).toBe('JSON');
  expect(formatOf('SELECT 1 FORMAT JSON SETTINGS max_threads = 1')).toBe('JSON');
  expect(formatOf('SELECT 1 SETTINGS max_threads = 1 FORMAT `JSON`')).toBe('JSON');
  expect(formatOf('SELECT format AS a FROM t')).toBeNull();
  expect(formatOf("SELECT ' FORMAT CSV'")).toBeNull();
});

test('what has an answer', () => {
  expect(isReading('(SELECT 1) UNION ALL (SELECT 2)')).toBe(true);
  expect(isReading('CREATE TABLE t (a Int8) ENGINE = Memory')).toBe(false);
});
