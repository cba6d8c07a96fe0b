// One statement in a chDB session of its own, within the limits of the SQL front. chDB keeps settings for a session, and readonly
// cannot be taken back.

import { randomUUID } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import type { ChdbStore } from './chdb-store.ts';
import { settingsText } from './create-store.ts';
import { exception } from './http-front-answer.ts';
import { quoteIdentifier, quoteText } from './migrations.ts';
import { formatOf } from './sql-guard.ts';
import type { Settings } from './store.ts';

export type SqlFrontLimits = {
  readonly seconds: number;
  readonly memoryBytes: number;
  readonly resultRows: number;
  readonly resultBytes: number;
  readonly bodyBytes: number;
  readonly running: number;
  readonly waiting: number;
};

export type FrontQuery = {
  readonly sql: string;
  readonly format: string;
  /** The rows of an insert; null: the statement is all there is. */
  readonly data: Buffer | null;
  /** Parameters of the request: settings, and values of the statement's parameters. */
  readonly search: URLSearchParams;
  readonly database: string | null;
};

/** What the front allows: `writable` is anything. */
export type FrontRights = { readonly writable: boolean; readonly limits: SqlFrontLimits };

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

export async function execute(store: ChdbStore, query: FrontQuery, rights: FrontRights): Promise<Buffer> {
  const { sql, format, data } = query;
  if (!/^\w+$/.test(format)) throw exception(73, 'UNKNOWN_FORMAT', `Unknown format ${format}`);
  const session = await store.session();
  try {
    await prepare(session, query, rights);
    return await (data ? insert(session, sql, data) : run(session, sql, format));
  } finally {
    await session.close();
  }
}

/** Everything a request says about its session, before readonly locks it. */
async function prepare(
  session: ClickHouseClient,
  { search, database }: FrontQuery,
  rights: FrontRights,
): Promise<void> {
  const { writable, limits } = rights;
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
      Object.assign(settings, setting(name, value, rights));
  }
  if (Object.keys(settings).length > 0) statements.push(`SET ${settingsText(settings)}`);
  if (!writable) statements.push('SET readonly = 1');
  for (const statement of statements) if (statement !== null) await session.command({ query: statement });
}

function setting(name: string, value: string, { writable, limits }: FrontRights): Settings {
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

function identifier(name: string): string {
  try {
    return quoteIdentifier(name);
  } catch {
    throw exception(36, 'BAD_ARGUMENTS', `'${name.slice(0, 64)}' is not a name`);
  }
}
