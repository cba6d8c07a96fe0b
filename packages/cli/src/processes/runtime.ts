// The engines a command works on, chosen by configuration only: SQLite or Kafka, chDB or a ClickHouse server.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Position } from '@ladderlog/core';
import { LadderlogError, PROJECTIONS, VENUES, framesTopic } from '@ladderlog/core';
import type { EventLog, KafkaLogOptions, ThinTopic } from '@ladderlog/log';
import { openKafkaLog, openSqliteLog } from '@ladderlog/log';
import type { CursorStore } from '@ladderlog/projector';
import { openClickhouseCursors, openSqliteCursors } from '@ladderlog/projector';
import type { ChdbOptions, ChdbStore, Store } from '@ladderlog/store';
import { CHDB_LIMITS, SERVER_LIMITS, openChdbStore, openServerStore } from '@ladderlog/store';

import type { Config } from '../settings/config.ts';
import { textOfFile } from '../settings/config.ts';
import type { Context } from '../context.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { createPrivate, openDataDirectory } from '../data/data-directory.ts';

export { PROJECTIONS };

export async function openLog(
  { config, logger }: Context,
  directory: DataDirectory,
): Promise<EventLog & { readonly thinTopics?: readonly ThinTopic[] }> {
  if (!config.kafkaBrokers) {
    createPrivate(directory.log);
    return openSqliteLog({
      path: directory.log,
      partitions: config.partitions,
      logger,
      retention: framesRetention(config.framesDays),
    });
  }
  const { kafkaSaslMechanism: mechanism } = config;
  const registry = registryAccess(config)!;
  return openKafkaLog({
    brokers: [...config.kafkaBrokers],
    registryUrl: registry.url,
    ...(registry.auth ? { registryAuth: registry.auth } : {}),
    prefix: config.kafkaPrefix,
    partitions: config.partitions,
    ...(config.kafkaReplication === null ? {} : { replication: config.kafkaReplication }),
    ssl: kafkaTls(config),
    ...(mechanism === null
      ? {}
      : {
          sasl: {
            mechanism: mechanism as 'plain',
            username: config.kafkaSaslUsername ?? '',
            password: config.kafkaSaslPassword ?? '',
          },
        }),
    retention: framesRetention(config.framesDays),
    logger,
  });
}

/** The address of the registry and as whom to ask it: by the settings, or by the address itself. */
export function registryAccess(config: Config): {
  readonly url: string;
  readonly auth: { readonly username: string; readonly password: string } | null;
} | null {
  if (config.registryUrl === null) return null;
  const address = new URL(config.registryUrl);
  const username = config.registryUsername ?? decodeURIComponent(address.username);
  const password = config.registryPassword ?? decodeURIComponent(address.password);
  address.username = '';
  address.password = '';
  return { url: address.href.replace(/\/$/, ''), auth: username === '' ? null : { username, password } };
}

function kafkaTls(config: Config): NonNullable<KafkaLogOptions['ssl']> {
  const ca = textOfFile(config, 'kafkaCaFile');
  const cert = textOfFile(config, 'kafkaCertFile');
  const key = textOfFile(config, 'kafkaKeyFile');
  if (ca === null && cert === null) return config.kafkaSsl;
  return { ...(ca === null ? {} : { ca }), ...(cert === null || key === null ? {} : { cert, key }) };
}

const DAY_MS = 86_400_000;

/** Only the wire tape may be cut: everything else is rebuilt from the log. */
const framesRetention = (days: number | null): Record<string, number> =>
  days === null ? {} : Object.fromEntries(VENUES.map((venue) => [framesTopic(venue), days * DAY_MS]));

/** Works on the log and closes it, whatever happens. */
export async function withLog<T>(context: Context, work: (log: EventLog) => Promise<T>): Promise<T> {
  const log = await openLog(context, openDataDirectory(context.config.data, context.logger));
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

/** For commands that only read what was recorded: a mistyped directory is an error, not an empty recording. */
export async function withRecording<T>(context: Context, work: (log: EventLog) => Promise<T>): Promise<T> {
  const { data, kafkaBrokers } = context.config;
  if (!kafkaBrokers && !existsSync(join(data, 'log.sqlite')))
    throw new LadderlogError(
      'NO_RECORDING',
      `there is no recording in ${data}; --data names the directory of one`,
    );
  return withLog(context, work);
}

export type OpenStore = { readonly store: Store; readonly chdb: ChdbStore | null };

export async function openStore(
  { config, logger }: Context,
  directory: DataDirectory,
  purpose: string,
  onStatement: (name: string, tookMs: number) => void = () => undefined,
): Promise<OpenStore> {
  const waiting = (usual: typeof CHDB_LIMITS): Pick<ChdbOptions, 'limits'> =>
    config.queryQueue === null ? {} : { limits: { read: { ...usual.read, waiting: config.queryQueue } } };
  if (config.clickhouseUrl === null) {
    const chdb = await openChdbStore({
      path: directory.store,
      database: config.clickhouseDatabase,
      purpose,
      log: logger,
      onStatement,
      ...waiting(CHDB_LIMITS),
    });
    return { store: chdb, chdb };
  }
  const store = await openServerStore({
    url: config.clickhouseUrl,
    user: config.clickhouseUser,
    password: config.clickhousePassword,
    database: config.clickhouseDatabase,
    log: logger,
    onStatement,
    ...waiting(SERVER_LIMITS),
    ...(config.clickhouseCluster === null ? {} : { cluster: config.clickhouseCluster }),
  });
  return { store, chdb: null };
}

/** Where the projector's cursors live: with the log when both engines are embedded, on the server otherwise. */
export function openCursors({ config }: Context, directory: DataDirectory, store: Store): CursorStore {
  if (config.clickhouseUrl !== null) return openClickhouseCursors(store);
  const path = config.kafkaBrokers ? directory.cursors : directory.log;
  createPrivate(path);
  return openSqliteCursors(path);
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

export type Runtime = OpenStore & {
  readonly directory: DataDirectory;
  readonly log: EventLog;
  readonly cursors: CursorStore;
  close(): Promise<void>;
};

/** Everything open, in an order that fails early: the store's lock first. */
export async function openRuntime(
  context: Context,
  purpose: string,
  onStatement?: (name: string, tookMs: number) => void,
): Promise<Runtime> {
  const directory = openDataDirectory(context.config.data, context.logger);
  const opened = await openStore(context, directory, purpose, onStatement);
  try {
    const log = await openLog(context, directory);
    await opened.store.migrate();
    const cursors = openCursors(context, directory, opened.store);
    return {
      ...opened,
      directory,
      log,
      cursors,
      async close() {
        await cursors.close();
        await opened.store.close();
        await log.close();
      },
    };
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

/** Works on everything open, and closes it, whatever happens. */
export async function withRuntime<T>(
  context: Context,
  purpose: string,
  work: (runtime: Runtime) => Promise<T>,
  onStatement?: (name: string, tookMs: number) => void,
): Promise<T> {
  const runtime = await openRuntime(context, purpose, onStatement);
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}
