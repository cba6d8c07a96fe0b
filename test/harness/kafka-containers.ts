// The same broker and registry in containers, for machines with a Docker engine.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { KafkaContainer } from '@testcontainers/kafka';
import { GenericContainer, Wait } from 'testcontainers';
import { VERSIONS } from './kafka-jars.ts';
import type { KafkaService } from './kafka.ts';

const KAFKA_PORT = 9093;
const REGISTRY_PORT = 8080;

/** Why no container can run here, or null. */
export async function containerObstacle(): Promise<string | null> {
  try {
    await promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 5_000 });
    return null;
  } catch {
    return 'no Docker engine answers';
  }
}

export async function startContainers(): Promise<KafkaService> {
  const [kafka, registry] = await Promise.all([
    new KafkaContainer(VERSIONS.kafkaImage)
      .withKraft()
      .withEnvironment({ KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false' })
      .start(),
    new GenericContainer(`apicurio/apicurio-registry:${VERSIONS.apicurio}`)
      .withExposedPorts(REGISTRY_PORT)
      .withWaitStrategy(Wait.forHttp('/apis/ccompat/v7/subjects', REGISTRY_PORT))
      .withStartupTimeout(180_000)
      .start(),
  ]);
  return {
    kind: 'containers',
    brokers: [`${kafka.getHost()}:${kafka.getMappedPort(KAFKA_PORT)}`],
    registryUrl: `http://${registry.getHost()}:${registry.getMappedPort(REGISTRY_PORT)}/apis/ccompat/v7`,
    dataFolders: [],
    secure: null,
    async stop() {
      await Promise.all([kafka.stop(), registry.stop()]);
    },
  };
}
