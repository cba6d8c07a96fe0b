// A ClickHouse server or cluster over HTTP.

import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { createStore } from './create-store.ts';
import type { OnStatement, StoreLimits } from './statements.ts';
import type { Logger } from './logger.ts';
import { SILENT } from './logger.ts';
import { checkedName } from '../queries/sql.ts';
import type { Engine, Store } from '../store.ts';
import { toStoreError } from './store-errors.ts';

export type ServerOptions = {
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** Name of the cluster whose shards hold the tables. Default: one server. */
  readonly cluster?: string;
  readonly limits?: Partial<StoreLimits>;
  readonly log?: Logger;
  readonly onStatement?: OnStatement;
};

const MIB = 1024 * 1024;

export const SERVER_LIMITS: StoreLimits = {
  read: { running: 16, waiting: 256 },
  write: { running: 4, waiting: 256 },
  deadlineMs: 10_000,
  readMemoryBytes: 2048 * MIB,
  writeMemoryBytes: 2048 * MIB,
  readThreads: 4,
};

/**
 * Of every statement on a cluster. Rows must be on their shard before any insert is acknowledged (a cursor, a switch, a range). And
 * who reads back what was written must ask the replica that took it: a cursor that seems not to be there would be claimed
 * again, and rows that seem missing sent again. All that is said of a market is on one shard, so subqueries are answered there;
 * by default they are refused.
 */
export const CLUSTER_SETTINGS = {
  distributed_foreground_insert: 1,
  load_balancing: 'in_order',
  distributed_product_mode: 'local',
} as const;

export async function openServerStore(options: ServerOptions): Promise<Store> {
  const database = checkedName(options.database ?? 'ladderlog');
  const cluster = options.cluster ?? null;
  const limits: StoreLimits = { ...SERVER_LIMITS, ...options.limits };
  const access = {
    url: options.url,
    ...(options.user === undefined ? {} : { username: options.user }),
    ...(options.password === undefined ? {} : { password: options.password }),
    request_timeout: 120_000,
    // Its errors reach our own log once, with a code, where they are handled.
    log: { level: ClickHouseLogLevel.OFF },
    max_open_connections: limits.read.running + limits.write.running,
  };
  const ground = createClient(access);
  try {
    const on = cluster ? ` ON CLUSTER ${checkedName(cluster)}` : '';
    await ground.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}${on}` });
  } catch (error) {
    throw toStoreError(error, `reach ClickHouse at ${new URL(options.url).host}`);
  } finally {
    await ground.close();
  }
  const client = createClient({
    ...access,
    database,
    ...(cluster ? { clickhouse_settings: CLUSTER_SETTINGS } : {}),
  });
  const { log = SILENT, onStatement } = options;
  return createStore(serverEngine(client, database), limits, { database, cluster }, log, onStatement);
}

function serverEngine(client: ClickHouseClient, database: string): Engine {
  // An error in the middle of an answer must be an error, not a short answer.
  const clickhouse_settings = { wait_end_of_query: 1 } as const;
  return {
    kind: 'server',
    database,
    async answer(sql, params, format) {
      const query = `${sql}\nFORMAT ${format}`;
      return (await client.exec({ query, query_params: { ...params }, clickhouse_settings })).stream;
    },
    async run(sql) {
      await client.command({ query: sql, clickhouse_settings });
    },
    async insert(head, tail, bytes) {
      const values = Readable.from([bytes], { objectMode: false });
      const { stream } = await client.exec({ query: `${head} ${tail}`, values, clickhouse_settings });
      stream.resume();
      await finished(stream);
    },
    close: () => client.close(),
  };
}
