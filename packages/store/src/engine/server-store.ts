// A ClickHouse server or cluster over HTTP.

import { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { HttpConnection } from './http-store.ts';
import { openHttpStore } from './http-store.ts';
import type { OnStatement, StoreLimits } from './statements.ts';
import type { Logger } from './logger.ts';
import type { Store } from '../store.ts';

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

/** Longer than any deadline: statements end by their own. */
const SILENCE_MS = 2 * 3_600_000;

export function openServerStore(options: ServerOptions): Promise<Store> {
  const { database, cluster, log, onStatement } = options;
  const limits: StoreLimits = { ...SERVER_LIMITS, ...options.limits };
  return openHttpStore({
    kind: 'server',
    what: `ClickHouse at ${new URL(options.url).host}`,
    connect: (to) => connect(options, limits, to),
    database,
    cluster,
    limits,
    log,
    onStatement,
  });
}

function connect(
  { url, user, password, cluster }: ServerOptions,
  limits: StoreLimits,
  database?: string,
): HttpConnection {
  const client = createClient({
    url,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    request_timeout: SILENCE_MS,
    // Its errors reach our own log once, with a code, where they are handled.
    log: { level: ClickHouseLogLevel.OFF },
    max_open_connections: limits.read.running + limits.write.running,
  });
  const clickhouse_settings: ClickHouseSettings = {
    ...(cluster === undefined || database === undefined ? {} : CLUSTER_SETTINGS),
    // An error in the middle of an answer must be an error, not a short answer.
    wait_end_of_query: 1,
  };
  return {
    async send({ sql: query, params, body, signal }) {
      const { stream } = await client.exec({
        query,
        ...(params === undefined ? {} : { query_params: { ...params } }),
        ...(body === undefined ? {} : { values: Readable.from([body], { objectMode: false }) }),
        ...(signal === undefined ? {} : { abort_signal: signal }),
        clickhouse_settings,
      });
      return stream;
    },
    close: () => client.close(),
  };
}
