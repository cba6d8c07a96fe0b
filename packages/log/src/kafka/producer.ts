// Sends batches to one partition, each of them written once. Used instead of kafkajs' producer, which gives a sequence number
// away again after a failure whose outcome it does not know (the next batch is then taken for a repeat and lost), and which on
// a retry skips the partitions that moved to a broker that had already answered. Here a batch keeps producer id and sequence
// until it is known what became of it, and is searched for in the log before it goes out again.

import type { Cluster, Message } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { Logger } from 'pino';
import { errorType, isPermanent } from './errors.ts';
import type { Records } from './failed-appends.ts';
import { findBatch } from './find-batch.ts';
import type { WideBroker } from './kafkajs-internals.ts';
import { leaderOf, reconnect } from './kafkajs-internals.ts';
import { retrying } from './retry.ts';

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
const WARN_AFTER_MS = 5_000;

export type Batch = { readonly records: Records; readonly parts: readonly Records[] };

type Identity = {
  readonly id: string;
  readonly epoch: number;
  /** Of the next batch. */
  sequence: number;
  /** No batch of ours that is not yet acknowledged can stand before this offset. */
  floor: number;
  /** The broker refuses the producer: nothing more goes out under it. */
  lost: boolean;
};

export type ProducerSetup = {
  readonly cluster: Cluster;
  readonly topic: string;
  readonly partition: number;
  readonly retryForMs: number;
  readonly logger: Logger;
};

export class PartitionProducer {
  private readonly setup: ProducerSetup;
  private identity: Identity | null = null;
  private sent: Batch | null = null;
  /** Whether an attempt with that batch may have been written. */
  private uncertain = false;

  constructor(setup: ProducerSetup) {
    this.setup = setup;
  }

  /** Sent, and no answer came: written or not. It must go out again, unchanged, before anything else does. */
  get unanswered(): Batch | null {
    return this.sent;
  }

  /** The offset of the batch's first record. One call at a time. */
  async send(batch: Batch): Promise<number> {
    const { cluster, topic, partition, retryForMs, logger } = this.setup;
    const warnAt = performance.now() + WARN_AFTER_MS;
    let warned = false;
    const onFailure = (error: unknown, attempt: number): Promise<void> => {
      const warn = !warned && performance.now() >= warnAt;
      warned ||= warn;
      const [type, reason] = [errorType(error), String(error)];
      logger[warn ? 'warn' : 'debug'](
        { event: 'log.kafka.append_retry', topic, partition, attempt, type, reason },
        'append not acknowledged, trying again',
      );
      return reconnect(cluster, error);
    };
    try {
      const doing = `appending to ${topic}/${partition}`;
      return await retrying({ doing, forMs: retryForMs, onFailure }, () => this.produce(batch));
    } catch (error) {
      // Refused for good, and no attempt before may have been written: nothing is unanswered any more.
      if (isPermanent((error as Error).cause) && !this.uncertain) this.sent = null;
      throw error;
    }
  }

  private async produce(batch: Batch): Promise<number> {
    const { cluster, topic, partition, logger } = this.setup;
    const leader = this.leader();
    const broker = (await cluster.findBroker({ nodeId: leader })) as WideBroker;
    if (this.identity && this.uncertain) {
      const { id: producerId, epoch: producerEpoch, sequence: firstSequence, floor } = this.identity;
      const wanted = { producerId, producerEpoch, firstSequence };
      const search = { cluster, leader: broker, topic, partition, from: floor, batch: wanted, logger };
      const base = await findBatch(search);
      if (base !== null) return this.written(this.identity, batch, base);
      // What is not in the log of this leader may be in that of the next.
      if (this.leader() !== leader) throw new Error(`the leader of ${topic}/${partition} moved`);
      if (this.identity.lost) this.uncertain = false;
    }
    if (!this.identity || this.identity.lost) this.identity = await this.newIdentity();
    const { identity } = this;
    this.sent = batch;
    try {
      return this.written(identity, batch, await this.request(broker, identity, batch.records));
    } catch (error) {
      this.note(identity, error);
      throw error;
    }
  }

  private async request(broker: WideBroker, identity: Identity, records: Records): Promise<number> {
    const { topic, partition } = this.setup;
    const messages = records as Message[];
    const answer = (await broker.produce({
      acks: -1,
      timeout: PRODUCE_TIMEOUT_MS,
      compression: kafkajs.CompressionTypes.ZSTD,
      producerId: identity.id as unknown as number,
      producerEpoch: identity.epoch,
      topicData: [{ topic, partitions: [{ partition, firstSequence: identity.sequence, messages }] }],
    })) as { topics: { partitions: { baseOffset: string }[] }[] };
    return Number(answer.topics[0]!.partitions[0]!.baseOffset);
  }

  private note(identity: Identity, error: unknown): void {
    const { topic, partition, logger } = this.setup;
    const type = errorType(error);
    if (type !== null && PRODUCER_LOST.has(type)) {
      identity.lost = true;
      const { sequence } = identity;
      logger.warn(
        {
          event: 'log.kafka.producer_reset',
          topic,
          partition,
          type,
          sequence,
          uncertain: this.uncertain,
        },
        'the broker lost track of this producer, going on as a new one',
      );
    } else if (!isPermanent(error)) this.uncertain = true;
  }

  private written(identity: Identity, { records }: Batch, base: number): number {
    this.sent = null;
    this.uncertain = false;
    identity.sequence = (identity.sequence + records.length) % MAX_SEQUENCE;
    identity.floor = base + records.length;
    return base;
  }

  private async newIdentity(): Promise<Identity> {
    const { cluster, topic, partition } = this.setup;
    const ends = await cluster.fetchTopicsOffset([
      { topic, partitions: [{ partition }], fromBeginning: false },
    ]);
    const broker = (await cluster.findControllerBroker()) as WideBroker;
    const { producerId: id, producerEpoch: epoch } = await broker.initProducerId({
      transactionTimeout: 60_000,
    });
    return { id, epoch, sequence: 0, floor: Number(ends[0]!.partitions[0]!.offset), lost: false };
  }

  private leader(): string {
    const { cluster, topic, partition } = this.setup;
    const leader = leaderOf(cluster, topic, partition);
    if (leader === null) throw new Error(`no leader of ${topic}/${partition}`);
    return leader;
  }
}
