// What the parts of the Kafka log share: Kafka's names for topics and groups, the connections, and the end of all of them.

import type { Cluster } from 'kafkajs';
import { LadderlogError, TOPICS } from '@ladderlog/core';
import type { KafkaConnection, OpenCluster } from './client.ts';
import { connectKafka, openCluster, reconnect } from './client.ts';
import { retrying } from './retry.ts';

const MAX_IDLE_CLUSTERS = 2;

export type LinkSetup = {
  readonly connection: KafkaConnection;
  readonly prefix: string;
  /** By logical topic. */
  readonly partitionCounts: ReadonlyMap<string, number>;
  readonly retryForMs: number;
};

export type KafkaLink = {
  readonly connection: KafkaConnection;
  readonly retryForMs: number;
  kafkaName(topic: string): string;
  logicalName(kafkaName: string): string;
  groupId(group: string): string;
  /** Partitions of a logical topic; LOG_UNKNOWN_TOPIC. */
  countOf(topic: string): number;
  /** Appends and questions share its connections. */
  readonly cluster: Cluster;
  /** A cluster for one read: a fetch that waits holds up what comes after it on a connection. */
  borrow(signal: AbortSignal): Promise<{ readonly cluster: Cluster; giveBack(): void }>;
  ask<T>(doing: string, question: (cluster: Cluster) => Promise<T>): Promise<T>;
  /** The end of the log waits for this promise. */
  tracked<T>(promise: Promise<T>): Promise<T>;
  refuseClosed(): void;
  readonly closed: AbortSignal;
  close(): Promise<void>;
};

export async function openLink(setup: LinkSetup): Promise<KafkaLink> {
  const { connection, prefix, partitionCounts, retryForMs } = setup;
  const kafka = connectKafka(connection);
  const kafkaName = (topic: string): string => prefix + topic;

  const connectCluster = async (): Promise<OpenCluster> => {
    const opened = await openCluster(kafka);
    await opened.cluster.addMultipleTargetTopics(TOPICS.map(kafkaName));
    return opened;
  };
  const main = await retrying({ doing: 'connecting to Kafka', forMs: retryForMs }, connectCluster);
  const idle: OpenCluster[] = [];

  let closing: Promise<void> | null = null;
  const closed = new AbortController();
  const busy = new Set<Promise<unknown>>();

  const refuseClosed = (): void => {
    if (closing) throw new LadderlogError('LOG_CLOSED', 'the log is closed');
  };

  function tracked<T>(promise: Promise<T>): Promise<T> {
    busy.add(promise);
    const done = (): void => void busy.delete(promise);
    promise.then(done, done);
    return promise;
  }

  async function close(): Promise<void> {
    closed.abort();
    await Promise.allSettled(busy);
    await Promise.allSettled([main, ...idle].map((opened) => opened.close()));
  }

  return {
    connection,
    retryForMs,
    kafkaName,
    logicalName: (topic) => topic.slice(prefix.length),
    groupId: (group) => prefix + group,
    countOf: (topic) => {
      const count = partitionCounts.get(topic);
      if (count === undefined)
        throw new LadderlogError('LOG_UNKNOWN_TOPIC', `no topic "${topic}"`, { details: { topic } });
      return count;
    },
    cluster: main.cluster,
    borrow: async (signal) => {
      const opened =
        idle.pop() ??
        (await retrying({ doing: 'connecting to Kafka', forMs: retryForMs, signal }, connectCluster));
      return {
        cluster: opened.cluster,
        giveBack: () => {
          if (closing || idle.length >= MAX_IDLE_CLUSTERS) void opened.close().catch(() => {});
          else idle.push(opened);
        },
      };
    },
    ask: (doing, question) => {
      refuseClosed();
      return tracked(
        retrying({ doing, forMs: retryForMs, onFailure: (error) => reconnect(main.cluster, error) }, () =>
          question(main.cluster),
        ),
      );
    },
    tracked,
    refuseClosed,
    closed: closed.signal,
    close: () => (closing ??= close()),
  };
}
