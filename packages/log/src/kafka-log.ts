// The event log on Kafka: the same topics, partitions and bytes as the SQLite log, under a prefix of the topic names.

import type { Cluster, SASLOptions } from 'kafkajs';
import type { Logger } from 'pino';
import type { LadderEvent, Micros, Position } from '@ladderlog/core';
import { LadderlogError, TOPICS, keyOf, timeOf, toMillis, topicOf } from '@ladderlog/core';
import { createCodec } from './codec.ts';
import type { KafkaTls, OpenCluster } from './kafka-client.ts';
import { asLogError, connectKafka, errorType, openCluster, reconnect } from './kafka-client.ts';
import type { Member } from './kafka-consumer.ts';
import { joinGroup } from './kafka-consumer.ts';
import type { FetchedBatch, Span } from './kafka-reader.ts';
import { fetchSpans } from './kafka-reader.ts';
import { toLogRecord } from './kafka-records.ts';
import { retrying } from './kafka-retry.ts';
import type { Offsets } from './kafka-topics.ts';
import { offsetsOf, prepareTopics } from './kafka-topics.ts';
import type { OutRecord, PartitionWriter } from './kafka-writer.ts';
import { MAX_SHARE_BYTES, MAX_SHARE_RECORDS, createWriter } from './kafka-writer.ts';
import type { ConsumeRequest, EventLog, LogBatch, ReadRequest, TopicInfo } from './log.ts';
import { DEFAULT_PARTITIONS, MAX_RECORD_BYTES } from './log.ts';
import { partitionFor } from './partitioner.ts';
import { openRegistry } from './registry.ts';

export type KafkaLogOptions = {
  readonly brokers: readonly string[];
  /** Confluent API of the schema registry. */
  readonly registryUrl: string;
  readonly registryAuth?: { readonly username: string; readonly password: string };
  readonly logger: Logger;
  /** Before the names of topics and groups. */
  readonly prefix?: string;
  /** Of topics that do not exist yet. */
  readonly partitions?: number;
  readonly replication?: number;
  /** Milliseconds to keep, by logical topic, of topics that do not exist yet; otherwise for ever. */
  readonly retention?: Readonly<Record<string, number>>;
  readonly ssl?: boolean | KafkaTls;
  readonly sasl?: SASLOptions;
  readonly clientId?: string;
  /** How long an operation is tried again before it fails with LOG_UNAVAILABLE. */
  readonly retryForMs?: number;
  /** A group waits this long for a member that vanished without leaving. */
  readonly sessionTimeoutMs?: number;
};

export async function openKafkaLog(options: KafkaLogOptions): Promise<EventLog> {
  const { logger, prefix = 'ladderlog.', retryForMs = 30_000, sessionTimeoutMs = 20_000 } = options;
  const connection = {
    brokers: options.brokers,
    clientId: options.clientId ?? 'ladderlog',
    logger,
    ...(options.ssl === undefined ? {} : { ssl: options.ssl }),
    ...(options.sasl === undefined ? {} : { sasl: options.sasl }),
  };
  const kafka = connectKafka(connection);
  const [partitionCounts, registry] = await Promise.all([
    prepareTopics(kafka, {
      prefix,
      partitions: options.partitions ?? DEFAULT_PARTITIONS,
      retryForMs,
      logger,
      ...(options.replication === undefined ? {} : { replication: options.replication }),
      ...(options.retention === undefined ? {} : { retention: options.retention }),
    }),
    openRegistry({
      url: options.registryUrl,
      retryForMs,
      logger,
      ...(options.registryAuth === undefined ? {} : { auth: options.registryAuth }),
    }),
  ]);
  const codec = createCodec(registry);

  const kafkaName = (topic: string): string => prefix + topic;
  const logicalName = (topic: string): string => topic.slice(prefix.length);
  const groupName = (group: string): string => prefix + group;
  const kafkaTopics = new Map(TOPICS.map((topic) => [kafkaName(topic), countOf(topic)]));

  function countOf(topic: string): number {
    const count = partitionCounts.get(topic);
    if (count === undefined)
      throw new LadderlogError('LOG_UNKNOWN_TOPIC', `no topic "${topic}"`, { details: { topic } });
    return count;
  }

  const connectCluster = async (): Promise<OpenCluster> => {
    const opened = await openCluster(kafka);
    await opened.cluster.addMultipleTargetTopics([...kafkaTopics.keys()]);
    return opened;
  };
  // Appends and questions share connections; a read has its own, since a fetch that waits holds up what comes after it.
  const main = await retrying({ doing: 'connecting to Kafka', forMs: retryForMs }, connectCluster);
  const idle: OpenCluster[] = [];

  let closing: Promise<void> | null = null;
  const closed = new AbortController();
  const busy = new Set<Promise<unknown>>();
  const members = new Map<string, Set<Member>>();
  const writers = new Map<string, PartitionWriter>();

  const refuseClosed = (): void => {
    if (closing) throw new LadderlogError('LOG_CLOSED', 'the log is closed');
  };

  function tracked<T>(promise: Promise<T>): Promise<T> {
    busy.add(promise);
    const done = (): void => void busy.delete(promise);
    promise.then(done, done);
    return promise;
  }

  const ask = <T>(doing: string, question: (cluster: Cluster) => Promise<T>): Promise<T> => {
    refuseClosed();
    return tracked(
      retrying({ doing, forMs: retryForMs, onFailure: (error) => reconnect(main.cluster, error) }, () =>
        question(main.cluster),
      ),
    );
  };

  // --- append

  const writerOf = (topic: string, partition: number): PartitionWriter => {
    const name = `${topic}/${partition}`;
    let writer = writers.get(name);
    if (!writer) {
      writer = createWriter({
        cluster: main.cluster,
        topic: kafkaName(topic),
        partition,
        retryForMs,
        logger,
      });
      writers.set(name, writer);
    }
    return writer;
  };

  type Share = { topic: string; partition: number; records: OutRecord[]; at: number[]; bytes: number };

  function divide(events: readonly LadderEvent[]): Share[] {
    const shares = new Map<string, Share>();
    events.forEach((event, index) => {
      const [topic, key] = [topicOf(event), keyOf(event)];
      const partition = partitionFor(key, countOf(topic));
      const encoded = codec.encode(event);
      if (encoded.length > MAX_RECORD_BYTES)
        throw new LadderlogError(
          'LOG_RECORD_TOO_LARGE',
          `${event.type} of ${encoded.length} bytes; the largest record is ${MAX_RECORD_BYTES}`,
          { details: { type: event.type, bytes: encoded.length } },
        );
      const name = `${topic}/${partition}`;
      let share = shares.get(name);
      if (!share) shares.set(name, (share = { topic, partition, records: [], at: [], bytes: 0 }));
      const value = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
      share.records.push({ key, value, timestamp: String(toMillis(timeOf(event))) });
      share.at.push(index);
      share.bytes += encoded.length;
    });
    for (const { topic, partition, records, bytes } of shares.values())
      if (bytes > MAX_SHARE_BYTES || records.length > MAX_SHARE_RECORDS)
        throw new LadderlogError(
          'LOG_RECORD_TOO_LARGE',
          `${records.length} records of ${bytes} bytes for ${topic}/${partition} in one append: ` +
            `at most ${MAX_SHARE_RECORDS} and ${MAX_SHARE_BYTES} can be written whole`,
          { details: { topic, partition, records: records.length, bytes } },
        );
    return [...shares.values()];
  }

  async function append(events: readonly LadderEvent[]): Promise<Position[]> {
    const shares = divide(events);
    const answers = await Promise.allSettled(
      shares.map((share) => writerOf(share.topic, share.partition).append(share.records)),
    );
    const failed = answers.find((answer) => answer.status === 'rejected');
    const positions: Position[] = [];
    positions.length = events.length;
    shares.forEach(({ topic, partition, records, at }, index) => {
      const answer = answers[index]!;
      if (answer.status === 'rejected') return;
      if (failed) return writerOf(topic, partition).remember(records, answer.value);
      answer.value.forEach((offset, record) => {
        positions[at[record]!] = { topic, partition, offset };
      });
    });
    if (failed) throw failed.reason;
    return positions;
  }

  // --- read

  const allOffsets = (topics: readonly string[]): Promise<Map<string, Offsets[]>> =>
    ask('listing offsets', (cluster) =>
      offsetsOf(cluster, new Map(topics.map((topic) => [kafkaName(topic), countOf(topic)]))),
    );

  async function toBatch(fetched: FetchedBatch): Promise<LogBatch> {
    await registry.learn(fetched.records.flatMap((record) => record.value ?? []));
    return {
      topic: logicalName(fetched.topic),
      partition: fetched.partition,
      end: fetched.end,
      records: fetched.records.map((record) => toLogRecord(record, codec)),
    };
  }

  async function spansOf({ from, to, follow, times }: ReadRequest): Promise<Span[]> {
    for (const { topic, partition } of from)
      if (partition >= countOf(topic))
        throw new LadderlogError('LOG_UNKNOWN_TOPIC', `no partition ${partition} of "${topic}"`);
    const topics = [...new Set(from.map((position) => position.topic))];
    const offsets = await allOffsets(topics);
    const earliest = new Map<string, number[]>();
    if (times) for (const topic of topics) earliest.set(topic, await firstFrom(topic, toMillis(times.from)));
    return from.map(({ topic, partition, offset }) => {
      const { begin, end } = offsets.get(kafkaName(topic))![partition]!;
      if (offset < begin || offset > end)
        throw new LadderlogError(
          'LOG_OFFSET_OUT_OF_RANGE',
          `${topic}/${partition} has ${begin} to ${end}, not ${offset}`,
          { details: { topic, partition, offset, begin, end } },
        );
      const asked = to?.find((one) => one.topic === topic && one.partition === partition)?.offset;
      const stop = follow ? null : Math.min(asked ?? end, end);
      const next = Math.max(offset, earliest.get(topic)?.[partition] ?? 0);
      return { topic: kafkaName(topic), partition, next, stop };
    });
  }

  async function* read(request: ReadRequest): AsyncGenerator<LogBatch> {
    refuseClosed();
    const signal = request.signal ? AbortSignal.any([request.signal, closed.signal]) : closed.signal;
    if (signal.aborted) return;
    const spans = await spansOf(request);
    const opened =
      idle.pop() ??
      (await retrying({ doing: 'connecting to Kafka', forMs: retryForMs, signal }, connectCluster));
    const onIdle = (): void => {
      if (closing || idle.length >= MAX_IDLE_CLUSTERS) void opened.close().catch(() => {});
      else idle.push(opened);
    };
    const { cluster } = opened;
    for await (const fetched of fetchSpans({ cluster, spans, signal, retryForMs, logger, onIdle }))
      yield await toBatch(fetched);
  }

  // --- times

  /** Per partition, the first offset whose millisecond is `ms` or later; the end when there is none. */
  async function firstFrom(topic: string, ms: number): Promise<number[]> {
    const count = countOf(topic);
    const [answers, offsets] = await Promise.all([
      ask(`finding offsets of ${topic}`, (cluster) =>
        cluster.fetchTopicsOffset([
          {
            topic: kafkaName(topic),
            partitions: Array.from({ length: count }, (_, partition) => ({ partition })),
            fromTimestamp: Math.max(0, ms),
          },
        ]),
      ),
      allOffsets([topic]),
    ]);
    return offsets.get(kafkaName(topic))!.map(({ end }, partition) => {
      const found = Number(answers[0]!.partitions.find((one) => one.partition === partition)!.offset);
      return found < 0 ? end : found;
    });
  }

  async function offsetsAt(topic: string, at: Micros): Promise<number[]> {
    // Kafka's index is by millisecond, and may pass over equal ones: one earlier is certainly not too late, one later
    // certainly late enough, and the few records between are looked at.
    const ms = toMillis(at);
    const [lowest, highest] = [await firstFrom(topic, ms - 1), await firstFrom(topic, ms + 1)];
    const found = [...highest];
    const range = (offsets: readonly number[]): Position[] =>
      offsets.flatMap((offset, partition) =>
        lowest[partition]! < highest[partition]! ? [{ topic, partition, offset }] : [],
      );
    const from = range(lowest);
    if (from.length === 0) return found;
    for await (const batch of read({ from, to: range(highest) })) {
      const first = batch.records.find((record) => record.time >= at);
      if (first) found[batch.partition] = Math.min(found[batch.partition]!, first.offset);
    }
    return found;
  }

  // --- groups

  const committed = async (group: string, topic: string): Promise<(number | null)[]> => {
    const partitions = Array.from({ length: countOf(topic) }, (_, partition) => ({
      partition,
      offset: '-1',
    }));
    const answer = await ask(`reading the offsets of ${group}`, async (cluster) => {
      const coordinator = await cluster.findGroupCoordinator({ groupId: groupName(group) });
      return coordinator.offsetFetch({
        groupId: groupName(group),
        topics: [{ topic: kafkaName(topic), partitions }],
      });
    });
    return partitions.map(({ partition }) => {
      const offset = Number(
        answer.responses[0]!.partitions.find((one) => one.partition === partition)!.offset,
      );
      return offset < 0 ? null : offset;
    });
  };

  async function commit(group: string, positions: readonly Position[]): Promise<void> {
    for (const { topic } of positions) countOf(topic);
    const rest = new Set(positions);
    for (const member of members.get(group) ?? []) {
      const own = [...rest].filter(({ topic, partition }) => member.owns(kafkaName(topic), partition));
      if (own.length === 0) continue;
      own.forEach((position) => rest.delete(position));
      try {
        await member.commit(own.map((position) => ({ ...position, topic: kafkaName(position.topic) })));
      } catch (error) {
        throw asLogError(error, `committing in ${group}`);
      }
    }
    if (rest.size === 0) return;
    await ask(`committing in ${group}`, async (cluster) => {
      const coordinator = await cluster.findGroupCoordinator({ groupId: groupName(group) });
      try {
        await coordinator.offsetCommit({
          groupId: groupName(group),
          groupGenerationId: -1,
          memberId: '',
          topics: [...Map.groupBy(rest, (position) => position.topic)].map(([topic, list]) => ({
            topic: kafkaName(topic),
            partitions: list.map(({ partition, offset }) => ({ partition, offset: String(offset) })),
          })),
        });
      } catch (error) {
        // Kafka takes commits from outside only while a group has no members.
        if (errorType(error) === 'UNKNOWN_MEMBER_ID')
          throw new LadderlogError('LOG_UNAVAILABLE', `${group} has members, and they alone may commit now`, {
            retryable: true,
            cause: error,
          });
        throw error;
      }
    });
  }

  async function startOf(request: ConsumeRequest, topic: string, partition: number): Promise<number> {
    const [wanted, offsets] = await Promise.all([request.onAssigned(topic, partition), allOffsets([topic])]);
    const { begin, end } = offsets.get(kafkaName(topic))![partition]!;
    const offset = wanted ?? (await committed(request.group, topic))[partition] ?? begin;
    if (offset > end)
      throw new LadderlogError(
        'LOG_OFFSET_OUT_OF_RANGE',
        `${topic}/${partition} ends at ${end}, before ${offset}`,
        { details: { topic, partition, offset, begin, end } },
      );
    if (offset < begin)
      logger.warn(
        { event: 'log.kafka.retention_passed', group: request.group, topic, partition, offset, begin },
        'records were removed before they were consumed',
      );
    return Math.max(offset, begin);
  }

  async function consume(request: ConsumeRequest): Promise<void> {
    refuseClosed();
    const counts = request.topics.map(countOf);
    const member = joinGroup({
      connection,
      groupId: groupName(request.group),
      topics: request.topics.map(kafkaName),
      partitions: counts.reduce((sum, count) => sum + count, 0),
      sessionTimeoutMs,
      signal: AbortSignal.any([request.signal, closed.signal]),
      start: (topic, partition) => startOf(request, logicalName(topic), partition),
      onBatch: async (fetched, isStale) => request.onBatch(await toBatch(fetched), { isStale }),
      onRevoked: (topic, partition) => request.onRevoked?.(logicalName(topic), partition),
      logger,
    });
    const group = members.get(request.group) ?? new Set();
    members.set(request.group, group.add(member));
    try {
      await tracked(member.ended);
    } finally {
      group.delete(member);
    }
  }

  async function topics(): Promise<TopicInfo[]> {
    const offsets = await allOffsets(TOPICS);
    return TOPICS.map((topic) => ({
      topic,
      partitions: offsets.get(kafkaName(topic))!.map((range, partition) => ({ partition, ...range })),
    }));
  }

  async function close(): Promise<void> {
    closed.abort();
    await Promise.allSettled(busy);
    await Promise.allSettled([main, ...idle].map((opened) => opened.close()));
  }

  return {
    kind: 'kafka',
    codec,
    append: async (events) => {
      refuseClosed();
      return tracked(append(events));
    },
    read,
    consume,
    committed,
    commit,
    topics,
    offsetsAt,
    partitionOf: (topic, key) => partitionFor(key, countOf(topic)),
    close: () => (closing ??= close()),
  };
}

const MAX_IDLE_CLUSTERS = 2;
