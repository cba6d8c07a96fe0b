// Appends to one partition. Instead of kafkajs' producer, which gives a sequence number away again after a failure whose
// outcome it does not know (the next batch is then taken for a repeat and lost), and which on a retry skips the partitions
// that moved to a broker that had already answered. Here a batch keeps producer id and sequence until the broker has said
// what became of it, so a repeat is recognized; one request at a time; what waits meanwhile goes together into the next.

import type { Cluster, Message } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { Logger } from 'pino';
import { LadderlogError } from '@ladderlog/core';
import type { WideBroker } from './kafka-client.ts';
import { asLogError, errorType, isHopeless } from './kafka-client.ts';
import { retrying } from './kafka-retry.ts';

const { CompressionTypes } = kafkajs;

export type OutRecord = { readonly key: string; readonly value: Buffer; readonly timestamp: string };

/** Waiting appends are merged up to here; one append may be larger, up to the limits below. */
const MERGE_BYTES = 4 * 1024 * 1024;
const MERGE_RECORDS = 10_000;
/** One append's share of a partition is one record batch, the unit that Kafka writes whole or not at all. */
export const MAX_SHARE_BYTES = 48 * 1024 * 1024;
export const MAX_SHARE_RECORDS = 50_000;
/** Topic setting that lets the largest share pass, even if it does not compress at all. */
export const MAX_MESSAGE_BYTES = MAX_SHARE_BYTES + 8 * 1024 * 1024;

const PRODUCE_TIMEOUT_MS = 10_000;
const MAX_SEQUENCE = 2 ** 31;
const PRODUCER_LOST = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
]);
const UNCERTAIN = new Set([
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'REQUEST_TIMED_OUT',
  'NETWORK_EXCEPTION',
  'UNKNOWN',
]);
// The first failures are everyday life: a topic just made, a leader just moved.
const LOUD_ATTEMPT = 4;

type Share = {
  readonly records: readonly OutRecord[];
  readonly bytes: number;
  readonly resolve: (base: number) => void;
  readonly reject: (error: LadderlogError) => void;
};
type Batch = { readonly records: readonly OutRecord[]; readonly parts: readonly (readonly OutRecord[])[] };
/** An append that was reported as failed: in the log at `base`, or, with null, in the batch whose fate is open. */
type Remnant = { readonly records: readonly OutRecord[]; readonly base: number | null };

export type WriterSetup = {
  readonly cluster: Cluster;
  readonly topic: string;
  readonly partition: number;
  readonly retryForMs: number;
  readonly logger: Logger;
};

export type PartitionWriter = {
  /** Offsets of the records, in order. */
  append(records: readonly OutRecord[]): Promise<number[]>;
  /** The append these records belonged to failed elsewhere: should they come again, they are already here. */
  remember(records: readonly OutRecord[], offsets: readonly number[]): void;
};

export function createWriter(setup: WriterSetup): PartitionWriter {
  const { cluster, topic, partition, retryForMs, logger } = setup;
  let producer: { id: string; epoch: number } | null = null;
  let sequence = 0;
  let queue: Share[] = [];
  /** Sent, and no answer came: written or not. It goes out again, unchanged, before anything else does. */
  let open: Batch | null = null;
  /** Whether an attempt with the open batch may have been written: no answer came, or one that leaves it open. */
  let uncertain = false;
  let remnants: Remnant[] = [];
  let running = false;

  async function newProducer(): Promise<void> {
    const broker = (await cluster.findControllerBroker()) as WideBroker;
    const answer = await broker.initProducerId({ transactionTimeout: 60_000 });
    producer = { id: answer.producerId, epoch: answer.producerEpoch };
    sequence = 0;
  }

  async function produce(batch: Batch): Promise<number> {
    if (!producer) await newProducer();
    const leader = Object.keys(cluster.findLeaderForPartitions(topic, [partition]))[0];
    if (leader === undefined || leader === '-1') throw new Error(`no leader of ${topic}/${partition}`);
    const broker = await cluster.findBroker({ nodeId: leader });
    open = batch;
    const answer = (await broker.produce({
      acks: -1,
      timeout: PRODUCE_TIMEOUT_MS,
      compression: CompressionTypes.ZSTD,
      producerId: producer!.id as unknown as number,
      producerEpoch: producer!.epoch,
      topicData: [
        {
          topic,
          partitions: [{ partition, firstSequence: sequence, messages: batch.records as Message[] }],
        },
      ],
    })) as { topics: { partitions: { baseOffset: string }[] }[] };
    open = null;
    uncertain = false;
    sequence = (sequence + batch.records.length) % MAX_SEQUENCE;
    return Number(answer.topics[0]!.partitions[0]!.baseOffset);
  }

  const send = (batch: Batch): Promise<number> =>
    retrying(
      {
        doing: `appending to ${topic}/${partition}`,
        forMs: retryForMs,
        async onFailure(error, attempt) {
          const type = errorType(error);
          uncertain ||= open !== null && (type === null || UNCERTAIN.has(type));
          logger[attempt === LOUD_ATTEMPT ? 'warn' : 'debug'](
            { event: 'log.kafka.append_retry', topic, partition, attempt, type, reason: String(error) },
            'append not acknowledged, trying again',
          );
          // The broker no longer knows the producer, or knows less of it than we sent: the batch was not written.
          if (type !== null && PRODUCER_LOST.has(type)) {
            logger.warn(
              { event: 'log.kafka.producer_reset', topic, partition, type, sequence, uncertain },
              'the broker lost track of this producer, going on as a new one',
            );
            producer = null;
          }
          await reconnect(cluster, error);
        },
      },
      () => produce(batch),
    ).catch((error: unknown) => {
      // Refused for good, and no attempt before may have been written: nothing is open any more.
      if (isHopeless((error as Error).cause) && !uncertain) {
        open = null;
        remnants = remnants.filter((remnant) => remnant.base !== null);
      }
      throw error;
    });

  /** Brings the batch of unknown fate into the log, where its sequence number makes the second copy disappear. */
  async function settleOpen(batch: Batch): Promise<void> {
    const base = await send(batch);
    let at = base;
    const settled = new Map<readonly OutRecord[], number>();
    for (const part of batch.parts) {
      settled.set(part, at);
      at += part.length;
    }
    remnants = remnants.map((remnant) =>
      remnant.base === null ? { ...remnant, base: settled.get(remnant.records) ?? null } : remnant,
    );
  }

  function takeShares(): Share[] {
    let bytes = 0;
    let records = 0;
    let count = 0;
    for (const share of queue) {
      bytes += share.bytes;
      records += share.records.length;
      if (count > 0 && (bytes > MERGE_BYTES || records > MERGE_RECORDS)) break;
      count++;
    }
    return queue.splice(0, count);
  }

  async function run(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      let shares: Share[] = [];
      try {
        if (open) await settleOpen(open);
        // An append waiting here may be the repeat of one just settled: look again before it is sent.
        shares = takeShares();
        const repeated = shares.filter((share) => answerRepeat(share));
        shares = shares.filter((share) => !repeated.includes(share));
        if (shares.length === 0) continue;
        const batch = {
          records: shares.length === 1 ? shares[0]!.records : shares.flatMap((share) => share.records),
          parts: shares.map((share) => share.records),
        };
        let base = await send(batch);
        for (const share of shares) {
          share.resolve(base);
          base += share.records.length;
        }
      } catch (error) {
        // Everything that waits was waiting for this: it was never sent, and the caller decides.
        if (open) for (const share of shares) keep({ records: share.records, base: null });
        const failure = asLogError(error, `appending to ${topic}/${partition}`);
        const waiting = failure.code === 'LOG_RECORD_TOO_LARGE' ? shares : [...shares, ...queue.splice(0)];
        for (const share of waiting) share.reject(failure);
      }
    }
    running = false;
  }

  function answerRepeat(share: Share): boolean {
    const known = remnants.find(
      (remnant) => remnant.base !== null && sameRecords(remnant.records, share.records),
    );
    if (!known) return false;
    remnants = remnants.filter((remnant) => remnant !== known);
    share.resolve(known.base!);
    return true;
  }

  // A caller that does not repeat must not make us keep what it gave up.
  function keep(remnant: Remnant): void {
    remnants.push(remnant);
    if (remnants.length > MAX_REMNANTS) remnants.shift();
  }

  const enqueue = (records: readonly OutRecord[]): Promise<number> =>
    new Promise((resolve, reject) => {
      const bytes = records.reduce((sum, record) => sum + record.value.length + 64, 0);
      queue.push({ records, bytes, resolve, reject });
      if (!running) void run();
    });

  return {
    async append(records) {
      // A repeat may come with newer records behind it: its part is answered from the log, the rest appended.
      const repeated = remnants.find(
        (remnant) =>
          remnant.records.length < records.length &&
          sameRecords(remnant.records, records.slice(0, remnant.records.length)),
      );
      const parts = repeated
        ? [records.slice(0, repeated.records.length), records.slice(repeated.records.length)]
        : [records];
      const bases = await Promise.allSettled(parts.map(enqueue));
      const failed = bases.find((base) => base.status === 'rejected');
      if (failed) {
        bases.forEach((base, index) => {
          if (base.status === 'fulfilled') keep({ records: parts[index]!, base: base.value });
        });
        throw failed.reason;
      }
      return parts.flatMap((part, index) => {
        const base = (bases[index] as PromiseFulfilledResult<number>).value;
        return part.map((_, record) => base + record);
      });
    },
    remember(records, offsets) {
      keep({ records, base: offsets[0]! });
    },
  };
}

const MAX_REMNANTS = 64;

const sameRecords = (a: readonly OutRecord[], b: readonly OutRecord[]): boolean =>
  a.length === b.length &&
  a.every((record, index) => {
    const other = b[index]!;
    return record === other || (record.key === other.key && record.value.equals(other.value));
  });

/** After a failure: forget a closed connection, find the brokers that are left, and who leads now. */
export async function reconnect(cluster: Cluster, error: unknown): Promise<void> {
  const { name, host, port } = error as { name?: string; host?: string; port?: number };
  if (name === 'KafkaJSConnectionClosedError' && host !== undefined && port !== undefined)
    cluster.removeBroker({ host, port });
  if (!cluster.isConnected()) await cluster.connect();
  await cluster.refreshMetadata();
}
