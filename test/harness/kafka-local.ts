// A real Kafka (KRaft, broker and controller in one) and a real schema registry as child processes, on free ports, in a
// temporary folder. Killing is SIGKILL: what the broker had not made durable is then lost, as in a crash.

import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { connectKafka } from '../../packages/log/src/kafka/client.ts';
import type { Java } from './kafka-jars.ts';
import { LOG4J_CONFIG, VERSIONS, findJavas, kafkaJars, registryJar } from './kafka-jars.ts';
import { freePorts } from './ports.ts';

const run = promisify(execFile);

const START_TIMEOUT_MS = 240_000;
const BROKER_JAVA = 17;
const REGISTRY_JAVA = 21;
// Short-lived test processes on few cores: a quick start is worth more than peak speed.
const JVM = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

export type LocalBroker = {
  readonly id: number;
  readonly address: string;
  readonly dataFolder: string;
  /** SIGKILL, at once. */
  kill(): Promise<void>;
  /** SIGTERM: a controlled shutdown, leadership handed over. */
  stop(): Promise<void>;
  /** Starts again on the same port and folder, and waits until it answers. */
  restart(): Promise<void>;
  running(): boolean;
  /** Why it ended by itself, with the end of its log; null while it runs or after a kill. */
  failure(): string | null;
};

/** Where and how to connect with TLS and SASL PLAIN. */
export type SecureAccess = {
  readonly addresses: readonly string[];
  readonly ca: string;
  readonly username: string;
  readonly password: string;
};

export type LocalCluster = {
  readonly brokers: readonly LocalBroker[];
  readonly addresses: readonly string[];
  readonly secure: SecureAccess | null;
  stop(): Promise<void>;
};

export type LocalRegistry = { readonly url: string; stop(): Promise<void> };

/** Why no local broker can run here, or null. */
export async function localObstacle(): Promise<string | null> {
  const javas = await findJavas();
  if (!javas.some((java) => java.major >= BROKER_JAVA)) return `no Java ${BROKER_JAVA} or later`;
  try {
    await run('mvn', ['-v']);
  } catch {
    return 'no Maven to fetch the broker with';
  }
  return null;
}

/** Another process may take a port between our finding it free and its being opened. */
async function insist<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await start();
    } catch (error) {
      if (attempt === 3) throw error;
      process.stderr.write(`${(error as Error).message}\nonce more\n`);
    }
}

export const startLocalCluster = (count: number): Promise<LocalCluster> =>
  insist(() => tryLocalCluster(count));

async function tryLocalCluster(count: number): Promise<LocalCluster> {
  const [java, jars] = [await javaOf(BROKER_JAVA), await kafkaJars()];
  const folder = await mkdtemp(join(tmpdir(), 'ladderlog-kafka-'));
  const ports = await freePorts(count * 3);
  const certificate = await makeCertificate(folder);
  const voters = Array.from({ length: count }, (_, i) => `${i + 1}@127.0.0.1:${ports[count + i]}`).join(',');
  const clusterId = randomBytes(16).toString('base64url');
  const brokers = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      startBroker({
        id: i + 1,
        port: ports[i]!,
        controllerPort: ports[count + i]!,
        securePort: ports[2 * count + i]!,
        certificate,
        voters,
        clusterId,
        folder: join(folder, `broker-${i + 1}`),
        java,
        jars,
        count,
      }),
    ),
  );
  const addresses = brokers.map((broker) => broker.address);
  const stop = async (): Promise<void> => {
    await Promise.all(brokers.map((broker) => broker.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(addresses, count, () => first(brokers.map((broker) => broker.failure())));
  } catch (error) {
    await stop();
    throw error;
  }
  const secure = certificate && {
    addresses: ports.slice(2 * count).map((port) => `127.0.0.1:${port}`),
    ca: certificate.ca,
    ...SECURE_USER,
  };
  return { brokers, addresses, secure, stop };
}

const SECURE_USER = { username: 'ladderlog', password: randomBytes(12).toString('hex') };

type Certificate = { readonly ca: string; readonly keyStore: string };

/** Self-signed, for loopback; null where there is no openssl. */
async function makeCertificate(folder: string): Promise<Certificate | null> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  try {
    const request = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' ');
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    await run('openssl', [...request, ...names, '-keyout', key, '-out', certificate]);
  } catch {
    return null;
  }
  const [ca, keyStore] = [readFileSync(certificate, 'utf8'), join(folder, 'server.pem')];
  await writeFile(keyStore, readFileSync(key, 'utf8') + ca);
  return { ca, keyStore };
}

/** A second door to the broker: TLS, and a name with a password. */
const secureListener = ({ keyStore }: Certificate): Record<string, string> => ({
  'listener.name.secure.ssl.keystore.type': 'PEM',
  'listener.name.secure.ssl.keystore.location': keyStore,
  'listener.name.secure.sasl.enabled.mechanisms': 'PLAIN',
  'listener.name.secure.plain.sasl.jaas.config':
    'org.apache.kafka.common.security.plain.PlainLoginModule required ' +
    `user_${SECURE_USER.username}="${SECURE_USER.password}";`,
});

type BrokerSetup = {
  id: number;
  port: number;
  controllerPort: number;
  securePort: number;
  certificate: Certificate | null;
  voters: string;
  clusterId: string;
  folder: string;
  java: Java;
  jars: string;
  count: number;
};

async function startBroker(setup: BrokerSetup): Promise<LocalBroker> {
  const { id, port, controllerPort, folder, java, jars, count } = setup;
  const dataFolder = join(folder, 'data');
  const config = join(folder, 'server.properties');
  const address = `127.0.0.1:${port}`;
  const open = [
    `PLAINTEXT://${address}`,
    ...(setup.certificate ? [`SECURE://127.0.0.1:${setup.securePort}`] : []),
  ].join(',');
  await mkdir(dataFolder, { recursive: true });
  await writeFile(
    config,
    Object.entries({
      'process.roles': 'broker,controller',
      'node.id': id,
      'controller.quorum.voters': setup.voters,
      listeners: `${open},CONTROLLER://127.0.0.1:${controllerPort}`,
      'advertised.listeners': open,
      'inter.broker.listener.name': 'PLAINTEXT',
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL',
      ...(setup.certificate ? secureListener(setup.certificate) : {}),
      'log.dirs': dataFolder,
      'auto.create.topics.enable': false,
      'offsets.topic.replication.factor': count,
      'offsets.topic.num.partitions': 4,
      'transaction.state.log.replication.factor': count,
      'transaction.state.log.min.isr': 1,
      'transaction.state.log.num.partitions': 4,
      'group.initial.rebalance.delay.ms': 0,
      'group.min.session.timeout.ms': 1_000,
      // Every ten minutes a broker forgets producers whose last record is of yesterday or older. Here the tests meet it.
      'producer.id.expiration.check.interval.ms': 500,
      // A killed broker is noticed in seconds, so that a fault test is not mostly waiting.
      'broker.session.timeout.ms': 3_000,
      'broker.heartbeat.interval.ms': 500,
      'controller.quorum.election.timeout.ms': 500,
      'controller.quorum.fetch.timeout.ms': 1_000,
      'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
    })
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const classPath = ['-cp', join(jars, '*'), `-Dlog4j2.configurationFile=${LOG4J_CONFIG}`];
  const format = ['kafka.tools.StorageTool', 'format', '-t', setup.clusterId, '-c', config];
  await run(java.path, [...JVM, ...classPath, ...format]);

  const logFile = join(folder, 'broker.log');
  const launch = () =>
    spawnLogged(java.path, [...JVM, '-Xmx512m', ...classPath, 'kafka.Kafka', config], logFile);
  let child = launch();
  return {
    id,
    address,
    dataFolder,
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
    async restart() {
      await end(child, 'SIGKILL');
      child = launch();
      await untilReady([address], 1, () => exited(child, logFile));
    },
    running: () => child.exitCode === null && child.signalCode === null,
    failure: () => exited(child, logFile),
  };
}

/** A Confluent-compatible registry, in memory; the newest that the Java found here can run. */
export const startLocalRegistry = (): Promise<LocalRegistry> => insist(tryLocalRegistry);

async function tryLocalRegistry(): Promise<LocalRegistry> {
  const java = await javaOf(BROKER_JAVA);
  const version = java.major >= REGISTRY_JAVA ? VERSIONS.apicurio : VERSIONS.apicurioForJava17;
  const jar = await registryJar(version);
  const [port, management] = await freePorts(2);
  const folder = await mkdtemp(join(tmpdir(), 'ladderlog-registry-'));
  const logFile = join(folder, 'registry.log');
  const child = spawnLogged(
    java.path,
    [
      ...JVM,
      '-Xmx512m',
      `-Dquarkus.http.port=${port}`,
      '-Dquarkus.http.host=127.0.0.1',
      `-Dquarkus.management.port=${management}`,
      '-Dquarkus.log.level=WARN',
      '-jar',
      jar,
    ],
    logFile,
    folder,
  );
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const stop = async (): Promise<void> => {
    await end(child, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(
      `registry ${version}`,
      async () => (await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(10_000) })).ok,
      () => exited(child, logFile),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function javaOf(major: number): Promise<Java> {
  const java = (await findJavas())[0];
  if (!java || java.major < major) throw new Error(`Java ${major} or later is needed`);
  return java;
}

/** Ready: every broker is registered and answers for the cluster. */
export async function untilReady(
  addresses: readonly string[],
  count: number,
  failure: () => string | null,
): Promise<void> {
  const silent = pino({ level: 'silent' });
  const admin = connectKafka({ brokers: addresses, logger: silent }).admin();
  try {
    await until(
      `broker at ${addresses.join(', ')}`,
      async () => {
        await admin.connect();
        return (await admin.describeCluster()).brokers.length >= count;
      },
      failure,
    );
  } finally {
    await admin.disconnect();
  }
}

async function until(
  what: string,
  ready: () => Promise<boolean>,
  failure: () => string | null,
): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let last: unknown = null;
  while (performance.now() < deadline) {
    const dead = failure();
    if (dead) throw new Error(`${what} ended: ${dead}`);
    try {
      if (await ready()) return;
    } catch (error) {
      last = error;
    }
    await sleep(100);
  }
  throw new Error(`${what} not ready after ${START_TIMEOUT_MS / 1000} s`, { cause: last });
}

function spawnLogged(command: string, args: string[], logFile: string, cwd?: string): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd ? { cwd } : {}) });
  const log = createWriteStream(logFile, { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  child.once('close', () => log.end());
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

// No child may outlive the tests, whatever ends them.
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const first = (reasons: readonly (string | null)[]): string | null =>
  reasons.find((reason) => reason !== null) ?? null;

const exited = (child: ChildProcess, logFile: string): string | null =>
  child.exitCode === null
    ? null
    : `exit code ${child.exitCode}\n${readFileSync(logFile, 'utf8').slice(-2_000)}`;

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
