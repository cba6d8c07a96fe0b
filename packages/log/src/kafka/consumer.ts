// A member of a consumer group. kafkajs keeps the membership and fetches; where each partition begins is ours: the offset is
// sought before the first batch is handed out, and whatever kafkajs fetched before that is dropped.

import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { Logger } from 'pino';
import { LadderlogError } from '@ladderlog/core';
import { FETCH_WAIT_MS, asLogError, connectKafka, errorType } from './client.ts';
import type { KafkaConnection } from './client.ts';
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

/** The running member, for commits under its generation. */
export type Member = {
  owns(topic: string, partition: number): boolean;
  commit(offsets: { topic: string; partition: number; offset: number }[]): Promise<void>;
  /** Ends when the signal aborts (no error), or with the first error of a callback or of the group. */
  readonly ended: Promise<void>;
};

const EXPELLED = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID']);

type Held = { start: Promise<number>; next: number | null };

export function joinGroup(setup: MemberSetup): Member {
  const { groupId, signal, sessionTimeoutMs, logger } = setup;
  // A client of its own: kafkajs shares committed offsets among the consumers of one client and trusts them for ever.
  const consumer = connectKafka(setup.connection).consumer({
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

  const held = new Map<string, Held>();
  let memberId: string | null = null;
  let lastSeen = performance.now();
  let expelled = false;
  let end: (error: LadderlogError | Error | null) => void = () => {};
  const over = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  over.catch(() => {});

  const release = (names: Iterable<string>): void => {
    for (const name of names) {
      held.delete(name);
      const { topic, partition } = parse(name);
      setup.onRevoked(topic, partition);
    }
  };

  const take = (topic: string, partition: number): void => {
    const entry: Held = { start: setup.start(topic, partition), next: null };
    held.set(nameOf(topic, partition), entry);
    entry.start.then(
      (offset) => {
        entry.next = offset;
        if (held.get(nameOf(topic, partition)) === entry) seek(consumer, topic, partition, offset);
      },
      (error: unknown) => end(error as Error),
    );
  };

  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    lastSeen = performance.now();
    expelled = false;
    const assigned = new Set(
      Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => nameOf(topic, partition)),
      ),
    );
    // Under another member id we were out of the group for a while: whatever we held, someone else had it.
    const kept = payload.memberId === memberId ? assigned : new Set<string>();
    memberId = payload.memberId;
    release([...held.keys()].filter((name) => !kept.has(name)));
    for (const name of assigned) {
      const { topic, partition } = parse(name);
      const entry = held.get(name);
      if (!entry) take(topic, partition);
      else if (entry.next !== null) seek(consumer, topic, partition, entry.next);
    }
    logger.info(
      { event: 'log.kafka.assigned', group: groupId, member: memberId, partitions: [...assigned] },
      'partitions assigned',
    );
  });
  consumer.on(consumer.events.HEARTBEAT, () => {
    lastSeen = performance.now();
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    release([...held.keys()]);
    if (!payload.restart) end(asLogError(payload.error, `consuming in ${groupId}`));
  });

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const { topic, partition } = batch;
    const name = nameOf(topic, partition);
    const entry = held.get(name);
    if (!entry || signal.aborted) return;
    const beat = setInterval(() => {
      payload.heartbeat().catch((error: unknown) => {
        // A rebalance waits for us, and a broken connection may come back in time; these are final.
        if (EXPELLED.has(errorType(error) ?? '')) expelled = true;
      });
    }, HEARTBEAT_MS / 2);
    try {
      await entry.start;
      const next = entry.next!;
      const fetchedFrom = Number((batch as unknown as { fetchedOffset: string }).fetchedOffset);
      const records = batch.messages.filter((message) => Number(message.offset) >= next);
      if (fetchedFrom > next || records.length === 0) return seek(consumer, topic, partition, next);
      const isStale = (): boolean =>
        held.get(name) !== entry || expelled || performance.now() - lastSeen > sessionTimeoutMs;
      await setup.onBatch({ topic, partition, end: Number(batch.highWatermark), records }, isStale);
      // A reader that found itself stale wrote nothing: should the partition be ours after all, the batch comes again.
      if (isStale()) return;
      entry.next = Number(batch.lastOffset()) + 1;
      payload.resolveOffset(batch.messages.at(-1)!.offset);
    } catch (error) {
      // Not resolved, not committed; consume ends with it, and kafkajs must not try the batch again.
      end(error as Error);
    } finally {
      clearInterval(beat);
    }
  }

  async function run(): Promise<void> {
    const onAbort = (): void => end(null);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) end(null);
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [...setup.topics], fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: setup.partitions,
        eachBatch,
      });
      await over;
    } catch (error) {
      throw error instanceof LadderlogError || !isKafkajs(error)
        ? error
        : asLogError(error, `consuming in ${groupId}`);
    } finally {
      signal.removeEventListener('abort', onAbort);
      await consumer.disconnect().catch(() => {});
      release([...held.keys()]);
    }
  }

  return {
    owns: (topic, partition) => held.has(nameOf(topic, partition)),
    commit: (offsets) =>
      consumer.commitOffsets(offsets.map((one) => ({ ...one, offset: String(one.offset) }))),
    ended: run(),
  };
}

const nameOf = (topic: string, partition: number): string => `${topic}/${partition}`;

function parse(name: string): { topic: string; partition: number } {
  const slash = name.lastIndexOf('/');
  return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
}

/** No effect on a consumer that is stopping. */
function seek(consumer: Consumer, topic: string, partition: number, offset: number): void {
  try {
    consumer.seek({ topic, partition, offset: String(offset) });
  } catch {
    // The group is gone; so is the wish.
  }
}

const isKafkajs = (error: unknown): boolean => error instanceof Error && error.name.startsWith('KafkaJS');
