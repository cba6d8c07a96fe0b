// One statement in a chDB session of its own, within the limits of the SQL front. chDB keeps settings for a session, and readonly
// cannot be taken back. What a statement is, the engine itself says: a guard with a lexer of its own was led astray by nested
// comments, `$` in names and escapes.

import { randomUUID } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import type { ChdbStore } from '../engine/chdb-store.ts';
import { settingsText } from '../engine/create-store.ts';
import { exception } from './answer.ts';
import { checkedName, quoteText } from '../sql.ts';
import { formatOf, isReading, objectionTo } from './guard.ts';
import type { Settings } from '../store.ts';

export type SqlFrontLimits = {
  readonly seconds: number;
  readonly memoryBytes: number;
  readonly resultRows: number;
  readonly resultBytes: number;
  readonly bodyBytes: number;
  readonly threads: number;
  readonly blockRows: number;
  readonly running: number;
  readonly waiting: number;
};

export type FrontQuery = {
  readonly sql: string;
  /** Unless the statement names one. */
  readonly format: string;
  /** The rows of an insert, where anything goes; null: the statement is all there is. */
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

/** Settings that only change how an answer looks may be given. By name: others of the same families read and write files. */
const HARMLESS = new Set([
  'bool_false_representation',
  'bool_true_representation',
  'cast_keep_nullable',
  'count_distinct_implementation',
  'date_time_input_format',
  'date_time_output_format',
  'extremes',
  'format_csv_delimiter',
  'format_csv_null_representation',
  'format_tsv_null_representation',
  'join_use_nulls',
  'log_comment',
  'output_format_arrow_compression_method',
  'output_format_arrow_low_cardinality_as_dictionary',
  'output_format_arrow_string_as_string',
  'output_format_binary_write_json_as_string',
  'output_format_csv_crlf_end_of_line',
  'output_format_decimal_trailing_zeros',
  'output_format_json_array_of_rows',
  'output_format_json_escape_forward_slashes',
  'output_format_json_map_as_array_of_tuples',
  'output_format_json_named_tuples_as_objects',
  'output_format_json_pretty_print',
  'output_format_json_quote_64bit_floats',
  'output_format_json_quote_64bit_integers',
  'output_format_json_quote_decimals',
  'output_format_json_quote_denormals',
  'output_format_json_skip_null_value_in_named_tuples',
  'output_format_json_validate_utf8',
  'output_format_native_encode_types_in_binary_format',
  'output_format_native_write_json_as_string',
  'output_format_orc_compression_method',
  'output_format_orc_string_as_string',
  'output_format_parquet_compression_method',
  'output_format_parquet_row_group_size',
  'output_format_parquet_string_as_string',
  'output_format_pretty_color',
  'output_format_pretty_grid_charset',
  'output_format_pretty_max_column_pad_width',
  'output_format_pretty_max_rows',
  'output_format_pretty_max_value_width',
  'output_format_pretty_row_numbers',
  'output_format_tsv_crlf_end_of_line',
  'output_format_write_statistics',
  'prefer_column_name_to_alias',
  'result_overflow_mode',
]);

/** Settings that a request can only make tighter. */
const BOUNDED = {
  max_execution_time: 'seconds',
  max_result_rows: 'resultRows',
  max_result_bytes: 'resultBytes',
  max_memory_usage: 'memoryBytes',
  max_threads: 'threads',
  max_block_size: 'blockRows',
} as const satisfies Record<string, keyof SqlFrontLimits>;

/** Formats that need nothing but the rows. Others read a schema or a template from a file, or write one. */
const FORMATS =
  /^((TabSeparated|TSV|CSV|RowBinary)\w*|\w*JSON\w*|Pretty\w*|TSKV|Vertical|Values|XML|Markdown|MD|SQLInsert|LineAsString|RawBLOB|Native|Parquet|Arrow|ArrowStream|ORC|Avro|BSONEachRow|MsgPack|Null)$/i;

export type FrontAnswer = { readonly format: string; readonly bytes: Buffer };

export async function execute(
  store: ChdbStore,
  query: FrontQuery,
  rights: FrontRights,
): Promise<FrontAnswer> {
  const { sql, data } = query;
  const session = await store.session();
  try {
    if (data) {
      await prepare(session, query, rights);
      return { format: query.format, bytes: await insert(session, sql, data) };
    }
    const read = await readByEngine(session, sql, rights.limits);
    const own = formatOf(read);
    const format = own ?? query.format;
    if (!rights.writable) {
      const objection = objectionTo(read);
      if (objection !== null) throw exception(164, 'READONLY', objection);
      if (!FORMATS.test(format)) throw exception(73, 'UNKNOWN_FORMAT', `Format ${format} is not served here`);
    }
    await prepare(session, query, rights);
    return { format, bytes: await run(session, sql, own === null && isReading(read) ? format : null) };
  } finally {
    await session.close();
  }
}

/** The one statement as the engine understands it: no comments, and every name and text written in one way only. */
async function readByEngine(
  session: ClickHouseClient,
  sql: string,
  { bodyBytes }: SqlFrontLimits,
): Promise<string> {
  try {
    await session.command({ query: `SET max_query_size = ${4 * bodyBytes}` });
    const answer = await session.query({
      query: `SELECT formatQuerySingleLine(${quoteText(sql)}) AS sql`,
      format: 'JSONEachRow',
    });
    return (await answer.json<{ sql: string }>())[0]!.sql;
  } catch (error) {
    const { code, type, message } = error as Error & { code?: string; type?: string };
    if (!/^\d+$/.test(code ?? '')) throw error;
    const about = message.replace(/: In scope SELECT formatQ[^]*$/, '');
    throw exception(Number(code), type ?? 'UNKNOWN_EXCEPTION', about);
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
        max_threads: limits.threads,
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
  if (name === 'readonly') return {};
  if (HARMLESS.has(name)) return { [name]: value };
  if (!Object.hasOwn(BOUNDED, name))
    throw exception(164, 'READONLY', `Cannot modify '${name}' setting in readonly mode`);
  const bound = BOUNDED[name as keyof typeof BOUNDED];
  // 0 means unlimited to ClickHouse, so it is no tighter limit, and a fraction must not become it.
  const asked = Number(value);
  return asked > 0 && asked < limits[bound] ? { [name]: Math.ceil(asked) } : {};
}

async function run(session: ClickHouseClient, sql: string, format: string | null): Promise<Buffer> {
  const statement = sql.replace(/[\s;]+$/, '');
  const { stream } = await session.exec({
    query: format === null ? statement : `${statement}\nFORMAT ${format}`,
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
    return checkedName(name);
  } catch {
    throw exception(36, 'BAD_ARGUMENTS', `'${name.slice(0, 64)}' is not a name`);
  }
}
