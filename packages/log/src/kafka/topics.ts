// The topics of the log on a cluster: made if absent, with settings without which the log's promises would not hold.

import type { Admin, ITopicConfig, Kafka } from 'kafkajs';
import type { Logger } from 'pino';
import { TOPICS } from '@ladderlog/core';
import { errorType } from './errors.ts';
import { retrying } from './retry.ts';
import { MAX_MESSAGE_BYTES } from './writer.ts';

export type TopicSetup = {
  /** Before the names of topics and groups. */
  readonly prefix: string;
  /** Of topics that do not exist yet. */
  readonly partitions: number;
  /** Copies of each partition; default: three, or as many as there are brokers. Of new topics. */
  readonly replication?: number;
  /** Milliseconds to keep records, by topic; a topic not named keeps them for ever. Of new topics. */
  readonly retention?: Readonly<Record<string, number>>;
  /** How long an operation is tried again before it fails with LOG_UNAVAILABLE. */
  readonly retryForMs: number;
  readonly logger: Logger;
};

const USUAL_REPLICATION = 3;
const FOR_EVER = '-1';

function settingsOf(replication: number, retentionMs: number | undefined): ITopicConfig['configEntries'] {
  const settings: Record<string, string> = {
    'cleanup.policy': 'delete',
    'retention.ms': retentionMs === undefined ? FOR_EVER : String(retentionMs),
    'retention.bytes': FOR_EVER,
    'max.message.bytes': String(MAX_MESSAGE_BYTES),
    'compression.type': 'producer',
    // The time of a record is when it was observed: an import is years old, and a clock may have run ahead.
    'message.timestamp.type': 'CreateTime',
    'message.timestamp.before.max.ms': '9223372036854775807',
    'message.timestamp.after.max.ms': '9223372036854775807',
    // Acknowledged means durable: on two copies or, where there is one only, on its disk.
    'min.insync.replicas': replication >= USUAL_REPLICATION ? '2' : '1',
    ...(replication === 1 ? { 'flush.messages': '1' } : {}),
  };
  return Object.entries(settings).map(([name, value]) => ({ name, value }));
}

/** A topic of which a partition has fewer copies than it should have. */
export type ThinTopic = { readonly topic: string; readonly copies: number; readonly wanted: number };

type Described = {
  readonly name: string;
  readonly partitions: readonly { readonly replicas: readonly number[] }[];
};

export function thinTopics(
  topics: readonly Described[],
  brokers: number,
  wanted = Math.min(USUAL_REPLICATION, brokers),
): ThinTopic[] {
  return topics
    .map(({ name, partitions }) => ({
      topic: name,
      copies: Math.min(...partitions.map(({ replicas }) => replicas.length)),
      wanted,
    }))
    .filter(({ copies }) => copies < wanted);
}

export type PreparedTopics = {
  /** By logical topic. */
  readonly partitionCounts: Map<string, number>;
  readonly thin: readonly ThinTopic[];
};

/** Makes what is missing. */
export async function prepareTopics(kafka: Kafka, setup: TopicSetup): Promise<PreparedTopics> {
  const admin = kafka.admin();
  const attempt = <T>(doing: string, call: () => Promise<T>): Promise<T> =>
    retrying({ doing, forMs: setup.retryForMs }, call);
  try {
    await attempt('connecting to Kafka', () => admin.connect());
    const { brokers } = await attempt('describing the cluster', () => admin.describeCluster());
    const existing = new Set(await attempt('listing topics', () => admin.listTopics()));
    const missing = TOPICS.filter((topic) => !existing.has(setup.prefix + topic));
    if (missing.length > 0) {
      const replication = setup.replication ?? Math.min(USUAL_REPLICATION, brokers.length);
      const topics = missing.map((topic) => ({
        topic: setup.prefix + topic,
        numPartitions: setup.partitions,
        replicationFactor: replication,
        configEntries: settingsOf(replication, setup.retention?.[topic]) ?? [],
      }));
      await attempt('creating topics', () => createTopics(admin, topics));
      setup.logger.info(
        { event: 'log.kafka.topics_created', topics: topics.map(({ topic }) => topic), replication },
        'topics created',
      );
    }
    return await attempt('reading topic metadata', async () => {
      const { topics } = await admin.fetchTopicMetadata({
        topics: TOPICS.map((topic) => setup.prefix + topic),
      });
      for (const topic of topics)
        if (topic.partitions.some((partition) => partition.leader < 0))
          throw new Error(`${topic.name} has a partition without a leader`);
      const thin = thinTopics(topics, brokers.length, setup.replication);
      if (thin.length > 0)
        setup.logger.warn(
          { event: 'log.kafka.few_copies', topics: thin, brokers: brokers.length },
          `${thin.length} topics have fewer copies than ${thin[0]!.wanted}: a lost broker may lose events`,
        );
      return {
        partitionCounts: new Map(
          topics.map(({ name, partitions }) => [name.slice(setup.prefix.length), partitions.length]),
        ),
        thin,
      };
    });
  } finally {
    await admin.disconnect().catch(() => {});
  }
}

/** Two processes may start at once: a topic that the other one made is not an error. */
async function createTopics(admin: Admin, topics: ITopicConfig[]): Promise<void> {
  try {
    await admin.createTopics({ topics, waitForLeaders: true, timeout: 15_000 });
  } catch (error) {
    const parts = (error as { errors?: Error[] }).errors ?? [error];
    const bad = parts.find((part) => errorType(part) !== 'TOPIC_ALREADY_EXISTS');
    if (bad) throw bad;
  }
}
