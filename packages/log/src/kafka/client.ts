// kafkajs as we use it: zstd from Node itself, its log through pino and without the noise, its errors as ours, and its
// cluster and broker objects for assign-style reads and exact sequence numbers, which its producer and consumer do not offer.

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Broker, Cluster, SASLOptions } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { Logger } from 'pino';
import { LadderlogError } from '@ladderlog/core';

const { AssignerProtocol, CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs;
type KafkaClient = InstanceType<typeof Kafka>;

export type KafkaTls = { readonly ca?: string; readonly cert?: string; readonly key?: string };

export type KafkaConnection = {
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** True: the machine's certificate authorities. */
  readonly ssl?: boolean | KafkaTls;
  readonly sasl?: SASLOptions;
  readonly logger: Logger;
};

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

// Node's default of 16 KiB would cut a batch into hundreds of pieces.
const CHUNK = 256 * 1024;

// Level 3, zstd's default: the batches are already small, higher levels cost more than they save.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: (encoder: { buffer: Buffer }) => compress(encoder.buffer, { chunkSize: CHUNK }),
  decompress: (buffer: Buffer) => decompress(buffer, { chunkSize: CHUNK }),
});

/** Longest wait of a fetch for new records; also how long a stop may take. */
export const FETCH_WAIT_MS = 500;
const REQUEST_TIMEOUT_MS = 15_000;

export function connectKafka(connection: KafkaConnection): KafkaClient {
  ignoreNegativeTimeouts();
  const { brokers, clientId, ssl, sasl, logger } = connection;
  return new Kafka({
    clientId,
    brokers: [...brokers],
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    connectionTimeout: 5_000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    logLevel: logLevel.INFO,
    logCreator: () => logToPino(logger),
    // Short inside kafkajs: the loops of this package retry, with their own bound and their own log line.
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 },
  });
}

// What kafkajs calls a warning or an error while it is merely trying again: a fresh broker's coordinator is loading, a group
// rebalances, a broker it knows is away. Whoever waits for the result hears of it when the retries are used up.
const ROUTINE =
  /coordinator|rebalanc|re-joining|not aware of this member|leadership election|not the leader|does not host|disconnected|ECONNREFUSED|ECONNRESET|Connection (error|timeout|closed)|Closed connection|Failed to connect|Crash: KafkaJSNumberOfRetriesExceeded|Restarting the consumer/i;

type KafkajsEntry = {
  namespace: string;
  level: number;
  log: { message: string; error?: Error | string; [key: string]: unknown };
};

function logToPino(logger: Logger): (entry: KafkajsEntry) => void {
  return ({ namespace, level, log }) => {
    const { message: text, error, stack: _stack, timestamp: _timestamp, logger: _logger, ...details } = log;
    const cause = error instanceof Error ? error.message : (error ?? '');
    // A connection reports every error answer that its caller gets as well.
    const routine = level >= INFO_LEVEL || namespace === 'Connection' || ROUTINE.test(`${text} ${cause}`);
    const object = {
      event: 'log.kafka.client',
      namespace,
      ...(cause === '' ? {} : { error: cause }),
      ...details,
    };
    if (routine) logger.debug(object, text);
    else logger.warn(object, text);
  };
}

const INFO_LEVEL: number = logLevel.INFO;

let warningsFiltered = false;

/** kafkajs sets timers in the past (its "not throttled" is −1), which Node 24 warns of. Only those warnings are dropped. */
function ignoreNegativeTimeouts(): void {
  if (warningsFiltered) return;
  warningsFiltered = true;
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]): void => {
    if (args[1] === 'TimeoutNegativeWarning' && /[\\/]kafkajs[\\/]/.test(new Error('trace').stack ?? ''))
      return;
    emit(...args);
  };
}

/** What kafkajs' own types leave out of its broker. */
export type WideBroker = Broker & {
  initProducerId(request: { transactionTimeout: number }): Promise<{
    producerId: string;
    producerEpoch: number;
  }>;
  listOffsets(request: {
    replicaId: number;
    isolationLevel: number;
    topics: { topic: string; partitions: { partition: number; timestamp: number }[] }[];
  }): Promise<{ responses: { partitions: { offset: string }[] }[] }>;
};

export type FetchedRecord = {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly isControlRecord?: boolean;
  /** Of the stored batch that the record came in; absent in the formats before 0.11. */
  readonly batchContext?: {
    readonly producerId: string;
    readonly producerEpoch: number;
    readonly firstSequence: number;
  };
};

export type FetchedPartition = {
  readonly partition: number;
  readonly highWatermark: string;
  readonly messages: readonly FetchedRecord[];
};

export type OpenCluster = { readonly cluster: Cluster; close(): Promise<void> };

/**
 * A cluster object with connections of its own. kafkajs hands it to partition assigners only, so a consumer that never joins
 * its group is made for the sake of the assigner.
 */
export async function openCluster(kafka: KafkaClient): Promise<OpenCluster> {
  let captured: Cluster | null = null;
  const consumer = kafka.consumer({
    groupId: 'never-joined',
    allowAutoTopicCreation: false,
    metadataMaxAge: 60_000,
    partitionAssigners: [
      ({ cluster }) => {
        captured = cluster;
        return {
          name: 'none',
          version: 0,
          assign: () => Promise.resolve([]),
          protocol: ({ topics }) => ({
            name: 'none',
            metadata: AssignerProtocol.MemberMetadata.encode({
              version: 0,
              topics,
              userData: Buffer.alloc(0),
            }),
          }),
        };
      },
    ],
  });
  if (!captured) throw new LadderlogError('INTERNAL', 'kafkajs gave its assigner no cluster');
  await consumer.connect();
  return { cluster: captured, close: () => consumer.disconnect() };
}

/** After a failure: forget a closed connection, find the brokers that are left, and who leads now. */
export async function reconnect(cluster: Cluster, error: unknown): Promise<void> {
  const { name, host, port } = error as { name?: string; host?: string; port?: number };
  if (name === 'KafkaJSConnectionClosedError' && host !== undefined && port !== undefined)
    cluster.removeBroker({ host, port });
  if (!cluster.isConnected()) await cluster.connect();
  await cluster.refreshMetadata();
}

/** kafkajs' name for a protocol error, through however many wrappings. */
export function errorType(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const type = (at as { type?: unknown }).type;
    if (typeof type === 'string') return type;
  }
  return null;
}

const HOPELESS = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'UNSUPPORTED_VERSION',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'INVALID_CONFIG',
  'INVALID_REPLICATION_FACTOR',
  'POLICY_VIOLATION',
]);

/** Another attempt of the same request cannot succeed, and this one certainly changed nothing. */
export function isHopeless(error: unknown): boolean {
  if (error instanceof LadderlogError) return true;
  const type = errorType(error);
  if (type !== null) return HOPELESS.has(type);
  return error instanceof Error && error.name === 'KafkaJSSASLAuthenticationError';
}

export function asLogError(error: unknown, doing: string): LadderlogError {
  if (error instanceof LadderlogError) return error;
  const type = errorType(error);
  const reason = `${doing}: ${type ? `${type}: ` : ''}${(error as Error).message}`;
  if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE')
    return new LadderlogError('LOG_RECORD_TOO_LARGE', reason, { cause: error });
  return new LadderlogError('LOG_UNAVAILABLE', reason, { retryable: !isHopeless(error), cause: error });
}
