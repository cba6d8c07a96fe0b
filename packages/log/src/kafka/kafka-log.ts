// The event log on Kafka: the same topics, partitions and bytes as the SQLite log, under a prefix of the topic names.

import type { Logger } from 'pino';
import type { Micros, Position } from '@ladderlog/core';
import { TOPICS, toMillis } from '@ladderlog/core';
import { createCodec } from '../avro/codec.ts';
import type { Registry, RegistryAccess } from './registry.ts';
import { openRegistry } from './registry.ts';
import { outOfRange, unknownTopic } from '../errors.ts';
import type { EventLog, LogBatch, ReadRequest, TopicInfo } from '../log.ts';
import { DEFAULT_PARTITIONS, offsetOf } from '../log.ts';
import { partitionFor } from '../partitioner.ts';
import type { EventCodec } from '../record.ts';
import { KafkaAppender } from './append.ts';
import type { KafkaConnection } from './client.ts';
import { connectKafka } from './client.ts';
import { KafkaGroups } from './groups.ts';
import { KafkaLink } from './link.ts';
import { firstFrom, offsetsOf } from './offsets.ts';
import type { FetchedBatch, Span } from './reader.ts';
import { fetchSpans } from './reader.ts';
import { toLogRecord } from './records.ts';
import type { ThinTopic, TopicSetup } from './topics.ts';
import { prepareTopics } from './topics.ts';

export type KafkaLogOptions = KafkaConnection &
  RegistryAccess &
  Partial<TopicSetup> & {
    /** A group waits this long for a member that vanished without leaving. */
    readonly sessionTimeoutMs?: number;
  };

export type KafkaLog = EventLog & {
  /** Topics that had too few copies when the log was opened. */
  readonly thinTopics: readonly ThinTopic[];
};

export async function openKafkaLog(options: KafkaLogOptions): Promise<KafkaLog> {
  const { logger, prefix = 'ladderlog.', retryForMs = 30_000, sessionTimeoutMs = 20_000 } = options;
  const partitions = options.partitions ?? DEFAULT_PARTITIONS;
  const [{ partitionCounts, thin }, registry] = await Promise.all([
    prepareTopics(connectKafka(options), { ...options, prefix, partitions, retryForMs }),
    openRegistry({ ...options, retryForMs }),
  ]);
  const codec = createCodec(registry);
  const link = await KafkaLink.open({ connection: options, prefix, partitionCounts, retryForMs });
  const reader = new KafkaReader({ link, registry, codec, logger });
  const appender = new KafkaAppender(link, codec, logger);
  const toBatch = (fetched: FetchedBatch): Promise<LogBatch> => reader.toBatch(fetched);
  const groups = new KafkaGroups({ link, sessionTimeoutMs, toBatch, logger });
  return {
    kind: 'kafka',
    thinTopics: thin,
    codec,
    append: async (events) => {
      link.refuseClosed();
      return link.tracked(appender.append(events));
    },
    read: (request) => reader.read(request),
    consume: (request) => groups.consume(request),
    committed: (group, topic) => groups.committed(group, topic),
    commit: (group, positions) => groups.commit(group, positions),
    topics: () => reader.topics(),
    offsetsAt: (topic, at) => reader.offsetsAt(topic, at),
    partitionOf: (topic, key) => partitionFor(key, link.countOf(topic)),
    close: () => link.close(),
  };
}

type ReaderSetup = {
  readonly link: KafkaLink;
  readonly registry: Registry;
  readonly codec: EventCodec;
  readonly logger: Logger;
};

class KafkaReader {
  private readonly setup: ReaderSetup;

  constructor(setup: ReaderSetup) {
    this.setup = setup;
  }

  async *read(request: ReadRequest): AsyncGenerator<LogBatch> {
    const { link, logger } = this.setup;
    const { retryForMs } = link;
    link.refuseClosed();
    const signal = request.signal ? AbortSignal.any([request.signal, link.closed]) : link.closed;
    if (signal.aborted) return;
    const spans = await this.spansOf(request);
    const { cluster, giveBack } = await link.borrow(signal);
    for await (const fetched of fetchSpans({ cluster, spans, signal, retryForMs, logger, onIdle: giveBack }))
      yield await this.toBatch(fetched);
  }

  async toBatch({ topic, partition, end, records }: FetchedBatch): Promise<LogBatch> {
    const { link, registry, codec } = this.setup;
    await registry.learn(records.flatMap((record) => record.value ?? []));
    return {
      topic: link.logicalName(topic),
      partition,
      end,
      records: records.map((record) => toLogRecord(record, codec)),
    };
  }

  private async spansOf({ from, to, follow, times }: ReadRequest): Promise<Span[]> {
    const { link } = this.setup;
    for (const { topic, partition } of from)
      if (partition >= link.countOf(topic)) throw unknownTopic(topic, partition);
    const topics = [...new Set(from.map((position) => position.topic))];
    const offsets = await offsetsOf(link, topics);
    const earliest = new Map<string, number[]>();
    if (times)
      for (const topic of topics) earliest.set(topic, await firstFrom(link, topic, toMillis(times.from)));
    return from.map((position) => {
      const { topic, partition, offset } = position;
      const { begin, end } = offsets.get(topic)![partition]!;
      if (offset < begin || offset > end) throw outOfRange(position, begin, end);
      const stop = follow ? null : Math.min(offsetOf(to, position) ?? end, end);
      const next = Math.max(offset, earliest.get(topic)?.[partition] ?? 0);
      return { topic: link.kafkaName(topic), partition, next, stop };
    });
  }

  async offsetsAt(topic: string, at: Micros): Promise<number[]> {
    const { link } = this.setup;
    // Kafka's index is by millisecond, and may pass over equal ones: one earlier is certainly not too late, one later
    // certainly late enough, and the few records between are looked at.
    const ms = toMillis(at);
    const [lowest, highest] = [await firstFrom(link, topic, ms - 1), await firstFrom(link, topic, ms + 1)];
    const found = [...highest];
    const range = (offsets: readonly number[]): Position[] =>
      offsets.flatMap((offset, partition) =>
        lowest[partition]! < highest[partition]! ? [{ topic, partition, offset }] : [],
      );
    const from = range(lowest);
    if (from.length === 0) return found;
    for await (const batch of this.read({ from, to: range(highest) })) {
      const first = batch.records.find((record) => record.time >= at);
      if (first) found[batch.partition] = Math.min(found[batch.partition]!, first.offset);
    }
    return found;
  }

  async topics(): Promise<TopicInfo[]> {
    const offsets = await offsetsOf(this.setup.link, TOPICS);
    return TOPICS.map((topic) => ({
      topic,
      partitions: offsets.get(topic)!.map((range, partition) => ({ partition, ...range })),
    }));
  }
}
