// The store over ClickHouse's HTTP protocol: a server or cluster, or the embedded engine in a process of its own.

import type { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { LadderlogError } from '@ladderlog/core';
import { createStore } from './create-store.ts';
import type { OnStatement, StoreLimits } from './statements.ts';
import type { Logger } from './logger.ts';
import { SILENT } from './logger.ts';
import { checkedName } from '../queries/sql.ts';
import type { Engine, Store } from '../store.ts';
import { toStoreError } from './store-errors.ts';

export type HttpStoreOptions = {
  readonly kind: Engine['kind'];
  /** For people: what is at the other end. */
  readonly what: string;
  readonly access: {
    readonly url: string;
    readonly username?: string;
    readonly password?: string;
    readonly http_agent?: Agent;
  };
  readonly database?: string | undefined;
  readonly cluster?: string | undefined;
  /** Of every statement. */
  readonly settings?: ClickHouseSettings;
  readonly limits: StoreLimits;
  readonly log?: Logger | undefined;
  readonly onStatement?: OnStatement | undefined;
};

/** Of statements without a deadline of their own, and longer than any deadline. */
const SILENCE_MS = 2 * 3_600_000;

/** The engine ends a statement at its deadline; one that says nothing for so much longer hangs. */
const GRACE_MS = 5_000;

export async function openHttpStore(options: HttpStoreOptions): Promise<Store> {
  const { kind, what, limits, log = SILENT, onStatement } = options;
  const database = checkedName(options.database ?? 'ladderlog');
  const cluster = options.cluster ?? null;
  const access = {
    ...options.access,
    request_timeout: SILENCE_MS,
    // Its errors reach our own log once, with a code, where they are handled.
    log: { level: ClickHouseLogLevel.OFF },
    max_open_connections: limits.read.running + limits.write.running,
  };
  const client = createClient({ ...access, database, clickhouse_settings: options.settings ?? {} });
  const ground = createClient(access);
  try {
    const on = cluster ? ` ON CLUSTER ${checkedName(cluster)}` : '';
    await ground.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}${on}` });
  } catch (error) {
    await client.close();
    throw toStoreError(error, `reach ${what}`);
  } finally {
    await ground.close();
  }
  return createStore(httpEngine(client, kind, database), limits, { database, cluster }, log, onStatement);
}

function httpEngine(client: ClickHouseClient, kind: Engine['kind'], database: string): Engine {
  // An error in the middle of an answer must be an error, not a short answer.
  const clickhouse_settings = { wait_end_of_query: 1 } as const;
  return {
    kind,
    database,
    answer: (sql, params, format, _lane, deadlineMs) =>
      within(deadlineMs, async (abort_signal) => {
        const query = `${sql}\nFORMAT ${format}`;
        const query_params = { ...params };
        return (await client.exec({ query, query_params, clickhouse_settings, abort_signal })).stream;
      }),
    async run(sql) {
      await client.command({ query: sql, clickhouse_settings });
    },
    insert: (head, tail, bytes, deadlineMs) =>
      within(deadlineMs, async (abort_signal) => {
        const values = Readable.from([bytes], { objectMode: false });
        const query = `${head} ${tail}`;
        const { stream } = await client.exec({ query, values, clickhouse_settings, abort_signal });
        stream.resume();
        await finished(stream);
      }),
    close: () => client.close(),
  };
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
