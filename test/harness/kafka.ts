// A real broker and a real schema registry for tests: containers where a Docker engine answers, otherwise jars and Java,
// otherwise a visible skip (and in CI a failure: a suite that did not run is not a suite that passed).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { containerObstacle, startContainers } from './kafka-containers.ts';
import type { LocalCluster, SecureAccess } from './kafka-local.ts';
import { localObstacle, startLocalCluster, startLocalRegistry } from './kafka-local.ts';

export type { LocalBroker, LocalCluster, SecureAccess } from './kafka-local.ts';

export type KafkaService = {
  readonly kind: 'containers' | 'local';
  readonly brokers: readonly string[];
  /** Confluent API. */
  readonly registryUrl: string;
  /** Where the brokers keep their segments; empty when they are in containers. */
  readonly dataFolders: readonly string[];
  /** The same brokers behind TLS and SASL; null where they have no such door. */
  readonly secure: SecureAccess | null;
  stop(): Promise<void>;
};

/** Present after a run whose Kafka suite was skipped; the test runner reads it. */
export const SKIP_MARKER = join(import.meta.dirname, '..', '..', '.cache', 'kafka-suite-skipped');

const required = (): boolean =>
  process.env['LADDERLOG_REQUIRE_KAFKA'] === '1' || !['', 'false', '0'].includes(process.env['CI'] ?? '');

/** Null after a skip was reported; throws instead where the suite is required. */
export async function startKafka(): Promise<KafkaService | null> {
  const noContainers = await containerObstacle();
  if (noContainers === null)
    try {
      return await startContainers();
    } catch (error) {
      process.stderr.write(`kafka containers did not start, trying jars: ${(error as Error).message}\n`);
    }
  const noJars = await localObstacle();
  if (noJars !== null) {
    reportSkip(`${noContainers ?? 'containers did not start'}; ${noJars}`);
    return null;
  }
  const [cluster, registry] = await Promise.all([startLocalCluster(1), startLocalRegistry()]);
  return {
    kind: 'local',
    brokers: cluster.addresses,
    registryUrl: registry.url,
    dataFolders: cluster.brokers.map((broker) => broker.dataFolder),
    secure: cluster.secure,
    async stop() {
      await Promise.all([cluster.stop(), registry.stop()]);
    },
  };
}

export type FaultCluster = LocalCluster & { readonly registryUrl: string };

/** Brokers that can be killed and restarted one by one: always from jars. */
export async function startCluster(count: number): Promise<FaultCluster | null> {
  const obstacle = await localObstacle();
  if (obstacle !== null) {
    reportSkip(obstacle);
    return null;
  }
  const [cluster, registry] = await Promise.all([startLocalCluster(count), startLocalRegistry()]);
  return {
    ...cluster,
    registryUrl: registry.url,
    async stop() {
      await Promise.all([cluster.stop(), registry.stop()]);
    },
  };
}

function reportSkip(reason: string): void {
  const line = `SKIPPED kafka suite: ${reason}`;
  if (required()) throw new Error(line);
  process.stderr.write(`${line}\n`);
  mkdirSync(join(SKIP_MARKER, '..'), { recursive: true });
  writeFileSync(SKIP_MARKER, `${reason}\n`);
}
