// The log a process works on, by configuration: SQLite or Kafka.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { LadderlogError, VENUES, framesTopic } from '@ladderlog/core';
import type { EventLog, KafkaLogOptions, LogRole, ThinTopic } from '@ladderlog/log';
import { openKafkaLog, openSqliteLog } from '@ladderlog/log';

import type { Config } from '../settings/config.ts';
import { textOfFile } from '../settings/config.ts';
import type { Context } from '../context.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { createPrivate, openDataDirectory } from '../data/data-directory.ts';

export async function openLog(
  { config, logger }: Context,
  directory: DataDirectory,
  role: LogRole = 'writer',
): Promise<EventLog & { readonly thinTopics?: readonly ThinTopic[] }> {
  if (!config.kafkaBrokers) {
    createPrivate(directory.log);
    return openSqliteLog({
      path: directory.log,
      role,
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
export async function withLog<T>(
  context: Context,
  work: (log: EventLog) => Promise<T>,
  role?: LogRole,
): Promise<T> {
  const log = await openLog(context, openDataDirectory(context.config.data, context.logger), role);
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
  return withLog(context, work, 'reader');
}
