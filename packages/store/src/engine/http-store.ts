// The store over ClickHouse's HTTP protocol: a server or cluster, or the embedded engine in a process of its own.

import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { LadderlogError } from '@ladderlog/core';
import { createStore } from './create-store.ts';
import type { OnStatement, StoreLimits } from './statements.ts';
import type { Logger } from './logger.ts';
import { SILENT } from './logger.ts';
import { checkedName } from '../queries/sql.ts';
import type { Engine, QueryParams, Store } from '../store.ts';
import { toStoreError } from './store-errors.ts';

export type HttpStatement = {
  readonly sql: string;
  readonly params?: QueryParams;
  /** Rows of an INSERT. */
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
};

export type HttpConnection = {
  /** The answer, which fails where it is cut off; ClickHouse's errors have their numbers as `code`. */
  send(statement: HttpStatement): Promise<Readable>;
  close(): Promise<void>;
};

export type HttpStoreOptions = {
  readonly kind: Engine['kind'];
  /** For people: what is at the other end. */
  readonly what: string;
  /** Without a database: the engine's own default. */
  readonly connect: (database?: string) => HttpConnection;
  readonly database?: string | undefined;
  readonly cluster?: string | undefined;
  readonly limits: StoreLimits;
  readonly log?: Logger | undefined;
  readonly onStatement?: OnStatement | undefined;
};

/** The engine ends a statement at its deadline; one that says nothing for so much longer hangs. */
const GRACE_MS = 5_000;

export async function openHttpStore(options: HttpStoreOptions): Promise<Store> {
  const { kind, what, connect, limits, log = SILENT, onStatement } = options;
  const database = checkedName(options.database ?? 'ladderlog');
  const cluster = options.cluster ?? null;
  const ground = connect();
  try {
    const on = cluster ? ` ON CLUSTER ${checkedName(cluster)}` : '';
    await ended(await ground.send({ sql: `CREATE DATABASE IF NOT EXISTS ${database}${on}` }));
  } catch (error) {
    throw toStoreError(error, `reach ${what}`);
  } finally {
    await ground.close();
  }
  const engine = httpEngine(connect(database), kind, database);
  return createStore(engine, limits, { database, cluster }, log, onStatement);
}

function httpEngine(connection: HttpConnection, kind: Engine['kind'], database: string): Engine {
  return {
    kind,
    database,
    answer: (sql, params, format, _lane, deadlineMs) =>
      within(deadlineMs, (signal) => connection.send({ sql: `${sql}\nFORMAT ${format}`, params, signal })),
    run: async (sql, deadlineMs) =>
      deadlineMs === null
        ? ended(await connection.send({ sql }))
        : within(deadlineMs, async (signal) => ended(await connection.send({ sql, signal }))),
    insert: (head, tail, body, deadlineMs) =>
      within(deadlineMs, async (signal) =>
        ended(await connection.send({ sql: `${head} ${tail}`, body, signal })),
      ),
    close: () => connection.close(),
  };
}

async function ended(answer: Readable): Promise<void> {
  answer.resume();
  await finished(answer);
}

async function within<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), deadlineMs + GRACE_MS);
  try {
    return await work(late.signal);
  } catch (error) {
    if (!late.signal.aborted) throw error;
    const why = `the engine has not answered ${GRACE_MS} ms after the deadline of the statement`;
    throw new LadderlogError('STORE_UNAVAILABLE', why, { retryable: true, cause: error });
  } finally {
    clearTimeout(timer);
  }
}
