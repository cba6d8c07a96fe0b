// A KafkaLog of its own on the shared broker: distinct topic and group names, and a logger that shows only what went wrong.

import { randomUUID } from 'node:crypto';
import type { EventLog, KafkaLogOptions } from '@ladderlog/log';
import { openKafkaLog } from '@ladderlog/log';
import { pino } from 'pino';
import { inject } from 'vitest';
import type { SharedKafka } from './kafka-global-setup.ts';

/** Null where the suite is skipped; the setup has said why. */
export const sharedKafka = (): SharedKafka | null => inject('kafka');

export const newPrefix = (): string => `t${randomUUID().slice(0, 8)}.`;

export const testLogger = pino({ level: process.env['LADDERLOG_LOG_LEVEL'] ?? 'fatal' });

export const openTestLog = (
  kafka: Pick<SharedKafka, 'brokers' | 'registryUrl'>,
  prefix: string,
  options: Partial<KafkaLogOptions> = {},
): Promise<EventLog> =>
  openKafkaLog({
    brokers: kafka.brokers,
    registryUrl: kafka.registryUrl,
    prefix,
    logger: testLogger,
    sessionTimeoutMs: 20_000,
    ...options,
  });
