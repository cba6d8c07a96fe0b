import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChdbStore, SqlFront } from '@ladderlog/store';
import { openChdbStore, startSqlFront } from '@ladderlog/store';
import { book, insertBooks } from '../book-rows.ts';

const run = promisify(execFile);
const path = mkdtempSync(join(tmpdir(), 'ladderlog-front-'));
let store: ChdbStore;
let front: SqlFront;
let client: ClickHouseClient;

beforeAll(async () => {
  store = await openChdbStore({ path });
  await store.migrate();
  await insertBooks(store, [book({ market: 'front' })]);
  front = await startSqlFront({ store, port: 0, limits: { seconds: 60, resultRows: 1_000 } });
  client = createClient({ url: front.url, database: 'ladderlog', log: { level: ClickHouseLogLevel.OFF } });
});
afterAll(async () => {
  await client.close();
  await front.close();
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const ask = (query: string, init?: RequestInit) =>
  fetch(`${front.url}/?${new URLSearchParams({ query }).toString()}`, init);

describe('with @clickhouse/client', () => {
  test('ping, rows, parameters', async () => {
    expect((await client.ping()).success).toBe(true);
    const answer = await client.query({
      query: 'SELECT market, best_bid FROM v_books WHERE market = {market:String}',
      query_params: { market: 'front' },
      format: 'JSONEachRow',
    });
    expect(await answer.json()).toEqual([{ market: 'front', best_bid: 0.53 }]);
    const odd = { text: "a'b\\c\n\t", list: ["x'y", '\\z'] };
    const back = await client.query({
      query: 'SELECT {text:String} AS text, {list:Array(String)} AS list',
      query_params: odd,
      format: 'JSONEachRow',
    });
    expect(await back.json()).toEqual([odd]);
  });

  test('an error is ClickHouse’s own', async () => {
    await expect(client.query({ query: 'SELECT * FROM nowhere' })).rejects.toMatchObject({
      code: '60',
      type: 'UNKNOWN_TABLE',
    });
    await expect(client.command({ query: 'DROP TABLE gaps' })).rejects.toMatchObject({ code: '164' });
    await expect(
      client.insert({ table: 'gaps', values: [{ gap_id: 'x' }], format: 'JSONEachRow' }),
    ).rejects.toMatchObject({ code: '164' });
  });
});

describe('with curl', () => {
  test('GET, POST, and a format', async () => {
    const { stdout: tsv } = await run('curl', ['-s', `${front.url}/?query=SELECT%201%2C'a'`]);
    expect(tsv).toBe('1\ta\n');
    const { stdout: posted } = await run('curl', [
      '-s',
      `${front.url}/?default_format=CSV`,
      '--data-binary',
      'SELECT 1, 2;',
    ]);
    expect(posted).toBe('1,2\n');
    const { stdout: split } = await run('curl', [
      '-s',
      `${front.url}/?query=SELECT%201`,
      '--data-binary',
      'FORMAT JSONCompactEachRow',
    ]);
    expect(split).toBe('[1]\n');
  });
});

describe('the protocol', () => {
  test('plain paths', async () => {
    expect(await (await fetch(`${front.url}/ping`)).text()).toBe('Ok.\n');
    expect(await (await fetch(front.url)).text()).toBe('Ok.\n');
    expect((await fetch(`${front.url}/other`)).status).toBe(404);
    expect((await fetch(front.url, { method: 'DELETE' })).status).toBe(405);
  });

  test('headers name format, query and zone; HEAD has no body', async () => {
    const answer = await ask('SELECT 1 AS a FORMAT JSON');
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('x-clickhouse-format')).toBe('JSON');
    expect(answer.headers.get('x-clickhouse-timezone')).toBe('UTC');
    expect(answer.headers.get('x-clickhouse-query-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(((await answer.json()) as { data: unknown }).data).toEqual([{ a: 1 }]);
    expect(await (await ask('SELECT 1', { method: 'HEAD' })).text()).toBe('');
    const byHeader = await ask('SELECT 1 AS a', { headers: { 'X-ClickHouse-Format': 'JSONEachRow' } });
    expect(await byHeader.text()).toBe('{"a":1}\n');
  });

  test('an error has its number in a header', async () => {
    const answer = await ask('DROP TABLE gaps');
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([403, '164']);
    const syntax = await ask('SELECT (');
    expect([syntax.status, syntax.headers.get('x-clickhouse-exception-code')]).toEqual([400, '62']);
    expect(await syntax.text()).toMatch(/^Code: 62\. DB::Exception: Syntax error[^]*\(SYNTAX_ERROR\)\n$/);
    for (const query of ['SELEC 1', 'SELECT 1; SELECT 2', "SELECT 'never closed", ' -- nothing'])
      expect((await ask(query)).headers.get('x-clickhouse-exception-code')).toBe('62');
  });

  test('other databases and unknown ones', async () => {
    expect(
      await (await fetch(`${front.url}/?database=system&query=SELECT%20count()%3E0%20FROM%20tables`)).text(),
    ).toBe('1\n');
    expect((await fetch(`${front.url}/?database=nope&query=SELECT%201`)).status).toBe(404);
    expect(
      (await fetch(`${front.url}/?database=${encodeURIComponent('x; DROP')}&query=SELECT%201`)).status,
    ).toBe(400);
  });
});

describe('is read-only and bounded', () => {
  test.each([
    'CREATE TABLE t (a Int8) ENGINE = Memory',
    "SELECT file('/etc/hostname')",
    "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    'SELECT 1 SETTINGS readonly = 0',
    'SELECT 1 SETTINGS max_execution_time = 0',
    'SELECT * FROM default.`/etc/hostname`',
    // What only looks harmless to who reads the text otherwise than the engine.
    "SELECT `\\x66ile`('/etc/hostname')",
    "SELECT 1 /* /* */ ' */ , file('/etc/hostname') -- '",
    "SELECT 1 AS a$b$, file('/etc/hostname') AS c$b$",
    "SELECT ‘'’, file('/etc/hostname'), ‘'’",
  ])('%s', async (query) => {
    const answer = await ask(query);
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([403, '164']);
  });

  test('comments and quotes of every kind are the engine’s', async () => {
    expect(
      await (await ask("/* a /* b */ */ SELECT $x$it's$x$, `a` FROM (SELECT 1 AS a) # end")).text(),
    ).toBe("it\\'s\t1\n");
    const answer = await ask('SELECT 1 AS a FORMAT JSONEachRow SETTINGS max_result_rows = 1000');
    expect([answer.headers.get('x-clickhouse-format'), await answer.text()]).toEqual([
      'JSONEachRow',
      '{"a":1}\n',
    ]);
  });

  const secret = join(path, 'secret.txt');
  const get = (search: Record<string, string>, init?: RequestInit) =>
    fetch(`${front.url}/?${new URLSearchParams(search).toString()}`, init);
  const refusal = async (answer: Response) => [
    answer.status,
    answer.headers.get('x-clickhouse-exception-code'),
    (await answer.text()).includes('guarded'),
  ];

  test.each([
    ['Protobuf', 'output_format_schema'],
    ['Protobuf', 'format_schema'],
    ['Template', 'format_template_row'],
    ['Template', 'format_template_resultset'],
    ['AvroConfluent', 'format_avro_schema_registry_url'],
    ['JSON', 'allow_experimental_eval_table_function'],
  ])('neither reads nor writes a file for format %s and %s', async (format, setting) => {
    writeFileSync(secret, 'guarded');
    const query = 'SELECT 1 AS a';
    for (const asked of [
      { query: `${query} FORMAT ${format}`, [setting]: secret },
      { query, default_format: format, [setting]: secret },
    ])
      expect((await refusal(await get(asked))).slice(2)).toEqual([false]);
    expect(await refusal(await get({ query, [setting]: secret }))).toEqual([403, '164', false]);
    expect(readFileSync(secret, 'utf8')).toBe('guarded');
  });

  test.each(['Protobuf', 'protobufList', '`Template`', 'CustomSeparated', 'AvroConfluent', 'MySQLWire'])(
    'does not serve format %s',
    async (format) => {
      for (const query of [
        `SELECT 1 AS a FORMAT ${format}`,
        `SELECT 1 AS a FORMAT ${format} SETTINGS readonly = 1`,
        `/* */ SELECT 1 AS a FORMAT ${format}`,
      ])
        expect(await refusal(await ask(query))).toEqual([400, '73', false]);
      const name = format.replaceAll('`', '');
      expect(await refusal(await get({ query: 'SELECT 1', default_format: name }))).toEqual([
        400,
        '73',
        false,
      ]);
      const headers = { 'X-ClickHouse-Format': name };
      expect(await refusal(await ask('SELECT 1', { headers }))).toEqual([400, '73', false]);
    },
  );

  test('writes no files', async () => {
    const file = join(path, 'out.csv');
    expect((await ask(`SELECT 1 INTO OUTFILE '${file}'`)).status).toBe(403);
    expect(existsSync(file)).toBe(false);
  });

  test('a setting makes an answer look otherwise, or a limit tighter', async () => {
    const quoted = { query: 'SELECT toUInt64(1) AS a FORMAT JSONEachRow' };
    expect(await (await get({ ...quoted, output_format_json_quote_64bit_integers: '1' })).text()).toBe(
      '{"a":"1"}\n',
    );
    const bounds = { query: "SELECT getSetting('max_threads'), getSetting('max_block_size')" };
    const bounded = async (search: object) => (await get({ ...bounds, ...search })).text();
    expect(await bounded({ max_threads: '1', max_block_size: '10' })).toBe('1\t10\n');
    const loosest = await bounded({});
    expect(await bounded({ max_threads: '100000', max_block_size: '1000000000000' })).toBe(loosest);
    expect(await bounded({ max_threads: '0', max_block_size: '0' })).toBe(loosest);
  });

  test('time, rows and body have limits that a request can only tighten', async () => {
    expect(
      (
        await fetch(`${front.url}/?max_execution_time=1&query=SELECT%20sleepEachRow(1)%20FROM%20numbers(3)`)
      ).headers.get('x-clickhouse-exception-code'),
    ).toBe('159');
    const rows = (extra: string) =>
      fetch(`${front.url}/?${extra}query=SELECT%20number%20FROM%20numbers(2000)`);
    expect((await rows('')).headers.get('x-clickhouse-exception-code')).toBe('396');
    expect((await rows('max_result_rows=0&')).headers.get('x-clickhouse-exception-code')).toBe('396');
    expect((await fetch(`${front.url}/?max_memory_usage_for_user=0&query=SELECT%201`)).status).toBe(403);
    const big = await fetch(front.url, { method: 'POST', body: `SELECT ${' '.repeat(2 << 20)}1` });
    expect(big.status).toBe(413);
  });

  test('a request leaves nothing behind in the next', async () => {
    await fetch(`${front.url}/?max_threads=1&param_x=5&query=SELECT%20%7Bx%3AUInt8%7D`);
    const answer = await ask('SELECT {x:UInt8}');
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe('456');
    expect(await store.generation()).toBe(1);
    await insertBooks(store, [book({ market: 'still-writable' })], 10);
  });

  test.each([
    [{ Host: 'evil.example' }, 403],
    [{ Origin: 'https://evil.example' }, 403],
    [{ Origin: 'http://localhost:3000' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ 'Sec-Fetch-Site': 'none' }, 200],
    [{}, 200],
  ])('local names are served, and no web pages: %o', async (headers, expected) => {
    const status = await new Promise((resolve, reject) => {
      httpRequest(`${front.url}/?query=SELECT%201`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(expected);
  });
});
