// A ClickHouse server or cluster over HTTP.

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

export function openServerStore(options: ServerOptions): Promise<Store> {
  const { url, user, password, database, cluster, log, onStatement } = options;
  return openHttpStore({
    kind: 'server',
    what: `ClickHouse at ${new URL(url).host}`,
    access: {
      url,
      ...(user === undefined ? {} : { username: user }),
      ...(password === undefined ? {} : { password }),
    },
    database,
    cluster,
    settings: cluster ? CLUSTER_SETTINGS : {},
    limits: { ...SERVER_LIMITS, ...options.limits },
    log,
    onStatement,
  });
}
