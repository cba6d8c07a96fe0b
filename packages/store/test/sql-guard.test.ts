import { describe, expect, test } from 'vitest';
import { formatOf, judge, tokenize } from '../src/sql-guard.ts';

describe('lets reading through', () => {
  test.each([
    'SELECT 1',
    '  (select 1) ; ',
    'WITH 1 AS a SELECT a',
    '/* why */ -- because\nSHOW TABLES',
    'DESCRIBE TABLE v_books',
    'EXPLAIN SELECT 1',
    "SELECT 'file(''/etc/passwd'')' AS text, 'a;b' AS t",
    'SELECT market AS outfile FROM v_books',
  ])('%s', (sql) => {
    expect(judge(sql)).toEqual({ ok: true });
  });
});

describe('stops everything else', () => {
  test.each([
    ['INSERT INTO gaps VALUES (1)', 164],
    ['DROP TABLE gaps', 164],
    ['KILL QUERY WHERE 1', 164],
    ['SET readonly = 0', 164],
    ['SYSTEM SHUTDOWN', 164],
    ['SELECT 1; DROP TABLE gaps', 62],
    ['SELECT 1 ;; SELECT 2', 62],
    ["SELECT file('/etc/passwd')", 164],
    ["SELECT FILE ('/etc/passwd')", 164],
    ["SELECT `file`('/etc/passwd')", 164],
    ['SELECT "file"(\'/etc/passwd\')', 164],
    ["SELECT file/* */('/etc/passwd')", 164],
    ["SELECT * APPLY(file) FROM (SELECT '/etc/passwd')", 164],
    ["SELECT * FROM url('http://x', CSV, 'a String')", 164],
    ["SELECT * FROM s3Cluster('c', 'x')", 164],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", 164],
    ["SELECT 1 INTO /* */ outfile '/tmp/x'", 164],
    ["SELECT 'never closed", 62],
    ['SELECT 1 /* never closed', 62],
    ['', 62],
    [' -- nothing', 62],
    ["'SELECT 1'", 164],
  ])('%s', (sql, code) => {
    expect(judge(sql)).toMatchObject({ ok: false, code });
  });
});

test('quotes, escapes and heredocs are one token', () => {
  expect(tokenize("a 'b\\'c''d' `e``f` $x$ file( $x$ 1.5e3 -- end")).toEqual([
    { kind: 'word', value: 'a' },
    { kind: 'text', value: "b'c'd" },
    { kind: 'quoted', value: 'e`f' },
    { kind: 'text', value: ' file( ' },
    { kind: 'number', value: '1.5e3' },
  ]);
});

test('the format a query asks for', () => {
  expect(formatOf('SELECT 1 FORMAT JSON ;')).toBe('JSON');
  expect(formatOf('SELECT 1 /* FORMAT CSV */')).toBeNull();
  expect(formatOf("SELECT ' FORMAT CSV'")).toBeNull();
});
