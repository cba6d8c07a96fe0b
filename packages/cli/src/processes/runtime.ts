// The engines a command works on, chosen by configuration only: SQLite or Kafka, chDB or a ClickHouse server.

import type { Position } from '@ladderlog/core';
import { PROJECTIONS } from '@ladderlog/core';
import type { EventLog, LogRole } from '@ladderlog/log';
import type { CursorStore } from '@ladderlog/projector';
import { openClickhouseCursors, openSqliteCursors } from '@ladderlog/projector';
import type { ChdbOptions, Store } from '@ladderlog/store';
import {
  CHDB_LIMITS,
  SERVER_LIMITS,
  openChdbStore,
  openEngineStore,
  openServerStore,
} from '@ladderlog/store';

import type { Context } from '../context.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { createPrivate, openDataDirectory } from '../data/data-directory.ts';
import { openLog } from './open-log.ts';

export { PROJECTIONS };

/** Told after every statement of the store. */
export type OnStatement = (name: string, tookMs: number) => void;

/** The store of a command: with chDB, it opens the engine itself, so nothing else may run on the directory. */
export async function openStore(
  context: Context,
  directory: DataDirectory,
  purpose: string,
  onStatement: OnStatement = () => undefined,
): Promise<Store> {
  const { config, logger } = context;
  if (config.clickhouseUrl !== null) return openServer(context, onStatement);
  return openChdbStore({
    path: directory.store,
    database: config.clickhouseDatabase,
    purpose,
    log: logger,
    onStatement,
    ...waiting(context, CHDB_LIMITS),
  });
}

/** The store of the service: with chDB, the engine's own process has it. */
function openServiceStore(
  context: Context,
  directory: DataDirectory,
  onStatement: OnStatement,
): Promise<Store> {
  const { config, logger } = context;
  if (config.clickhouseUrl !== null) return openServer(context, onStatement);
  return openEngineStore({
    socket: directory.sockets.engine,
    database: config.clickhouseDatabase,
    log: logger,
    onStatement,
    ...waiting(context, CHDB_LIMITS),
  });
}

const openServer = (context: Context, onStatement: OnStatement): Promise<Store> => {
  const { config, logger } = context;
  return openServerStore({
    url: config.clickhouseUrl!,
    user: config.clickhouseUser,
    password: config.clickhousePassword,
    database: config.clickhouseDatabase,
    log: logger,
    onStatement,
    ...waiting(context, SERVER_LIMITS),
    ...(config.clickhouseCluster === null ? {} : { cluster: config.clickhouseCluster }),
  });
};

const waiting = ({ config }: Context, usual: typeof CHDB_LIMITS): Pick<ChdbOptions, 'limits'> =>
  config.queryQueue === null ? {} : { limits: { read: { ...usual.read, waiting: config.queryQueue } } };

/** Where the projector's cursors live: in a file of their own beside the log, or on the ClickHouse server. */
export function openCursors({ config }: Context, directory: DataDirectory, store: Store): CursorStore {
  if (config.clickhouseUrl !== null) return openClickhouseCursors(store);
  createPrivate(directory.cursors);
  // Version 0.1.0 kept them in the log's own file.
  return openSqliteCursors(directory.cursors, config.kafkaBrokers ? {} : { takeOverFrom: directory.log });
}

/** Where each partition of the served tables, or of another generation, goes on: the first offset that they lack. */
export async function projectedPositions(
  store: Store,
  cursors: CursorStore,
  generation?: number,
): Promise<Position[]> {
  const all = await cursors.list(generation ?? (await store.generation()));
  return all.map(({ topic, partition, hwm }) => ({ topic, partition, offset: hwm + 1 }));
}

export type Runtime = {
  readonly store: Store;
  /** The tables are chDB's: nobody but this directory's processes fills them. */
  readonly embedded: boolean;
  readonly directory: DataDirectory;
  readonly log: EventLog;
  readonly cursors: CursorStore;
  close(): Promise<void>;
};

/** Everything open, in an order that fails early: the store's lock first. */
const openRuntime = (context: Context, purpose: string, onStatement?: OnStatement): Promise<Runtime> =>
  openParts(context, 'writer', (directory) => openStore(context, directory, purpose, onStatement));

/** As the service has it: the engine in its own process, and a log that it only reads. */
export const openServiceRuntime = (context: Context, onStatement: OnStatement): Promise<Runtime> =>
  openParts(context, 'reader', (directory) => openServiceStore(context, directory, onStatement));

async function openParts(
  context: Context,
  role: LogRole,
  open: (directory: DataDirectory) => Promise<Store>,
): Promise<Runtime> {
  const directory = openDataDirectory(context.config.data, context.logger);
  const store = await open(directory);
  let log: EventLog | null = null;
  try {
    log = await openLog(context, directory, role);
    await store.migrate();
    const cursors = openCursors(context, directory, store);
    return {
      store,
      embedded: context.config.clickhouseUrl === null,
      directory,
      log,
      cursors,
      async close() {
        await cursors.close();
        await store.close();
        await log!.close();
      },
    };
  } catch (error) {
    await log?.close();
    await store.close();
    throw error;
  }
}

/** Works on everything open, and closes it, whatever happens. */
export async function withRuntime<T>(
  context: Context,
  purpose: string,
  work: (runtime: Runtime) => Promise<T>,
  onStatement?: OnStatement,
): Promise<T> {
  const runtime = await openRuntime(context, purpose, onStatement);
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}
