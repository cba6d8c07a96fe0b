// ClickHouse's HTTP protocol over chDB, so that curl, Grafana, DBeaver and @clickhouse/client can query the embedded store.
// Loopback only, read-only, limited in time, memory and rows. Every request has a session of its own: chDB keeps settings
// for a session, and readonly cannot be taken back.

import { randomUUID } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import { isLadderlogError, LadderlogError } from '@ladderlog/core';
import type { ChdbStore } from './chdb-store.ts';
import { settingsText } from './create-store.ts';
import type { Logger } from './logger.ts';
import { SILENT } from './logger.ts';
import { quoteIdentifier, quoteText } from './migrations.ts';
import { QueryQueue } from './query-queue.ts';
import { formatOf, judge } from './sql-guard.ts';
import type { Settings } from './store.ts';

export type SqlFrontOptions = {
  readonly store: ChdbStore;
  /** 0: any free port. */
  readonly port: number;
  readonly host?: '127.0.0.1' | '::1';
  /** For the tests of the server connection only: anything goes. */
  readonly writable?: boolean;
  readonly limits?: Partial<SqlFrontLimits>;
  readonly log?: Logger;
};

export type SqlFrontLimits = {
  readonly seconds: number;
  readonly memoryBytes: number;
  readonly resultRows: number;
  readonly resultBytes: number;
  readonly bodyBytes: number;
  readonly running: number;
  readonly waiting: number;
};

export type SqlFront = { readonly url: string; close(): Promise<void> };

const MIB = 1024 * 1024;
const LIMITS: SqlFrontLimits = {
  seconds: 30,
  memoryBytes: 512 * MIB,
  resultRows: 1_000_000,
  resultBytes: 256 * MIB,
  bodyBytes: MIB,
  running: 2,
  waiting: 32,
};

/** Parameters of the protocol itself; every other one is a setting. */
const PROTOCOL = new Set([
  'query',
  'database',
  'default_format',
  'query_id',
  'user',
  'password',
  'session_id',
  'session_timeout',
  'session_check',
  'wait_end_of_query',
  'buffer_size',
  'send_progress_in_http_headers',
  'enable_http_compression',
  'http_headers_progress_interval_ms',
  'role',
  'quota_key',
  'client_protocol_version',
  'stacktrace',
]);

/** Settings that only change how an answer looks, or make a limit tighter, may be given; the rest is refused as readonly. */
const HARMLESS =
  /^(output_format_\w+|format_\w+|date_time_\w+|bool_\w+|extremes|join_use_nulls|result_overflow_mode|log_comment|max_threads|max_block_size|prefer_column_name_to_alias|count_distinct_implementation|cast_keep_nullable|readonly|add_http_cors_header|max_execution_time|max_result_rows|max_result_bytes|max_memory_usage|allow_experimental_\w+)$/;
const BOUNDED = {
  max_execution_time: 'seconds',
  max_result_rows: 'resultRows',
  max_result_bytes: 'resultBytes',
  max_memory_usage: 'memoryBytes',
} as const;

export async function startSqlFront(options: SqlFrontOptions): Promise<SqlFront> {
  const writable = options.writable === true;
  const limits: SqlFrontLimits = {
    ...LIMITS,
    ...(writable ? { bodyBytes: 256 * MIB, running: 4, waiting: 256 } : {}),
    ...options.limits,
  };
  const log = options.log ?? SILENT;
  const queue = new QueryQueue({
    read: { running: limits.running, waiting: limits.waiting },
    write: { running: limits.running, waiting: limits.waiting },
  });
  const server = createServer(
    { requestTimeout: 60_000, headersTimeout: 10_000, maxHeaderSize: 256 * 1024 },
    (request, response) => {
      const begun = performance.now();
      respond(request, response)
        .catch((error: unknown) => sendError(response, error))
        .finally(() => {
          log.debug(
            {
              event: 'sql-front.request',
              status: response.statusCode,
              ms: Math.round(performance.now() - begun),
            },
            'SQL request',
          );
        });
    },
  );

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    // A web page must not reach the store through a name that resolves to this machine.
    if (!isLocalName(request.headers.host)) return sendText(response, 403, 'Only local names are served.\n');
    if (url.pathname === '/ping' || url.pathname === '/replicas_status')
      return sendText(response, 200, 'Ok.\n');
    if (url.pathname !== '/') return sendText(response, 404, `There is no handle ${url.pathname}\n`);
    const method = request.method ?? 'GET';
    if (method !== 'GET' && method !== 'POST' && method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD, POST');
      return sendText(response, 405, 'Use GET or POST.\n');
    }
    if (url.searchParams.get('compress') === '1' || url.searchParams.get('decompress') === '1')
      throw exception(
        1,
        'UNSUPPORTED_METHOD',
        "ClickHouse's own block compression is not spoken here: set compress=0",
      );
    const body = await readBody(request, limits.bodyBytes);
    const inUrl = url.searchParams.get('query') ?? '';
    if (inUrl === '' && body.length === 0) return sendText(response, 200, 'Ok.\n');
    const data = writable && /^\s*insert\s/i.test(inUrl) && body.length > 0 ? body : null;
    const sql = data ? inUrl : [inUrl, body.toString('utf8')].filter((part) => part !== '').join('\n');
    if (!writable) {
      const verdict = judge(sql);
      if (!verdict.ok)
        throw exception(verdict.code, verdict.code === 62 ? 'SYNTAX_ERROR' : 'READONLY', verdict.reason);
    }
    const format =
      formatOf(sql) ??
      url.searchParams.get('default_format') ??
      header(request, 'x-clickhouse-format') ??
      'TabSeparated';
    const queryId = url.searchParams.get('query_id') ?? randomUUID();
    const answer = await queue.run('read', limits.seconds * 1000, () =>
      execute(url.searchParams, request, sql, format, data),
    );
    response.writeHead(200, {
      'Content-Type': contentType(format),
      'Content-Length': answer.length,
      'X-ClickHouse-Query-Id': queryId,
      'X-ClickHouse-Format': format,
      'X-ClickHouse-Timezone': 'UTC',
      'X-ClickHouse-Server-Display-Name': 'ladderlog',
      'X-ClickHouse-Summary':
        '{"read_rows":"0","read_bytes":"0","written_rows":"0","written_bytes":"0","result_rows":"0","elapsed_ns":"0"}',
    });
    response.end(method === 'HEAD' ? undefined : answer);
  }

  async function execute(
    search: URLSearchParams,
    request: IncomingMessage,
    sql: string,
    format: string,
    data: Buffer | null,
  ): Promise<Buffer> {
    if (!/^\w+$/.test(format)) throw exception(73, 'UNKNOWN_FORMAT', `Unknown format ${format}`);
    const session = await options.store.session();
    try {
      await prepare(session, search, header(request, 'x-clickhouse-database'));
      return await (data ? insert(session, sql, data) : run(session, sql, format));
    } finally {
      await session.close();
    }
  }

  /** Everything a request says about its session, before readonly locks it. */
  async function prepare(
    session: ClickHouseClient,
    search: URLSearchParams,
    database: string | null,
  ): Promise<void> {
    const wanted = search.get('database') ?? database;
    const statements = [wanted === null ? (writable ? 'USE default' : null) : `USE ${identifier(wanted)}`];
    const settings: Record<string, string | number> = writable
      ? {}
      : {
          max_execution_time: limits.seconds,
          max_memory_usage: limits.memoryBytes,
          max_result_rows: limits.resultRows,
          max_result_bytes: limits.resultBytes,
          max_threads: 2,
          log_comment: 'ladderlog:sql-front',
        };
    for (const [name, value] of search) {
      if (name.startsWith('param_'))
        statements.push(`SET param_${identifier(name.slice(6))} = ${quoteText(value)}`);
      else if (!PROTOCOL.has(name) && name !== 'compress' && name !== 'decompress')
        Object.assign(settings, setting(name, value));
    }
    if (Object.keys(settings).length > 0) statements.push(`SET ${settingsText(settings)}`);
    if (!writable) statements.push('SET readonly = 1');
    for (const statement of statements) if (statement !== null) await session.command({ query: statement });
  }

  function setting(name: string, value: string): Settings {
    if (writable) return { [name]: value };
    if (!HARMLESS.test(name))
      throw exception(164, 'READONLY', `Cannot modify '${name}' setting in readonly mode`);
    if (name === 'readonly') return {};
    const bound = BOUNDED[name as keyof typeof BOUNDED];
    if (bound === undefined) return { [name]: value };
    // 0 means unlimited to ClickHouse, so it is no tighter limit.
    const asked = Number(value);
    return asked > 0 && asked < limits[bound] ? { [name]: asked } : {};
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host ?? '127.0.0.1', resolve);
  }).catch((cause: unknown) => {
    throw new LadderlogError(
      'BAD_CONFIG',
      `the SQL port ${options.port} cannot be opened: ${(cause as Error).message}`,
      { cause },
    );
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host === '::1' ? '[::1]' : '127.0.0.1';
  log.info({ event: 'sql-front.listening', port, writable }, 'SQL front is listening');
  return { url: `http://${host}:${port}`, close: () => closeServer(server, queue) };
}

async function run(session: ClickHouseClient, sql: string, format: string): Promise<Buffer> {
  const statement = sql.replace(/[\s;]+$/, '');
  const answers = /^[\s(]*(select|with|show|desc|describe|explain|exists)\b/i.test(statement);
  const { stream } = await session.exec({
    query: answers && formatOf(statement) === null ? `${statement}\nFORMAT ${format}` : statement,
  });
  return buffer(stream);
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

type Exception = Error & { readonly code: string; readonly type: string };

const exception = (code: number, type: string, message: string): Exception =>
  Object.assign(new Error(message), { code: String(code), type });

function identifier(name: string): string {
  try {
    return quoteIdentifier(name);
  } catch {
    throw exception(36, 'BAD_ARGUMENTS', `'${name.slice(0, 64)}' is not a name`);
  }
}

const TOO_LONG = '12';

const STATUS: Readonly<Record<string, number>> = {
  62: 400,
  36: 400,
  456: 400,
  60: 404,
  81: 404,
  164: 403,
  73: 400,
  159: 408,
  202: 503,
  12: 413,
};

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const busy = isLadderlogError(error, 'STORE_BUSY');
  const known = error as Partial<Exception>;
  const number = busy
    ? '202'
    : typeof known.code === 'string' && /^\d+$/.test(known.code)
      ? known.code
      : '1002';
  const type = busy ? 'TOO_MANY_SIMULTANEOUS_QUERIES' : (known.type ?? 'UNKNOWN_EXCEPTION');
  const inner = (error as { cause?: { message?: unknown } }).cause?.message;
  const text =
    typeof inner === 'string' && inner.startsWith('Code: ')
      ? inner
      : `Code: ${number}. DB::Exception: ${known.message ?? String(error)}. (${type})`;
  response.setHeader('X-ClickHouse-Exception-Code', number);
  if (busy) response.setHeader('Retry-After', '1');
  if (number === TOO_LONG) response.setHeader('Connection', 'close');
  sendText(response, STATUS[number] ?? 500, `${text.trimEnd()}\n`);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
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

function contentType(format: string): string {
  if (/^JSON\w*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8; header=present';
  if (/^(TabSeparated|TSV)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  if (/^(Parquet|Arrow|Native|RowBinary)/.test(format)) return 'application/octet-stream';
  return 'text/plain; charset=UTF-8';
}

async function closeServer(server: Server, queue: QueryQueue): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  await queue.close();
  server.closeAllConnections();
  await closed;
}
