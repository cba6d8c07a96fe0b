// What a client of the engine's server sees that a store does not ask for.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChdbStore, EngineServer } from '@ladderlog/store';
import { openChdbStore, openServerStore, startEngineServer } from '@ladderlog/store';

const path = mkdtempSync(join(tmpdir(), 'ladderlog-engine-server-'));
let store: ChdbStore;
let server: EngineServer;
let url: string;

beforeAll(async () => {
  store = await openChdbStore({ path });
  await store.exec('CREATE TABLE t (n UInt8) ENGINE = MergeTree ORDER BY n');
  server = await startEngineServer({ store, port: 0, limits: { textBytes: 1_000, bodyBytes: 100_000 } });
  url = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server.close();
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

async function ask(sql: string, search: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await fetch(`${url}/?${new URLSearchParams(search).toString()}`, {
    method: 'POST',
    body: sql,
  });
  const text = (await answer.text()).trimEnd();
  return answer.ok ? text : `${answer.status} ${answer.headers.get('x-clickhouse-exception-code')}`;
}

const insert = (query: string, body: Buffer) =>
  fetch(`${url}/?${new URLSearchParams({ query, database: 'ladderlog' }).toString()}`, {
    method: 'POST',
    body,
  });

test('a parameter of one request is not there for the next', async () => {
  expect(await ask('SELECT {a:String}, {b:Int8}', { param_a: 'x\\ty', param_b: '1' })).toBe('x\\ty\t1');
  expect(await ask('SELECT {a:String}', { param_a: 'z' })).toBe('z');
  expect(await ask('SELECT {b:Int8}', { param_a: 'z' })).toBe('400 456');
});

test('neither are its settings, nor what it says about its session', async () => {
  const threads = "SELECT getSetting('max_threads')";
  const own = await ask(threads);
  expect(await ask(threads, { max_threads: '7' })).toBe('7');
  await ask('SET max_threads = 9');
  await ask('USE system');
  expect(await ask(threads)).toBe(own);
  expect(await ask('SELECT currentDatabase()', { database: 'ladderlog' })).toBe('ladderlog');
  expect(await ask('SELECT currentDatabase()')).toBe('default');
  expect(await ask('SELECT 1', { database: 'nowhere' })).toBe('404 81');
  expect(await ask('SELECT currentDatabase()')).toBe('default');
});

test('a slow statement with parameters does not hold up the others', async () => {
  const ended: string[] = [];
  const slow = ask('SELECT sleep({s:Float64})', { param_s: '3' }).then(() => ended.push('slow'));
  await ask('SELECT {n:Int8}', { param_n: '1' }).then(() => ended.push('fast'));
  await slow;
  expect(ended).toEqual(['fast', 'slow']);
});

test('bodies have limits, and an answer that says so', async () => {
  expect(await ask(`SELECT 1 -- ${'x'.repeat(2_000)}`)).toBe('413 12');
  const large = await insert('INSERT INTO t (n) FORMAT RowBinary', Buffer.alloc(30_000_000));
  expect([large.status, await large.text()]).toEqual([
    413,
    expect.stringContaining('the body is longer than 100000 bytes'),
  ]);
  expect((await insert('INSERT INTO t (n) FORMAT RowBinary', Buffer.alloc(1_000, 7))).status).toBe(200);
  expect(await ask('SELECT count(), sum(n) FROM ladderlog.t')).toBe('1000\t7000');
  expect((await insert('INSERT INTO t (n)', Buffer.alloc(1))).status).toBe(400);
  expect(readdirSync(store.spool)).toEqual([]);
});

test('one that closes answers what it has begun and refuses the rest', async () => {
  const closing = await startEngineServer({ store, port: 0, limits: { read: { running: 1, waiting: 8 } } });
  const through = await openServerStore({ url: `http://127.0.0.1:${closing.port}` });
  const running = through.query('SELECT sleep(1) AS slept', { name: 'running' });
  const waiting = through.query('SELECT 2', { name: 'waiting' });
  await expect
    .poll(async () =>
      Number(
        await ask("SELECT count() FROM system.processes WHERE Settings['log_comment'] = 'ladderlog:running'"),
      ),
    )
    .toBe(1);
  const [, answered, refused] = await Promise.allSettled([closing.close(), running, waiting]);
  expect(answered).toEqual({ status: 'fulfilled', value: [{ slept: 0 }] });
  expect(refused).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE', retryable: true } });
  await through.close();
});

test('a statement that runs on past its limit is told of, others are not', async () => {
  const stuck: string[] = [];
  const watching = await startEngineServer({
    store,
    port: 0,
    limits: { stuckMs: 50 },
    onStuck: (sql) => stuck.push(sql),
  });
  const through = await openServerStore({ url: `http://127.0.0.1:${watching.port}` });
  // It never looks at the time, and these are 1,600,000,000 steps.
  const endless = "SELECT editDistance(materialize(repeat('a', 40000)), repeat('b', 40000)) AS far";
  await through.query(endless, { deadlineMs: 50 }).catch(() => undefined);
  await through.query('SELECT 1');
  expect(stuck).toEqual([expect.stringContaining('editDistance')]);
  await through.close();
  await watching.close();
});
