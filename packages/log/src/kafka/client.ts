// kafkajs as we set it up: zstd from Node itself, and its log through pino without the noise.

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Cluster, Kafka as KafkaClient, KafkaConfig, LogEntry, SASLOptions } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { Logger } from 'pino';
import { openCluster } from './kafkajs-internals.ts';

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs;

export type KafkaTls = { readonly ca?: string; readonly cert?: string; readonly key?: string };

export type KafkaConnection = {
  readonly brokers: readonly string[];
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

export const connectKafka = (connection: KafkaConnection): KafkaClient => new Kafka(configOf(connection));

/** Cluster and brokers for requests that kafkajs' consumer and producer do not offer. Has connections of its own. */
export const connectCluster = (connection: KafkaConnection): Promise<Cluster> =>
  openCluster(configOf(connection));

const configOf = ({ brokers, ssl, sasl, logger }: KafkaConnection): KafkaConfig => ({
  clientId: 'ladderlog',
  brokers: [...brokers],
  ...(ssl === undefined ? {} : { ssl }),
  ...(sasl === undefined ? {} : { sasl }),
  connectionTimeout: 5_000,
  requestTimeout: 15_000,
  logLevel: logLevel.INFO,
  logCreator: () => logToPino(logger),
  // Short inside kafkajs: the loops of this package retry, with their own bound and their own log line.
  retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 },
});

// What kafkajs calls a warning or an error while it is merely trying again: a fresh broker's coordinator is loading, a group
// rebalances, a broker it knows is away. Whoever waits for the result hears of it when the retries are used up.
const ROUTINE =
  /coordinator|rebalanc|re-joining|not aware of this member|leadership election|not the leader|does not host|disconnected|ECONNREFUSED|ECONNRESET|Connection (error|timeout|closed)|Closed connection|Failed to connect|Crash: KafkaJSNumberOfRetriesExceeded|Restarting the consumer/i;

function logToPino(logger: Logger): (entry: LogEntry) => void {
  return ({ namespace, level, log }) => {
    const { message: text, error, stack: _stack, timestamp: _timestamp, logger: _logger, ...details } = log;
    const cause = error instanceof Error ? error.message : String(error ?? '');
    // A connection reports every error answer that its caller gets as well.
    const routine = level >= logLevel.INFO || namespace === 'Connection' || ROUTINE.test(`${text} ${cause}`);
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
