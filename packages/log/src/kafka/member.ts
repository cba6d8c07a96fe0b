// A member of a consumer group. kafkajs keeps the membership and fetches; where each partition begins is ours: the offset is
// sought before the first batch is handed out, and whatever kafkajs fetched before that is dropped.

import type { Consumer, ConsumerCrashEvent, ConsumerGroupJoinEvent, EachBatchPayload } from 'kafkajs';
import type { Logger } from 'pino';
import { LadderlogError, partitionName } from '@ladderlog/core';
import type { KafkaConnection } from './client.ts';
import { connectKafka, FETCH_WAIT_MS } from './client.ts';
import { errorType, toLogError } from './errors.ts';
import type { FetchedBatch } from './reader.ts';

const HEARTBEAT_MS = 2_000;
// Compressed; ladders unpack to a hundred times as much.
const FETCH_PARTITION_BYTES = 64 * 1024;
const FETCH_BYTES = 256 * 1024;

export type MemberSetup = {
  readonly connection: KafkaConnection;
  readonly groupId: string;
  /** Kafka's names. */
  readonly topics: readonly string[];
  readonly partitions: number;
  readonly sessionTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Where a partition that became ours begins. */
  readonly start: (topic: string, partition: number) => Promise<number>;
  readonly onBatch: (batch: FetchedBatch, isStale: () => boolean) => Promise<void>;
  readonly onRevoked: (topic: string, partition: number) => void;
  readonly logger: Logger;
};

const EXPELLED = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID']);

/** A partition of ours; `next` is null until it is known where it begins. */
type Held = {
  readonly topic: string;
  readonly partition: number;
  readonly start: Promise<number>;
  next: number | null;
};

export class GroupMember {
  private readonly setup: MemberSetup;
  private readonly consumer: Consumer;
  private readonly held = new Map<string, Held>();
  private memberId: string | null = null;
  private lastSeen = performance.now();
  private expelled = false;
  private readonly over = Promise.withResolvers<void>();

  constructor(setup: MemberSetup) {
    this.setup = setup;
    const { groupId, sessionTimeoutMs } = setup;
    // A client of its own: kafkajs shares committed offsets among the consumers of one client and trusts them for ever.
    this.consumer = connectKafka(setup.connection).consumer({
      groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: Math.max(60_000, sessionTimeoutMs),
      heartbeatInterval: HEARTBEAT_MS,
      maxBytesPerPartition: FETCH_PARTITION_BYTES,
      maxBytes: FETCH_BYTES,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    });
    const { events } = this.consumer;
    this.consumer.on(events.GROUP_JOIN, ({ payload }) => this.onJoin(payload));
    this.consumer.on(events.HEARTBEAT, () => {
      this.lastSeen = performance.now();
    });
    this.consumer.on(events.CRASH, ({ payload }) => this.onCrash(payload));
    this.over.promise.catch(() => {});
  }

  /** Ends when the signal aborts (no error), or with the first error of a callback or of the group. */
  async run(): Promise<void> {
    const { signal, topics, partitions, groupId } = this.setup;
    const end = (): void => this.over.resolve();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [...topics], fromBeginning: true });
      await this.consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: partitions,
        eachBatch: (payload) => this.eachBatch(payload),
      });
      await this.over.promise;
    } catch (error) {
      throw isKafkajs(error) ? toLogError(error, `consuming in ${groupId}`) : error;
    } finally {
      signal.removeEventListener('abort', end);
      await this.consumer.disconnect().catch(() => {});
      this.release([...this.held.keys()]);
    }
  }

  owns(topic: string, partition: number): boolean {
    return this.held.has(partitionName({ topic, partition }));
  }

  /** Under the generation of this member. */
  commit(offsets: { topic: string; partition: number; offset: number }[]): Promise<void> {
    return this.consumer.commitOffsets(offsets.map((one) => ({ ...one, offset: String(one.offset) })));
  }

  private onJoin({ memberId, memberAssignment }: ConsumerGroupJoinEvent['payload']): void {
    this.lastSeen = performance.now();
    this.expelled = false;
    const assigned = Object.entries(memberAssignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition, name: partitionName({ topic, partition }) })),
    );
    // Under another member id we were out of the group for a while: whatever we held, someone else had it.
    const kept = new Set(memberId === this.memberId ? assigned.map(({ name }) => name) : []);
    this.memberId = memberId;
    this.release([...this.held.keys()].filter((name) => !kept.has(name)));
    for (const { topic, partition, name } of assigned) {
      const held = this.held.get(name);
      if (!held) this.take(topic, partition);
      else if (held.next !== null) this.seek(held, held.next);
    }
    this.setup.logger.info(
      {
        event: 'log.kafka.assigned',
        group: this.setup.groupId,
        member: memberId,
        partitions: assigned.map(({ name }) => name),
      },
      'partitions assigned',
    );
  }

  private onCrash({ error, restart }: ConsumerCrashEvent['payload']): void {
    this.release([...this.held.keys()]);
    if (!restart) this.over.reject(toLogError(error, `consuming in ${this.setup.groupId}`));
  }

  private take(topic: string, partition: number): void {
    const held: Held = { topic, partition, start: this.setup.start(topic, partition), next: null };
    const name = partitionName({ topic, partition });
    this.held.set(name, held);
    held.start.then(
      (offset) => {
        held.next = offset;
        if (this.held.get(name) === held) this.seek(held, offset);
      },
      (error: unknown) => this.over.reject(error),
    );
  }

  private release(names: readonly string[]): void {
    for (const name of names) {
      const { topic, partition } = this.held.get(name)!;
      this.held.delete(name);
      this.setup.onRevoked(topic, partition);
    }
  }

  private async eachBatch(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    const held = this.held.get(partitionName({ topic, partition }));
    if (!held || this.setup.signal.aborted) return;
    const beat = setInterval(() => {
      payload.heartbeat().catch((error: unknown) => {
        // A rebalance waits for us, and a broken connection may come back in time; these are final.
        if (EXPELLED.has(errorType(error) ?? '')) this.expelled = true;
      });
    }, HEARTBEAT_MS / 2);
    try {
      await held.start;
      await this.handOut(held, payload);
    } catch (error) {
      // Not resolved, not committed; consume ends with it, and kafkajs must not try the batch again.
      this.over.reject(error);
    } finally {
      clearInterval(beat);
    }
  }

  private async handOut(held: Held, { batch, resolveOffset }: EachBatchPayload): Promise<void> {
    const { topic, partition } = held;
    const next = held.next!;
    const fetchedFrom = Number((batch as unknown as { fetchedOffset: string }).fetchedOffset);
    const records = batch.messages.filter((message) => Number(message.offset) >= next);
    if (fetchedFrom > next || records.length === 0) return this.seek(held, next);
    const isStale = (): boolean =>
      this.held.get(partitionName({ topic, partition })) !== held ||
      this.expelled ||
      performance.now() - this.lastSeen > this.setup.sessionTimeoutMs;
    await this.setup.onBatch({ topic, partition, end: Number(batch.highWatermark), records }, isStale);
    // A reader that found itself stale wrote nothing: should the partition be ours after all, the batch comes again.
    if (isStale()) return;
    held.next = Number(batch.lastOffset()) + 1;
    resolveOffset(batch.messages.at(-1)!.offset);
  }

  private seek({ topic, partition }: Held, offset: number): void {
    try {
      this.consumer.seek({ topic, partition, offset: String(offset) });
    } catch {
      // The consumer is stopping: nothing is fetched any more.
    }
  }
}

const isKafkajs = (error: unknown): boolean =>
  !(error instanceof LadderlogError) && error instanceof Error && error.name.startsWith('KafkaJS');
