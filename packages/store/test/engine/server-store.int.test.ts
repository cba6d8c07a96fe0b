// The server connection, against ClickHouse's HTTP protocol over chDB (no server can be installed everywhere), and against a
// real server where LADDERLOG_TEST_CLICKHOUSE_URL names one.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openChdbStore, openServerStore, startEngineServer } from '@ladderlog/store';
import { storeContract } from '../../../../test/contract/store.ts';

storeContract('server over HTTP', async () => {
  const path = mkdtempSync(join(tmpdir(), 'ladderlog-server-'));
  const chdb = await openChdbStore({ path, database: 'unused' });
  const server = await startEngineServer({ store: chdb, port: 0 });
  const store = await openServerStore({ url: `http://127.0.0.1:${server.port}`, database: 'served' });
  return {
    store,
    async close() {
      await store.close();
      await server.close();
      await chdb.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
});

const real = process.env['LADDERLOG_TEST_CLICKHOUSE_URL'];
describe.skipIf(real === undefined)('a real ClickHouse server (LADDERLOG_TEST_CLICKHOUSE_URL)', () => {
  storeContract('ClickHouse server', async () => {
    const database = `ladderlog_test_${process.pid}_${Date.now()}`;
    const store = await openServerStore({ url: real!, database });
    return {
      store,
      async close() {
        await store.exec(`DROP DATABASE ${database}`);
        await store.close();
      },
    };
  });
});

test('a server that is not there is STORE_UNAVAILABLE', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await expect(openServerStore({ url: `http://127.0.0.1:${port}` })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    retryable: true,
  });
});

test('on a cluster every statement waits for the shards, and reads where it wrote', async () => {
  const asked: { settings: URLSearchParams; sql: string }[] = [];
  const server = createHttpServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    let sql = searchParams.get('query') ?? '';
    request.on('data', (chunk: Buffer) => (sql += chunk.toString('latin1')));
    request.on('end', () => {
      asked.push({ settings: searchParams, sql });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const store = await openServerStore({ url: `http://127.0.0.1:${port}`, cluster: 'main' });
  try {
    expect(store.cluster).toBe('main');
    expect(asked.splice(0).map(({ sql }) => sql.trim())).toEqual([
      'CREATE DATABASE IF NOT EXISTS ladderlog ON CLUSTER main',
    ]);
    await store.exec('INSERT INTO current_generation SELECT 1, 2');
    await store.insertRowBinary('gaps', ['market'], Buffer.from([0]), { token: 't' });
    await store.query('SELECT 1');
    expect(
      asked.map(({ settings }) => [
        settings.get('distributed_foreground_insert'),
        settings.get('load_balancing'),
      ]),
    ).toEqual(Array.from({ length: 3 }, () => ['1', 'in_order']));
  } finally {
    await store.close();
    server.close();
  }
});
