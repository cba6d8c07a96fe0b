// Appends to one partition. Instead of kafkajs' producer, which gives a sequence number away again after a failure whose
// outcome it does not know (the next batch is then taken for a repeat and lost), and which on a retry skips the partitions
// that moved to a broker that had already answered. Here a batch keeps producer id and sequence until it is known what became
// of it, and is searched for in the log before it goes out again; one request at a time; what waits goes into the next.

import type { Cluster, Message } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { Logger } from 'pino';
import type { LadderlogError } from '@ladderlog/core';
import type { WideBroker } from './client.ts';
import { asLogError, errorType, isHopeless, reconnect } from './client.ts';
import { findBatch } from './reader.ts';
import type { OutRecord, Records } from './repeats.ts';
import { bytesOf, createRepeats } from './repeats.ts';
import { retrying } from './retry.ts';

const { CompressionTypes } = kafkajs;

export type { OutRecord } from './repeats.ts';

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
// The broker knows the producer no longer, or otherwise than we do, and did not write this attempt.
const PRODUCER_LOST = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'DUPLICATE_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
]);
// Shorter failures are everyday life: a topic just made, a leader just moved.
const LOUD_AFTER_MS = 5_000;

type Share = {
  readonly records: Records;
  readonly bytes: number;
  readonly resolve: (base: number) => void;
  readonly reject: (error: LadderlogError) => void;
};
type Batch = { readonly records: Records; readonly parts: readonly Records[] };
type Producer = {
  readonly id: string;
  readonly epoch: number;
  /** Of the next batch. */
  sequence: number;
  /** No batch of ours that is not yet acknowledged can stand before this offset. */
  floor: number;
  /** The broker refuses the producer: nothing more goes out under it. */
  lost: boolean;
};

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
  const repeats = createRepeats({ topic, partition }, logger);
  let producer: Producer | null = null;
  let queue: Share[] = [];
  /** Sent, and no answer came: written or not. It goes out again, unchanged, before anything else does. */
  let open: Batch | null = null;
  /** Whether an attempt with the open batch may have been written. */
  let uncertain = false;
  let running = false;

  async function newProducer(): Promise<Producer> {
    const ends = await cluster.fetchTopicsOffset([
      { topic, partitions: [{ partition }], fromBeginning: false },
    ]);
    const broker = (await cluster.findControllerBroker()) as WideBroker;
    const answer = await broker.initProducerId({ transactionTimeout: 60_000 });
    const floor = Number(ends[0]!.partitions[0]!.offset);
    return { id: answer.producerId, epoch: answer.producerEpoch, sequence: 0, floor, lost: false };
  }

  const leaderOf = (): string => {
    const leader = Object.keys(cluster.findLeaderForPartitions(topic, [partition]))[0];
    if (leader === undefined || leader === '-1') throw new Error(`no leader of ${topic}/${partition}`);
    return leader;
  };

  /**
   * Where an earlier attempt put the open batch, which carries the producer's id and number; null: nowhere. A broker alone
   * would not tell: it forgets a producer a day after the time of its last record, and ours may be years old, and takes
   * any number from a producer that it does not know.
   */
  async function search(from: Producer, leader: WideBroker): Promise<number | null> {
    const batch = { producerId: from.id, producerEpoch: from.epoch, firstSequence: from.sequence };
    const base = await findBatch({ cluster, leader, topic, partition, from: from.floor, batch, logger });
    logger.debug(
      { event: 'log.kafka.batch_searched', topic, partition, base },
      'searched for a batch whose answer was lost',
    );
    return base;
  }

  function settled(under: Producer, batch: Batch, base: number): number {
    open = null;
    uncertain = false;
    under.sequence = (under.sequence + batch.records.length) % MAX_SEQUENCE;
    under.floor = base + batch.records.length;
    return base;
  }

  async function produce(batch: Batch): Promise<number> {
    const leader = leaderOf();
    const broker = (await cluster.findBroker({ nodeId: leader })) as WideBroker;
    if (producer && uncertain) {
      const base = await search(producer, broker);
      if (base !== null) return settled(producer, batch, base);
      // What is not in the log of this leader may be in that of the next.
      if (leaderOf() !== leader) throw new Error(`the leader of ${topic}/${partition} moved`);
      if (producer.lost) uncertain = false;
    }
    if (!producer || producer.lost) producer = await newProducer();
    const ready = producer;
    open = batch;
    try {
      const answer = (await broker.produce({
        acks: -1,
        timeout: PRODUCE_TIMEOUT_MS,
        compression: CompressionTypes.ZSTD,
        producerId: ready.id as unknown as number,
        producerEpoch: ready.epoch,
        topicData: [
          {
            topic,
            partitions: [{ partition, firstSequence: ready.sequence, messages: batch.records as Message[] }],
          },
        ],
      })) as { topics: { partitions: { baseOffset: string }[] }[] };
      return settled(ready, batch, Number(answer.topics[0]!.partitions[0]!.baseOffset));
    } catch (error) {
      const type = errorType(error);
      if (type !== null && PRODUCER_LOST.has(type)) {
        ready.lost = true;
        logger.warn(
          { event: 'log.kafka.producer_reset', topic, partition, type, sequence: ready.sequence, uncertain },
          'the broker lost track of this producer, going on as a new one',
        );
      } else if (!isHopeless(error)) uncertain = true;
      throw error;
    }
  }

  function send(batch: Batch): Promise<number> {
    const loudAt = performance.now() + LOUD_AFTER_MS;
    let said = false;
    return retrying(
      {
        doing: `appending to ${topic}/${partition}`,
        forMs: retryForMs,
        onFailure(error, attempt) {
          const loud = !said && performance.now() >= loudAt;
          said ||= loud;
          const [type, reason] = [errorType(error), String(error)];
          logger[loud ? 'warn' : 'debug'](
            { event: 'log.kafka.append_retry', topic, partition, attempt, type, reason },
            'append not acknowledged, trying again',
          );
          return reconnect(cluster, error);
        },
      },
      () => produce(batch),
    ).catch((error: unknown) => {
      // Refused for good, and no attempt before may have been written: nothing is open any more.
      if (isHopeless((error as Error).cause) && !uncertain) {
        open = null;
        repeats.drop();
      }
      throw error;
    });
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

  function answerRepeat(share: Share): boolean {
    const base = repeats.take(share.records);
    if (base === null) return false;
    share.resolve(base);
    return true;
  }

  async function run(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      let shares: Share[] = [];
      try {
        // The batch of unknown fate comes first: its sequence number makes a second copy disappear.
        if (open) {
          const { parts } = open;
          repeats.settle(parts, await send(open));
        }
        // An append waiting here may be the repeat of one just settled: look again before it is sent.
        shares = takeShares().filter((share) => !answerRepeat(share));
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
        if (open) for (const share of shares) repeats.keep(share.records, null);
        const failure = asLogError(error, `appending to ${topic}/${partition}`);
        const waiting = failure.code === 'LOG_RECORD_TOO_LARGE' ? shares : [...shares, ...queue.splice(0)];
        for (const share of waiting) share.reject(failure);
      }
    }
    running = false;
  }

  const enqueue = (records: Records): Promise<number> =>
    new Promise((resolve, reject) => {
      queue.push({ records, bytes: bytesOf(records), resolve, reject });
      if (!running) void run();
    });

  return {
    async append(records) {
      const parts = repeats.divide(records);
      const bases = await Promise.allSettled(parts.map(enqueue));
      const failed = bases.find((base) => base.status === 'rejected');
      if (failed) {
        bases.forEach((base, index) => {
          if (base.status === 'fulfilled') repeats.keep(parts[index]!, base.value);
        });
        throw failed.reason;
      }
      return parts.flatMap((part, index) => {
        const base = (bases[index] as PromiseFulfilledResult<number>).value;
        return part.map((_, record) => base + record);
      });
    },
    remember(records, offsets) {
      // Its parts may stand apart, when some came as a repeat.
      let start = 0;
      for (let at = 1; at <= records.length; at++)
        if (at === records.length || offsets[at] !== offsets[at - 1]! + 1) {
          repeats.keep(records.slice(start, at), offsets[start]!);
          start = at;
        }
    },
  };
}
