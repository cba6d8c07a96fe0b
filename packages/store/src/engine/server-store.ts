// A ClickHouse server or cluster over HTTP.

import { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { OnStatement, StoreLimits } from './create-store.ts';
import { createStore } from './create-store.ts';
import type { Logger } from './logger.ts';
import { SILENT } from './logger.ts';
import type { Cluster } from './migrations.ts';
import { checkedName } from '../sql.ts';
import type { Engine, Store } from '../store.ts';
import { toStoreError } from './store-errors.ts';

export type ServerOptions = {
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly cluster?: Cluster;
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
  const limits: StoreLimits = { ...SERVER_LIMITS, ...options.limits };
  const log = options.log ?? SILENT;
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
    const on = options.cluster ? ` ON CLUSTER ${checkedName(options.cluster.name)}` : '';
    await ground.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}${on}` });
  } catch (error) {
    throw toStoreError(error, `reach ClickHouse at ${new URL(options.url).host}`);
  } finally {
    await ground.close();
  }
  const client = createClient({
    ...access,
    database,
    ...(options.cluster ? { clickhouse_settings: CLUSTER_SETTINGS } : {}),
  });
  const engine: Engine = {
    kind: 'server',
    database,
    async answer(sql, params, format) {
      const { stream } = await client.exec({
        query: `${sql}\nFORMAT ${format}`,
        query_params: { ...params },
        // An error in the middle of an answer must be an error, not a short answer.
        clickhouse_settings: { wait_end_of_query: 1 },
      });
      return stream;
    },
    async run(sql) {
      await client.command({ query: sql, clickhouse_settings: { wait_end_of_query: 1 } });
    },
    async insert(head, tail, bytes) {
      const { stream } = await client.exec({
        query: `${head} ${tail}`,
        values: Readable.from([bytes], { objectMode: false }),
        clickhouse_settings: { wait_end_of_query: 1 },
      });
      stream.resume();
      await new Promise<void>((resolve, reject) => {
        stream.on('end', resolve).on('error', reject);
      });
    },
    close: () => client.close(),
  };
  return createStore(
    engine,
    limits,
    { database, cluster: options.cluster ?? null },
    log,
    options.onStatement,
  );
}
