// The same broker and registry in containers, for machines with a Docker engine. Written from the images' documentation and
// the types of testcontainers: it has not run yet, since no machine of ours had an engine. Should it not start, kafka.ts
// says so and takes the jars.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { GenericContainer, Wait } from 'testcontainers';
import { VERSIONS } from './kafka-jars.ts';
import { untilReady } from './kafka-local.ts';
import type { KafkaService } from './kafka.ts';

const KAFKA_PORT = 9092;
const REGISTRY_PORT = 8080;
const STARTER = '/tmp/start-with-address.sh';
const WAITING = 'waiting for the address to advertise';

/** Why no container can run here, or null. */
export async function containerObstacle(): Promise<string | null> {
  try {
    await promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 5_000 });
    return null;
  } catch {
    return 'no Docker engine answers';
  }
}

/**
 * Not testcontainers' KafkaContainer: that one starts Confluent's image only, and we want the version the jars have. Its way is
 * the same: a broker must know the port that the engine chose for it, so it is started by a script that comes afterwards.
 */
async function startBroker(): Promise<{ address: string; stop(): Promise<unknown> }> {
  const container = await new GenericContainer(`apache/kafka:${VERSIONS.kafka}`)
    .withExposedPorts(KAFKA_PORT)
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_LISTENERS: `PLAINTEXT://0.0.0.0:${KAFKA_PORT},BROKER://0.0.0.0:9093,CONTROLLER://0.0.0.0:9094`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'BROKER',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9094',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '4',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
      KAFKA_PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS: '500',
    })
    .withEntrypoint(['sh', '-c'])
    .withCommand([`echo '${WAITING}'; while [ ! -f ${STARTER} ]; do sleep 0.1; done; exec sh ${STARTER}`])
    .withWaitStrategy(Wait.forLogMessage(WAITING))
    .withStartupTimeout(180_000)
    .start();
  const address = `${container.getHost()}:${container.getMappedPort(KAFKA_PORT)}`;
  const content = [
    `export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://${address},BROKER://localhost:9093`,
    'exec /etc/kafka/docker/run',
    '',
  ].join('\n');
  await container.copyContentToContainer([{ content, target: STARTER, mode: 0o755 }]);
  try {
    await untilReady([address], 1, () => null);
  } catch (error) {
    await container.stop();
    throw error;
  }
  return { address, stop: () => container.stop() };
}

export async function startContainers(): Promise<KafkaService> {
  const [broker, registry] = await Promise.all([
    startBroker(),
    new GenericContainer(`apicurio/apicurio-registry:${VERSIONS.apicurio}`)
      .withExposedPorts(REGISTRY_PORT)
      .withWaitStrategy(Wait.forHttp('/apis/ccompat/v7/subjects', REGISTRY_PORT))
      .withStartupTimeout(180_000)
      .start(),
  ]);
  return {
    kind: 'containers',
    brokers: [broker.address],
    registryUrl: `http://${registry.getHost()}:${registry.getMappedPort(REGISTRY_PORT)}/apis/ccompat/v7`,
    dataFolders: [],
    secure: null,
    async stop() {
      await Promise.all([broker.stop(), registry.stop()]);
    },
  };
}
