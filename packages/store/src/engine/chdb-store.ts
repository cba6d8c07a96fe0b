// ClickHouse in process. chDB's client keeps settings of one query for its whole session (it sends SET), so settings go into
// the text of each statement, and reads and writes have sessions of their own.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { createClient } from '@clickhouse/client';
import { LadderlogError } from '@ladderlog/core';
import { createStore } from './create-store.ts';
import type { DirectoryLock } from './directory-lock.ts';
import { lockDirectory } from './directory-lock.ts';
import type { Logger } from './logger.ts';
import { SILENT } from './logger.ts';
import { checkedName, quoteText } from '../queries/sql.ts';
import type { Engine, Lane, QueryParams, Store } from '../store.ts';
import type { OnStatement, StoreLimits } from './statements.ts';
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
  // It looks at the memory of the process 20 times a second by default, a third of all that an engine at rest does.
  memory_worker_period_ms: 1_000,
};

const PURGE_MS = 10_000;

export type ChdbStore = Store & {
  /** A session of its own on the same data, for the SQL front. */
  session(): Promise<ClickHouseClient>;
  /** Folder for bodies of inserts; emptied at the next start. */
  readonly spool: string;
};

export async function openChdbStore(options: ChdbOptions): Promise<ChdbStore> {
  const path = resolve(options.path);
  const database = checkedName(options.database ?? 'ladderlog');
  const { log = SILENT, onStatement } = options;
  const chdb = await loadChdb();
  const lock = lockDirectory(path, options.purpose ?? 'ladderlog');
  const limits: StoreLimits = { ...CHDB_LIMITS, ...options.limits };
  const engine = new ChdbEngine(chdb, path, database, lock);
  try {
    await engine.open(limits.read.running);
  } catch (error) {
    await engine.close().catch(() => undefined);
    throw toStoreError(error, `open the embedded store in ${path}`);
  }
  const store = createStore(engine, limits, { database }, log, onStatement);
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
    session: () => engine.session(),
    spool: engine.spool,
  };
}

class ChdbEngine implements Engine {
  readonly kind = 'chdb';
  readonly database: string;
  private readonly chdb: Chdb;
  private readonly path: string;
  readonly spool: string;
  private readonly lock: DirectoryLock;
  private readonly free: Record<Lane, ClickHouseClient[]> = { read: [], write: [] };
  private server: { close(): void } | null = null;

  constructor(chdb: Chdb, path: string, database: string, lock: DirectoryLock) {
    this.chdb = chdb;
    this.path = join(path, 'chdb');
    this.spool = join(path, 'spool');
    this.database = database;
    this.lock = lock;
  }

  async open(readers: number): Promise<void> {
    this.server = this.chdb.start(this.path);
    // What a killed process left of its inserts; their ranges are pending in the cursor and will be rebuilt.
    mkdirSync(this.spool, { recursive: true });
    for (const file of readdirSync(this.spool)) rmSync(join(this.spool, file), { force: true });
    const writer = this.connect();
    this.free.write.push(writer);
    await writer.command({ query: `CREATE DATABASE IF NOT EXISTS ${this.database}` });
    await writer.command({ query: `USE ${this.database}` });
    while (this.free.read.length < readers) this.free.read.push(await this.session());
  }

  /** A session of its own, which its user closes. */
  async session(): Promise<ClickHouseClient> {
    const client = this.connect();
    await client.command({ query: `USE ${this.database}` });
    return client;
  }

  answer(sql: string, params: QueryParams, format: string, lane: Lane): Promise<Readable> {
    return this.using(lane, async (session) => {
      const query = `${sql}\nFORMAT ${format}`;
      return (await session.exec({ query, query_params: { ...params } })).stream;
    });
  }

  run(sql: string): Promise<void> {
    return this.using('write', async (session) => void (await session.command({ query: sql })));
  }

  insert(head: string, tail: string, bytes: Uint8Array): Promise<void> {
    return this.using('write', async (session) => {
      const file = join(this.spool, `${randomUUID()}.bin`);
      try {
        await writeFile(file, bytes);
        await session.command({ query: `${head} FROM INFILE ${quoteText(file)} ${tail}` });
      } finally {
        await unlink(file).catch(() => undefined);
      }
    });
  }

  async close(): Promise<void> {
    for (const session of [...this.free.write, ...this.free.read]) await session.close();
    this.server?.close();
    this.lock.release();
  }

  private connect(): ClickHouseClient {
    return createClient({ connection: this.chdb.connect(this.path) });
  }

  /** The queue admits no more than there are sessions, so one is always free. */
  private async using<T>(lane: Lane, work: (session: ClickHouseClient) => Promise<T>): Promise<T> {
    const session = this.free[lane].pop();
    if (!session) throw new LadderlogError('INTERNAL', `no free ${lane} session`);
    try {
      return await work(session);
    } finally {
      this.free[lane].push(session);
    }
  }
}

type Chdb = Awaited<ReturnType<typeof loadChdb>>;

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
