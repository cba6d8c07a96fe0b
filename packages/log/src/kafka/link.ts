// What the parts of the Kafka log share: Kafka's names for topics and groups, the connections, and the end of all of them.

import type { Cluster } from 'kafkajs';
import { TOPICS } from '@ladderlog/core';
import { closed, unknownTopic } from '../errors.ts';
import type { KafkaConnection } from './client.ts';
import { connectCluster } from './client.ts';
import { reconnect } from './kafkajs-internals.ts';
import { retrying } from './retry.ts';

const MAX_IDLE_CLUSTERS = 2;

export type LinkSetup = {
  readonly connection: KafkaConnection;
  readonly prefix: string;
  /** By logical topic. */
  readonly partitionCounts: ReadonlyMap<string, number>;
  readonly retryForMs: number;
};

export class KafkaLink {
  private readonly setup: LinkSetup;
  readonly connection: KafkaConnection;
  readonly retryForMs: number;
  /** Appends and questions share its connections. */
  readonly cluster: Cluster;
  private readonly idle: Cluster[] = [];
  private readonly busy = new Set<Promise<unknown>>();
  private readonly abort = new AbortController();
  private closing: Promise<void> | null = null;

  private constructor(setup: LinkSetup, cluster: Cluster) {
    this.setup = setup;
    this.connection = setup.connection;
    this.retryForMs = setup.retryForMs;
    this.cluster = cluster;
  }

  static async open(setup: LinkSetup): Promise<KafkaLink> {
    return new KafkaLink(setup, await connect(setup));
  }

  get closed(): AbortSignal {
    return this.abort.signal;
  }

  kafkaName(topic: string): string {
    return this.setup.prefix + topic;
  }

  logicalName(kafkaName: string): string {
    return kafkaName.slice(this.setup.prefix.length);
  }

  groupId(group: string): string {
    return this.setup.prefix + group;
  }

  /** Partitions of a logical topic; LOG_UNKNOWN_TOPIC. */
  countOf(topic: string): number {
    const count = this.setup.partitionCounts.get(topic);
    if (count === undefined) throw unknownTopic(topic);
    return count;
  }

  /** A cluster for one read: a fetch that waits holds up what comes after it on a connection. */
  async borrow(signal: AbortSignal): Promise<{ readonly cluster: Cluster; giveBack(): void }> {
    const cluster = this.idle.pop() ?? (await connect(this.setup, signal));
    return {
      cluster,
      giveBack: () => {
        if (this.closing || this.idle.length >= MAX_IDLE_CLUSTERS) void cluster.disconnect().catch(() => {});
        else this.idle.push(cluster);
      },
    };
  }

  ask<T>(doing: string, question: (cluster: Cluster) => Promise<T>): Promise<T> {
    this.refuseClosed();
    const { cluster, retryForMs: forMs } = this;
    const onFailure = (error: unknown): Promise<void> => reconnect(cluster, error);
    return this.tracked(retrying({ doing, forMs, onFailure }, () => question(cluster)));
  }

  /** The end of the log waits for this promise. */
  tracked<T>(promise: Promise<T>): Promise<T> {
    this.busy.add(promise);
    const done = (): void => void this.busy.delete(promise);
    promise.then(done, done);
    return promise;
  }

  refuseClosed(): void {
    if (this.closing) throw closed();
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    this.abort.abort();
    await Promise.allSettled(this.busy);
    await Promise.allSettled([this.cluster, ...this.idle].map((cluster) => cluster.disconnect()));
  }
}

const connect = ({ connection, prefix, retryForMs }: LinkSetup, signal?: AbortSignal): Promise<Cluster> =>
  retrying({ doing: 'connecting to Kafka', forMs: retryForMs, ...(signal ? { signal } : {}) }, async () => {
    const cluster = await connectCluster(connection);
    await cluster.addMultipleTargetTopics(TOPICS.map((topic) => prefix + topic));
    return cluster;
  });
