// What the log uses of kafkajs without kafkajs promising it. Should one of these fail after an upgrade, read
// src/kafka/kafkajs-internals.ts and then kafkajs' cluster and broker.

import { createRequire } from 'node:module';
import type { Cluster } from 'kafkajs';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectCluster } from '../../src/kafka/client.ts';
import type { WideBroker } from '../../src/kafka/kafkajs-internals.ts';

const require = createRequire(import.meta.url);

type Queue = {
  pending: unknown[];
  throttleCheckTimeoutId: unknown;
  scheduleCheckPendingRequests(): void;
  destroy(): void;
};
const RequestQueue = require('kafkajs/src/network/requestQueue/index.js') as new (options: object) => Queue;
const KafkajsCluster = require('kafkajs/src/cluster/index.js') as { prototype: Cluster };
const KafkajsBroker = require('kafkajs/src/broker/index.js') as { prototype: WideBroker };

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const newQueue = (): Queue =>
  new RequestQueue({ clientId: 'x', broker: 'y', requestTimeout: 1_000, logger: silent });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a request queue sets a timer while a request waits, and only then', () => {
  const queue = newQueue();
  queue.scheduleCheckPendingRequests();
  expect(vi.getTimerCount()).toBe(0);
  queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  expect(vi.getTimerCount()).toBe(1);
});

test('the cluster and its brokers have what the log calls', () => {
  const cluster = [
    'connect',
    'disconnect',
    'isConnected',
    'removeBroker',
    'refreshMetadata',
    'addMultipleTargetTopics',
    'findBroker',
    'findControllerBroker',
    'findGroupCoordinator',
    'findLeaderForPartitions',
    'fetchTopicsOffset',
  ] as const;
  const broker = [
    'fetch',
    'produce',
    'initProducerId',
    'listOffsets',
    'offsetFetch',
    'offsetCommit',
  ] as const;
  expect(cluster.filter((name) => typeof KafkajsCluster.prototype[name] !== 'function')).toEqual([]);
  expect(broker.filter((name) => typeof KafkajsBroker.prototype[name] !== 'function')).toEqual([]);
});

test('a cluster is made of our settings, and says when nobody is there', async () => {
  vi.useRealTimers();
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  // Port 1 on loopback: nothing listens there.
  const connection = { brokers: ['127.0.0.1:1'], logger };
  await expect(connectCluster(connection)).rejects.toMatchObject({ name: 'KafkaJSNumberOfRetriesExceeded' });
  expect(lines.some((line) => line.includes('log.kafka.client') && line.includes('127.0.0.1:1'))).toBe(true);
});
