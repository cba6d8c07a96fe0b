// One statement in a chDB session of its own, within the limits of the SQL front. chDB keeps settings for a session, and readonly
// cannot be taken back. What a statement is, the engine itself says: a guard with a lexer of its own was led astray by nested
// comments, `$` in names and escapes.

import { buffer } from 'node:stream/consumers';
import type { ClickHouseClient } from '@clickhouse/client';
import type { ChdbStore } from '../engine/chdb-store.ts';
import { settingsText } from '../engine/statements.ts';
import { exception } from './answer.ts';
import { checkedName, quoteText } from '../queries/sql.ts';
import { formatOf, objectionTo } from './guard.ts';
import type { SqlFrontLimits } from './settings.ts';
import { FORMATS, settingsOf } from './settings.ts';

export type FrontQuery = {
  readonly sql: string;
  /** Unless the statement names one. */
  readonly format: string;
  /** Parameters of the request: settings, and values of the statement's parameters. */
  readonly search: URLSearchParams;
  readonly database: string | null;
};

export type FrontAnswer = { readonly format: string; readonly bytes: Buffer };

export async function execute(
  store: ChdbStore,
  query: FrontQuery,
  limits: SqlFrontLimits,
): Promise<FrontAnswer> {
  const session = await store.session();
  try {
    const read = await readByEngine(session, query.sql, limits);
    const objection = objectionTo(read);
    if (objection !== null) throw exception(164, 'READONLY', objection);
    const own = formatOf(read);
    const format = own ?? query.format;
    if (!FORMATS.test(format)) throw exception(73, 'UNKNOWN_FORMAT', `Format ${format} is not served here`);
    await prepare(session, query, limits);
    return { format, bytes: await run(session, query.sql, own === null ? format : null) };
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
  limits: SqlFrontLimits,
): Promise<void> {
  const wanted = search.get('database') ?? database;
  const statements = wanted === null ? [] : [`USE ${identifier(wanted)}`];
  for (const [name, value] of search)
    if (name.startsWith('param_'))
      statements.push(`SET param_${identifier(name.slice(6))} = ${quoteText(value)}`);
  statements.push(`SET ${settingsText(settingsOf(search, limits))}`, 'SET readonly = 1');
  for (const query of statements) await session.command({ query });
}

async function run(session: ClickHouseClient, sql: string, format: string | null): Promise<Buffer> {
  const statement = sql.replace(/[\s;]+$/, '');
  const { stream } = await session.exec({
    query: format === null ? statement : `${statement}\nFORMAT ${format}`,
  });
  return buffer(stream);
}

function identifier(name: string): string {
  try {
    return checkedName(name);
  } catch {
    throw exception(36, 'BAD_ARGUMENTS', `'${name.slice(0, 64)}' is not a name`);
  }
}
