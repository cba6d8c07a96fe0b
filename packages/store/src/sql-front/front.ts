// ClickHouse's HTTP protocol over chDB, so that curl, Grafana, DBeaver and @clickhouse/client can query the embedded store.
// Loopback only, read-only, limited in time, memory and rows.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LadderlogError } from '@ladderlog/core';
import type { ChdbStore } from '../engine/chdb-store.ts';
import type { Logger } from '../engine/logger.ts';
import { SILENT } from '../engine/logger.ts';
import { QueryQueue } from '../engine/query-queue.ts';
import type { OnStuck } from '../engine/stuck.ts';
import { watched } from '../engine/stuck.ts';
import { TOO_LONG, contentType, exception, sendError, sendText } from './answer.ts';
import { execute } from './query.ts';
import type { SqlFrontLimits } from './settings.ts';

export type SqlFrontOptions = {
  readonly store: ChdbStore;
  /** 0: any free port. */
  readonly port: number;
  readonly limits?: Partial<SqlFrontLimits>;
  readonly log?: Logger;
  readonly onStuck?: OnStuck | undefined;
};

export type SqlFront = { readonly url: string; close(): Promise<void> };

const MIB = 1024 * 1024;
const LIMITS: SqlFrontLimits = {
  seconds: 30,
  memoryBytes: 512 * MIB,
  resultRows: 1_000_000,
  resultBytes: 256 * MIB,
  bodyBytes: MIB,
  threads: 2,
  blockRows: 65_409,
  running: 2,
  waiting: 32,
};

const HOST = '127.0.0.1';

export async function startSqlFront(options: SqlFrontOptions): Promise<SqlFront> {
  const { store, port: wanted, log = SILENT, onStuck } = options;
  const limits: SqlFrontLimits = { ...LIMITS, ...options.limits };
  const queue = new QueryQueue('read', limits);
  const server = createServer(
    { requestTimeout: 60_000, headersTimeout: 10_000, maxHeaderSize: 256 * 1024 },
    (request, response) => {
      const begun = performance.now();
      respond({ store, queue, limits, onStuck }, request, response)
        .catch((error: unknown) => sendError(response, error))
        .finally(() => {
          const ms = Math.round(performance.now() - begun);
          log.debug({ event: 'sql-front.request', status: response.statusCode, ms }, 'SQL request');
        });
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, HOST, resolve);
  }).catch((cause: unknown) => {
    const why = (cause as Error).message;
    throw new LadderlogError('BAD_CONFIG', `the SQL port ${wanted} cannot be opened: ${why}`, { cause });
  });
  const { port } = server.address() as AddressInfo;
  log.info({ event: 'sql-front.listening', port }, 'SQL front is listening');
  return { url: `http://${HOST}:${port}`, close: () => closeServer(server, queue) };
}

type Front = {
  readonly store: ChdbStore;
  readonly queue: QueryQueue;
  readonly limits: SqlFrontLimits;
  readonly onStuck: OnStuck | undefined;
};

async function respond(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { store, queue, limits, onStuck } = front;
  const url = new URL(request.url ?? '/', 'http://localhost');
  const search = url.searchParams;
  // A web page must not reach the store, neither through a name that resolves to this machine nor from a browser on it.
  if (!isLocalName(request.headers.host)) return sendText(response, 403, 'Only local names are served.\n');
  if (isOfPage(request)) return sendText(response, 403, 'Web pages are not served.\n');
  if (url.pathname === '/ping' || url.pathname === '/replicas_status')
    return sendText(response, 200, 'Ok.\n');
  if (url.pathname !== '/') return sendText(response, 404, `There is no handle ${url.pathname}\n`);
  const method = request.method ?? 'GET';
  if (method !== 'GET' && method !== 'POST' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD, POST');
    return sendText(response, 405, 'Use GET or POST.\n');
  }
  if (search.get('compress') === '1' || search.get('decompress') === '1')
    throw exception(
      1,
      'UNSUPPORTED_METHOD',
      "ClickHouse's own block compression is not spoken here: set compress=0",
    );
  const body = await readBody(request, limits.bodyBytes);
  const sql = [search.get('query') ?? '', body.toString('utf8')].filter((part) => part !== '').join('\n');
  if (sql === '') return sendText(response, 200, 'Ok.\n');
  const asked = search.get('default_format') ?? header(request, 'x-clickhouse-format') ?? 'TabSeparated';
  const database = header(request, 'x-clickhouse-database');
  const allowedMs = limits.seconds * 1000;
  const { format, bytes } = await queue.run(allowedMs, () =>
    watched(sql, allowedMs, onStuck, () => execute(store, { sql, format: asked, search, database }, limits)),
  );
  response.writeHead(200, {
    'Content-Type': contentType(format),
    'Content-Length': bytes.length,
    'X-ClickHouse-Query-Id': search.get('query_id') ?? randomUUID(),
    'X-ClickHouse-Format': format,
    'X-ClickHouse-Timezone': 'UTC',
    'X-ClickHouse-Server-Display-Name': 'ladderlog',
    'X-ClickHouse-Summary':
      '{"read_rows":"0","read_bytes":"0","written_rows":"0","written_bytes":"0","result_rows":"0","elapsed_ns":"0"}',
  });
  response.end(method === 'HEAD' ? undefined : bytes);
}

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Not destroyed on the way out: the answer still has to reach the client.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit)
      throw exception(Number(TOO_LONG), 'PARAMETER_OUT_OF_BOUND', `the body is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function header(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

const isLocalName = (host: string | undefined): boolean =>
  host === undefined || /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);

/** A page of any origin; a person who types the address is none. */
const isOfPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || !/^(none|same-origin)$/.test(headers['sec-fetch-site'] ?? 'none');

async function closeServer(server: Server, queue: QueryQueue): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  await queue.close();
  server.closeAllConnections();
  await closed;
}
