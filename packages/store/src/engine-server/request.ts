// A request of ClickHouse's HTTP protocol as a statement. Bodies of inserts go to a file: chDB takes text only, and so none of them
// is held in memory, whatever waits for its turn.

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { DataFormat } from '@clickhouse/client';
import { quoteText } from '../queries/sql.ts';
import { TOO_LONG, exception } from '../sql-front/answer.ts';
import { PROTOCOL } from '../sql-front/settings.ts';
import type { Statement } from './sessions.ts';

export type RequestLimits = {
  /** Longest text of a statement. */
  readonly textBytes: number;
  /** Longest body of an insert. */
  readonly bodyBytes: number;
};

export type EngineRequest = {
  readonly statement: Statement;
  readonly lane: 'read' | 'write';
  /** Forgets the body. */
  release(): void;
};

const READS = /^[\s(]*(select|with|show|desc|describe|explain|exists)\b/i;
const INSERTS = /^\s*insert\s/i;
const INSERT = /^\s*(insert\s+into\s+[\w.`]+\s*(?:\([^)]*\))?)\s*([^]*\bformat\s+\w+)\s*$/i;

/** Null: the request asks nothing. */
export async function readRequest(
  request: IncomingMessage,
  search: URLSearchParams,
  spool: string,
  limits: RequestLimits,
): Promise<EngineRequest | null> {
  const inUrl = search.get('query') ?? '';
  if (INSERTS.test(inUrl)) return readInsert(request, search, inUrl, spool, limits);
  const pieces: Buffer[] = [];
  await readBody(request, limits.textBytes, (piece) => pieces.push(piece));
  const sql = [inUrl, Buffer.concat(pieces).toString('utf8')].filter((part) => part !== '').join('\n');
  if (sql === '') return null;
  const lane = READS.test(sql) ? 'read' : 'write';
  return { statement: statementOf(request, search, sql), lane, release: () => undefined };
}

async function readInsert(
  request: IncomingMessage,
  search: URLSearchParams,
  sql: string,
  spool: string,
  { bodyBytes }: RequestLimits,
): Promise<EngineRequest> {
  const file = join(spool, `${randomUUID()}.bin`);
  const release = (): void => rmSync(file, { force: true });
  // Written at once: libuv's few threads belong to the queries, and a write would wait for one of them to end.
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    const length = await readBody(request, bodyBytes, (piece) => {
      for (let at = 0; at < piece.length;) at += writeSync(descriptor, piece, at);
    });
    const lane = 'write';
    if (length === 0) return { statement: statementOf(request, search, sql), lane, release };
    const parts = INSERT.exec(sql);
    if (!parts) throw exception(62, 'SYNTAX_ERROR', 'an INSERT with a body must end in FORMAT');
    const text = `${parts[1]} FROM INFILE ${quoteText(file)} ${parts[2]}`;
    return { statement: statementOf(request, search, text), lane, release };
  } catch (error) {
    release();
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function statementOf(request: IncomingMessage, search: URLSearchParams, sql: string): Statement {
  const params = new Map<string, string>();
  const settings = new Map<string, string>();
  for (const [name, value] of search) {
    if (name.startsWith('param_')) params.set(name.slice(6), value);
    else if (!PROTOCOL.has(name)) settings.set(name, value);
  }
  const named = request.headers['x-clickhouse-database'];
  const database = search.get('database') ?? (typeof named === 'string' ? named : 'default');
  const format = (search.get('default_format') ?? 'TabSeparated') as DataFormat;
  return { sql, database, params, settings, format };
}

/** Reads to the end even what is too long: a client that is still sending would see a broken connection in place of the answer. */
async function readBody(
  request: IncomingMessage,
  limit: number,
  take: (piece: Buffer) => void,
): Promise<number> {
  let length = 0;
  let failure: unknown = null;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limit)
      failure ??= exception(
        Number(TOO_LONG),
        'PARAMETER_OUT_OF_BOUND',
        `the body is longer than ${limit} bytes`,
      );
    if (failure !== null) continue;
    try {
      take(piece);
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== null) throw failure;
  return length;
}
