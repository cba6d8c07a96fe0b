// ClickHouse in process. chDB's client keeps settings of one query for its whole session (it sends SET), so settings go into
// the text of each statement, and reads and writes have sessions of their own.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';
import { createClient } from '@clickhouse/client';
import { LadderlogError } from '@ladderlog/core';
import type { OnStatement, StoreLimits } from './create-store.ts';
import { createStore } from './create-store.ts';
import { lockDirectory } from './directory-lock.ts';
import type { Logger } from './logger.ts';
import { SILENT } from './logger.ts';
import { checkedName, quoteText } from '../sql.ts';
import type { Lane } from './query-queue.ts';
import type { Engine, Store } from '../store.ts';
import { toStoreError } from './store-errors.ts';

export type ChdbOptions = {
  /** Data directory; created when missing. One process at a time (STORE_LOCKED). */
  readonly path: string;
  readonly database?: string;
  readonly limits?: Partial<StoreLimits>;
  /** What the owner of the directory is doing, shown to whoever is refused. */
  readonly purpose?: string;
  readonly log?: Logger;
  readonly onStatement?: OnStatement;
};

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

const MIB = 1024 * 1024;

/** chDB answers about one query at a time: a second reader lets a short query pass a long one, more only wait inside. */
export const CHDB_LIMITS: StoreLimits = {
  read: { running: 2, waiting: 64 },
  write: { running: 1, waiting: 256 },
  deadlineMs: 10_000,
  readMemoryBytes: 512 * MIB,
  writeMemoryBytes: 1024 * MIB,
  readThreads: 2,
};

/**
 * The engine's own settings are for servers: caches of gigabytes, and pools whose threads stay for good (removing old parts
 * once started 128). Here it is one part of a small process.
 */
const ENGINE_SETTINGS: Readonly<Record<string, number>> = {
  mark_cache_size: 64 * MIB,
  index_mark_cache_size: 8 * MIB,
  primary_index_cache_size: 32 * MIB,
  query_condition_cache_size: 4 * MIB,
  compiled_expression_cache_size: 4 * MIB,
  vector_similarity_index_cache_size: 0,
  max_thread_pool_free_size: 16,
  max_io_thread_pool_size: 16,
  max_parts_cleaning_thread_pool_size: 2,
  max_active_parts_loading_thread_pool_size: 2,
  max_outdated_parts_loading_thread_pool_size: 2,
};

const PURGE_MS = 10_000;

export type ChdbStore = Store & {
  /** A session of its own on the same data, for the SQL front. */
  session(): Promise<ClickHouseClient>;
};

export async function openChdbStore(options: ChdbOptions): Promise<ChdbStore> {
  const path = resolve(options.path);
  const database = checkedName(options.database ?? 'ladderlog');
  const log = options.log ?? SILENT;
  const { connect, start } = await loadChdb();
  const lock = lockDirectory(path, options.purpose ?? 'ladderlog');
  const limits: StoreLimits = { ...CHDB_LIMITS, ...options.limits };
  const clients: ClickHouseClient[] = [];
  const client = (): ClickHouseClient => {
    const created = createClient({ connection: connect(join(path, 'chdb')) });
    clients.push(created);
    return created;
  };
  let server: { close(): void } | null = null;
  try {
    server = start(join(path, 'chdb'));
    // What a killed process left of its inserts; their ranges are pending in the cursor and will be rebuilt.
    const spool = join(path, 'spool');
    mkdirSync(spool, { recursive: true });
    for (const file of readdirSync(spool)) rmSync(join(spool, file), { force: true });

    const free: Record<Lane, ClickHouseClient[]> = { read: [], write: [] };
    const writer = client();
    await writer.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` });
    await writer.command({ query: `USE ${database}` });
    free.write.push(writer);
    for (let at = 0; at < limits.read.running; at++) {
      const reader = client();
      await reader.command({ query: `USE ${database}` });
      free.read.push(reader);
    }
    // The queue admits no more than there are sessions, so one is always free.
    const using = async <T>(lane: Lane, work: (session: ClickHouseClient) => Promise<T>): Promise<T> => {
      const session = free[lane].pop();
      if (!session) throw new LadderlogError('INTERNAL', `no free ${lane} session`);
      try {
        return await work(session);
      } finally {
        free[lane].push(session);
      }
    };

    const engine: Engine = {
      kind: 'chdb',
      database,
      answer: (sql, params, format, lane) =>
        using(lane, async (session) => {
          const { stream } = await session.exec({
            query: `${sql}\nFORMAT ${format}`,
            query_params: { ...params },
          });
          return stream;
        }),
      run: (sql) =>
        using('write', async (session) => {
          await session.command({ query: sql });
        }),
      insert: (head, tail, bytes) =>
        using('write', async (session) => {
          const file = join(spool, `${randomUUID()}.bin`);
          try {
            await writeFile(file, bytes);
            await session.command({ query: `${head} FROM INFILE ${quoteText(file)} ${tail}` });
          } finally {
            await unlink(file).catch(() => undefined);
          }
        }),
      async close() {
        for (const one of clients) await one.close();
        server?.close();
        lock.release();
      },
    };
    const store = createStore(engine, limits, { database }, log, options.onStatement);
    // The engine's allocator keeps what merges and inserts have given back, and that is most of what the engine holds.
    const purging = setInterval(() => {
      store.exec('SYSTEM JEMALLOC PURGE', { name: 'purge' }).catch((error: unknown) => {
        log.debug({ event: 'store.purge_failed', err: error }, 'unused memory stays with the engine');
      });
    }, PURGE_MS).unref();
    return {
      ...store,
      async close() {
        clearInterval(purging);
        await store.close();
      },
      async session() {
        const created = createClient({ connection: connect(join(path, 'chdb')) });
        await created.command({ query: `USE ${database}` });
        return created;
      },
    };
  } catch (error) {
    for (const one of clients) await one.close().catch(() => undefined);
    server?.close();
    lock.release();
    throw toStoreError(error, `open the embedded store in ${path}`);
  }
}

async function loadChdb() {
  try {
    const [{ createChdbConnection }, { Session }] = await Promise.all([
      import('chdb/connection'),
      import('chdb'),
    ]);
    return {
      /** The engine takes its own settings from the first session, which is held for as long as any other. */
      start: (path: string) =>
        new Session(path, {
          connectionArgs: Object.entries(ENGINE_SETTINGS).map(([name, value]) => `--${name}=${value}`),
        }),
      // The client carries its own copy of client-common's types; the objects are the same.
      connect: (path: string) => createChdbConnection({ path }) as unknown as ClientConnection,
    };
  } catch (cause) {
    throw new LadderlogError(
      'NOT_SUPPORTED_HERE',
      `the embedded ClickHouse engine (chDB) cannot be loaded on ${process.platform}-${process.arch}: set LADDERLOG_CLICKHOUSE_URL to use a ClickHouse server instead`,
      { cause },
    );
  }
}
