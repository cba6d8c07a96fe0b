// A stand-in for a ClickHouse server: its HTTP protocol over chDB, and anything goes. As a process of its own it prints its
// address as a line of JSON and ends on SIGTERM. Usage: node chdb-server.ts <directory>

import { randomUUID } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import type { ChdbStore } from '@ladderlog/store';
import { openChdbStore } from '@ladderlog/store';
import { QueryQueue } from '../../packages/store/src/engine/query-queue.ts';
import { contentType, exception, sendError } from '../../packages/store/src/sql-front/answer.ts';
import { formatOf, isReading } from '../../packages/store/src/sql-front/guard.ts';
import { PROTOCOL } from '../../packages/store/src/sql-front/settings.ts';
import { checkedName, quoteText } from '../../packages/store/src/queries/sql.ts';

const LANE = { running: 4, waiting: 256 };
const WAIT_MS = 30_000;

export async function startChdbServer(store: ChdbStore): Promise<{ url: string; close(): Promise<void> }> {
  const queue = new QueryQueue('test', LANE);
  const server = createServer((request, response) => {
    answer(store, queue, request).then(
      ({ format, bytes }) => {
        response.writeHead(200, {
          'Content-Type': contentType(format),
          'Content-Length': bytes.length,
          'X-ClickHouse-Format': format,
        });
        response.end(bytes);
      },
      (error: unknown) => sendError(response, error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await queue.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Answer = { readonly format: string; readonly bytes: Buffer };

async function answer(store: ChdbStore, queue: QueryQueue, request: IncomingMessage): Promise<Answer> {
  const { searchParams: search } = new URL(request.url ?? '/', 'http://localhost');
  const body = await buffer(request);
  const inUrl = search.get('query') ?? '';
  const data = /^\s*insert\s/i.test(inUrl) && body.length > 0 ? body : null;
  const sql = data ? inUrl : [inUrl, body.toString('utf8')].filter((part) => part !== '').join('\n');
  if (sql === '') return { format: 'TabSeparated', bytes: Buffer.from('Ok.\n') };
  return queue.run(WAIT_MS, async () => {
    const session = await store.session();
    try {
      await prepare(session, search);
      if (data) return { format: 'TabSeparated', bytes: await insert(session, sql, data) };
      const own = formatOf(sql);
      const format = own ?? search.get('default_format') ?? 'TabSeparated';
      const statement = sql.replace(/[\s;]+$/, '');
      const query = own === null && isReading(sql) ? `${statement}\nFORMAT ${format}` : statement;
      return { format, bytes: await buffer((await session.exec({ query })).stream) };
    } finally {
      await session.close();
    }
  });
}

async function prepare(session: ClickHouseClient, search: URLSearchParams): Promise<void> {
  await session.command({ query: `USE ${checkedName(search.get('database') ?? 'default')}` });
  for (const [name, value] of search)
    if (!PROTOCOL.has(name))
      await session.command({ query: `SET ${checkedName(name)} = ${quoteText(value)}` });
}

/** The body of an insert goes through a file: chDB's client would pass it as text. */
async function insert(session: ClickHouseClient, sql: string, data: Buffer): Promise<Buffer> {
  const parts = /^\s*(insert\s+into\s+[\w.`]+\s*(?:\([^)]*\))?)\s*([^]*\bformat\s+\w+)\s*$/i.exec(sql);
  if (!parts) throw exception(62, 'SYNTAX_ERROR', 'INSERT with a body must end in FORMAT');
  const file = join(tmpdir(), `ladderlog-front-${randomUUID()}.bin`);
  try {
    await writeFile(file, data);
    await session.command({ query: `${parts[1]} FROM INFILE ${quoteText(file)} ${parts[2]}` });
    return Buffer.alloc(0);
  } finally {
    await unlink(file).catch(() => undefined);
  }
}

if (process.argv[1] === import.meta.filename) {
  const store = await openChdbStore({ path: process.argv[2]!, purpose: 'test server' });
  const server = await startChdbServer(store);
  console.log(JSON.stringify({ event: 'ready', url: server.url }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void server.close().then(() => store.close());
    });
}
