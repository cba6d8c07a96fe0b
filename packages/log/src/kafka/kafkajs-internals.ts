// The one place that uses what kafkajs does not export. Its consumer reads only as a member of a group, and its producer gives
// sequence numbers away again after a failure whose outcome it does not know. The log needs to read from given offsets and to
// produce under numbers of its own: that takes kafkajs' cluster and broker objects. kafkajs-internals.test.ts fails when another
// version of kafkajs has them otherwise.

import { createRequire } from 'node:module';
import type { Broker, Cluster, ISocketFactory, KafkaConfig, Logger } from 'kafkajs';
import kafkajs from 'kafkajs';

const require = createRequire(import.meta.url);

type ClusterConfig = KafkaConfig & {
  readonly logger: Logger;
  readonly socketFactory: ISocketFactory;
  readonly metadataMaxAge: number;
  readonly allowAutoTopicCreation: boolean;
  readonly enforceRequestTimeout: boolean;
  readonly isolationLevel: number;
};
type RequestQueue = { readonly pending: readonly unknown[]; scheduleCheckPendingRequests(): void };

const KafkajsCluster = require('kafkajs/src/cluster/index.js') as new (config: ClusterConfig) => Cluster;
const createSocketFactory = require('kafkajs/src/network/socketFactory.js') as () => ISocketFactory;
const { prototype: requestQueue } = require('kafkajs/src/network/requestQueue/index.js') as {
  readonly prototype: RequestQueue;
};

// kafkajs looks for waiting requests by a timer, also when none waits, and then sets the timer in the past: it fires every
// millisecond on every connection, and Node 24 warns of it. Without a waiting request there is nothing to look for.
const { scheduleCheckPendingRequests } = requestQueue;
requestQueue.scheduleCheckPendingRequests = function schedule(this: RequestQueue): void {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
};

export const READ_COMMITTED = 1;

/** A cluster object with connections of its own. Whoever opens it disconnects it. */
export async function openCluster(config: KafkaConfig): Promise<Cluster> {
  const cluster = new KafkajsCluster({
    ...config,
    logger: new kafkajs.Kafka(config).logger(),
    socketFactory: createSocketFactory(),
    metadataMaxAge: 60_000,
    allowAutoTopicCreation: false,
    enforceRequestTimeout: true,
    isolationLevel: READ_COMMITTED,
  });
  await cluster.connect();
  return cluster;
}

/** After a failure: forget a closed connection, find the brokers that are left, and who leads now. */
export async function reconnect(cluster: Cluster, error: unknown): Promise<void> {
  const { name, host, port } = error as { name?: string; host?: string; port?: number };
  if (name === 'KafkaJSConnectionClosedError' && host !== undefined && port !== undefined)
    cluster.removeBroker({ host, port });
  if (!cluster.isConnected()) await cluster.connect();
  await cluster.refreshMetadata();
}

/** The number of the broker that leads a partition; null when nobody is known to. */
export function leaderOf(cluster: Cluster, topic: string, partition: number): string | null {
  const leader = Object.keys(cluster.findLeaderForPartitions(topic, [partition]))[0];
  return leader === undefined || leader === '-1' ? null : leader;
}

/** What kafkajs' own types leave out of its broker. */
export type WideBroker = Broker & {
  initProducerId(request: { transactionTimeout: number }): Promise<{
    producerId: string;
    producerEpoch: number;
  }>;
  listOffsets(request: {
    replicaId: number;
    isolationLevel: number;
    topics: { topic: string; partitions: { partition: number; timestamp: number }[] }[];
  }): Promise<{ responses: { partitions: { offset: string }[] }[] }>;
};

export type FetchedRecord = {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly isControlRecord?: boolean;
  /** Of the stored batch that the record came in; absent in the formats before 0.11. */
  readonly batchContext?: {
    readonly producerId: string;
    readonly producerEpoch: number;
    readonly firstSequence: number;
  };
};

export type FetchAnswer = {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly highWatermark: string;
      readonly messages: readonly FetchedRecord[];
    }[];
  }[];
};
