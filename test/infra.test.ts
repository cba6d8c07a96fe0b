// What can be known about compose files, manifests and configuration without an engine to run them.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { TOPICS } from '@ladderlog/core';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { resolveConfig } from '../packages/cli/src/settings/config.ts';
import { SETTINGS } from '../packages/cli/src/settings/settings.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const inRepository = (pattern: string): string[] => globSync(pattern, { cwd: ROOT }).toSorted();
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

type Service = {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string | number>;
  volumes?: string[];
  depends_on?: Record<string, unknown> | string[];
  healthcheck?: { test: string[] };
  profiles?: string[];
};
const compose = parse(read('compose/compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);

type Manifest = {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: {
    replicas?: number;
    selector?: { matchLabels?: Record<string, string> };
    template?: { metadata: { labels: Record<string, string> }; spec: { containers: Container[] } };
  };
};
type Container = {
  name: string;
  image: string;
  args: string[];
  env?: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  resources: { requests?: unknown; limits?: unknown };
} & Partial<Record<Probe, { httpGet: { path: string; port: string } }>>;
type Probe = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

const manifestsOf = (path: string): Manifest[] =>
  parseAllDocuments(read(path)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });
const base = inRepository('infra/kubernetes/base/*.yaml').filter(
  (path) => !path.endsWith('kustomization.yaml'),
);
const manifests = base.flatMap(manifestsOf);
const workloads = manifests.filter(({ spec }) => spec?.template);
const containers = workloads.flatMap(({ spec }) => spec!.template!.spec.containers);

const settingNames = new Set<string>(Object.values(SETTINGS).map(({ env }) => env));
const ROLES = ['collect', 'project', 'serve'];

/** A tag that names one release: never a moving word, at least major and minor. */
const isPinned = (image: string): boolean => /^[\w./-]+:v?\d+\.\d+(\.\d+)*(-[\w.]+)?$/.test(image);

describe('Dockerfile', () => {
  const text = read('Dockerfile');

  test('builds on the Node that the lock names', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: { node: string } };
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(bases)).toEqual(new Set([`node:${dependencies.node}-slim`]));
  });

  test('copies the manifest of every package before npm ci', () => {
    for (const name of readdirSync(join(ROOT, 'packages')))
      expect(text).toContain(`COPY packages/${name}/package.json packages/${name}/`);
  });

  test('copies only what exists and what .dockerignore lets through', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const [, sources] of text.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
      for (const source of sources!.split(' ')) {
        expect(existsSync(join(ROOT, source))).toBe(true);
        expect(allowed).toContain(source.split('/')[0]);
      }
  });

  test('runs as nobody special, keeps data in a volume, and asks a path that is served', () => {
    expect(text).toMatch(/^USER node$/m);
    expect(text).toMatch(/^VOLUME \/data$/m);
    const [, port, path] = /HEALTHCHECK[^]*127\.0\.0\.1:(\d+)(\/\w+)/.exec(text)!;
    expect(text).toContain(`LADDERLOG_METRICS_PORT=${port}`);
    expect(read('packages/cli/src/processes/probes.ts')).toContain(`'${path}': `);
  });

  test('sets only settings that exist', () => {
    for (const [name] of text.matchAll(/LADDERLOG_\w+/g)) expect(settingNames).toContain(name);
  });
});

describe('compose', () => {
  test('has the engines, the roles and the watchers', () => {
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining([
        'kafka-1',
        'kafka-2',
        'kafka-3',
        'registry',
        'clickhouse',
        ...ROLES,
        'prometheus',
        'grafana',
      ]),
    );
  });

  test.each(services)('%s has a pinned image', (_name, { image }) => {
    expect(image).toSatisfy(isPinned);
  });

  test.each(services)('%s refers to what exists', (_name, service) => {
    const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0]!);
    const files = sources.filter((source) => source.startsWith('.'));
    if (service.build) files.push(join(service.build.context, service.build.dockerfile));
    expect(files.filter((path) => !existsSync(join(ROOT, 'compose', path)))).toEqual([]);
    const named = sources.filter((source) => !source.startsWith('.'));
    expect(named.filter((name) => !(name in compose.volumes))).toEqual([]);
    const others = Array.isArray(service.depends_on)
      ? service.depends_on
      : Object.keys(service.depends_on ?? {});
    expect(others.filter((name) => !(name in compose.services))).toEqual([]);
  });

  test.each(ROLES)('%s is given settings that exist and are valid', (role) => {
    const service = compose.services[role]!;
    expect(service.command).toEqual([role]);
    const env = Object.fromEntries(
      Object.entries(service.environment!).map(([name, value]) => [name, withDefaults(String(value))]),
    );
    expect(resolveConfig({}, env, {}).problems).toEqual([]);
    expect(env['LADDERLOG_METRICS_PORT']).toBe('9464');
  });

  test('three brokers: the other two, a quorum of three and copies on all', () => {
    const env = envFile('compose/three-brokers.env');
    const profile = env['COMPOSE_PROFILES'];
    expect(services.filter(([, { profiles }]) => profiles?.includes(profile!)).map(([name]) => name)).toEqual(
      ['kafka-2', 'kafka-3'],
    );
    const text = read('compose/compose.yaml');
    for (const name of Object.keys(env).filter((name) => name !== 'COMPOSE_PROFILES'))
      expect(text).toContain(`\${${name}:-`);
    expect(env['KAFKA_BROKERS']!.split(',')).toHaveLength(3);
    expect(env['KAFKA_VOTERS']!.split(',')).toHaveLength(3);
    expect(env['KAFKA_REPLICATION']).toBe('3');
  });

  test('versions are those that the tests run on', () => {
    const pom = read('infra/local-kafka/pom.xml');
    const version = (name: string): string => new RegExp(`<${name}>(.*)</${name}>`).exec(pom)![1]!;
    expect(compose.services['kafka-1']!.image).toBe(`apache/kafka:${version('kafka.version')}`);
    expect(compose.services['registry']!.image).toBe(
      `apicurio/apicurio-registry:${version('apicurio.version')}`,
    );
  });

  const hasCompose = has('docker', 'compose', 'version');
  test.skipIf(!hasCompose)('docker compose accepts it (skipped where docker has no compose)', () => {
    for (const extra of [[], ['--env-file', join(ROOT, 'compose/three-brokers.env')]])
      expect(
        has('docker', 'compose', '-f', join(ROOT, 'compose/compose.yaml'), ...extra, 'config', '--quiet'),
      ).toBe(true);
  });
});

describe('Kubernetes', () => {
  test('the kustomization lists every manifest', () => {
    const { resources } = parse(read('infra/kubernetes/base/kustomization.yaml')) as { resources: string[] };
    expect(resources.map((name) => `infra/kubernetes/base/${name}`).toSorted()).toEqual(base);
  });

  test.each(inRepository('infra/kubernetes/overlays/*/kustomization.yaml'))(
    '%s refers to what exists',
    (path) => {
      const { resources, patches } = parse(read(path)) as {
        resources: string[];
        patches: { path: string }[];
      };
      for (const name of [...resources, ...patches.map((patch) => patch.path)])
        expect(existsSync(join(ROOT, dirname(path), name))).toBe(true);
    },
  );

  test('runs each role once, with a pinned image, resources and a disruption budget', () => {
    expect(containers.flatMap(({ args }) => args).toSorted()).toEqual(ROLES);
    for (const { image, resources } of containers) {
      expect(image).toSatisfy(isPinned);
      expect(resources.requests).toMatchObject({ cpu: expect.anything(), memory: expect.anything() });
      expect(resources.limits).toMatchObject({ memory: expect.anything() });
    }
    for (const { spec } of workloads)
      expect(spec!.selector!.matchLabels).toEqual(spec!.template!.metadata.labels);
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ spec }) => spec!.selector!.matchLabels!['app']).toSorted()).toEqual(ROLES);
    expect(manifests.some(({ kind }) => kind === 'NetworkPolicy')).toBe(true);
  });

  test.each(['livenessProbe', 'readinessProbe', 'startupProbe'] as const)(
    '%s asks a path that is served',
    (probe) => {
      const served = read('packages/cli/src/processes/probes.ts');
      for (const container of containers) {
        const { path, port } = container[probe]!.httpGet;
        expect(served).toContain(`'${path}': `);
        expect(container.ports.find(({ name }) => name === port)?.containerPort).toBe(9464);
      }
    },
  );

  const config = manifests.find(({ kind }) => kind === 'ConfigMap')!.data!;
  const secret = manifestsOf('infra/kubernetes/secret.example.yaml')[0]!.stringData!;

  test.each(inRepository('infra/kubernetes/overlays/*/config.yaml'))(
    'the configuration of %s exists and is valid',
    (path) => {
      const env = { ...config, ...secret, ...manifestsOf(path)[0]!.data };
      expect(resolveConfig({}, env, {}).problems).toEqual([]);
    },
  );

  test('a pod takes the share of its ordinal, of as many as there are', () => {
    const { env } = containers.find(({ name }) => name === 'collect')!;
    const value = (name: string): string => env!.find((entry) => entry.name === name)!.value!;
    const shard = value('LADDERLOG_SHARD')
      .replace('$(POD_INDEX)', '0')
      .replace('$(COLLECTORS)', value('COLLECTORS'));
    expect(resolveConfig({}, { LADDERLOG_SHARD: shard }, {}).config.shard).toEqual({ index: 0, count: 1 });
    for (const path of inRepository('infra/kubernetes/overlays/*/kustomization.yaml')) {
      const { replicas } = parse(read(path)) as { replicas: { name: string; count: number }[] };
      const patch = join(dirname(path), 'collect.yaml');
      const collectors = existsSync(join(ROOT, patch))
        ? Number(manifestsOf(patch)[0]!.spec!.template!.spec.containers[0]!.env![0]!.value)
        : 1;
      expect(replicas.find(({ name }) => name === 'collect')?.count ?? 1).toBe(collectors);
    }
  });

  const hasKubectl = has('kubectl', 'version', '--client');
  test.skipIf(!hasKubectl).each(['base', 'overlays/production', 'overlays/simulated'])(
    'kustomize builds %s (skipped where there is no kubectl)',
    (folder) => {
      const built = execFileSync('kubectl', ['kustomize', `infra/kubernetes/${folder}`], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      const kinds = parseAllDocuments(built).map((document) => (document.toJS() as Manifest).kind);
      expect(kinds).toEqual(
        expect.arrayContaining([
          'StatefulSet',
          'Deployment',
          'Service',
          'NetworkPolicy',
          'PodDisruptionBudget',
        ]),
      );
    },
  );
});

describe('watching', () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'ladderlog_' });
  const known = new Set([
    'up',
    ...registry.getMetricsAsArray().map(({ name }) => name),
    ...inRepository('packages/*/src/**/*.ts')
      .map(read)
      .filter((text) => text.includes("from 'prom-client'"))
      .flatMap((text) => [...text.matchAll(/'(ladderlog_[a-z_]+)'/g)].map(([, name]) => name!)),
  ]);
  const used = (expression: string): string[] =>
    [...expression.matchAll(/\bladderlog_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));

  test('every metric on the dashboard exists in the code', () => {
    const { panels } = JSON.parse(read('compose/grafana/dashboards/ladderlog.json')) as {
      panels: { type: string; title: string; targets?: { expr: string; datasource: { uid: string } }[] }[];
    };
    const targets = panels.flatMap((panel) => panel.targets ?? []);
    expect(targets.length).toBeGreaterThan(10);
    const { datasources } = parse(read('compose/grafana/provisioning/datasources/prometheus.yaml')) as {
      datasources: { uid: string }[];
    };
    for (const { expr, datasource } of targets) {
      expect(used(expr).length).toBeGreaterThan(0);
      for (const name of used(expr)) expect(known).toContain(name);
      expect(datasource.uid).toBe(datasources[0]!.uid);
    }
  });

  test('every metric of an alert exists, and each alert says what to do', () => {
    const { groups } = parse(read('compose/prometheus/alerts.yaml')) as {
      groups: { rules: { alert: string; expr: string; annotations: { action?: string } }[] }[];
    };
    for (const { expr, annotations } of groups.flatMap(({ rules }) => rules)) {
      for (const name of used(expr)) expect(known).toContain(name);
      expect(annotations.action).toBeTruthy();
    }
  });

  test('every metric that Ladderlog defines is in docs/operations.md', () => {
    const text = read('docs/operations.md');
    const own = [...known].filter((name) => /^ladderlog_(?!process_|nodejs_)/.test(name));
    expect(own.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  test('every event name in docs/operations.md is one that is logged', () => {
    const code = inRepository('packages/*/src/**/*.ts').map(read).join('\n');
    const text = read('docs/operations.md');
    const table = text.slice(text.indexOf('## Log events'), text.indexOf('## Security'));
    const names = [...table.matchAll(/`([a-z]+(?:\.[a-z_]+)+)`/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });

  test('Prometheus asks every role where its metrics are', () => {
    const { scrape_configs: jobs } = parse(read('compose/prometheus/prometheus.yaml')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const targets = jobs.flatMap((job) => job.static_configs.flatMap((config) => config.targets));
    expect(targets).toEqual(ROLES.map((role) => `${role}:9464`));
  });
});

describe('engines', () => {
  test('the script makes the topics and settings that Ladderlog itself makes', () => {
    const script = read('infra/kafka/create-topics.sh');
    for (const topic of TOPICS) expect(script).toMatch(new RegExp(`[ "]${topic.replace('.', '\\.')}[ ;]`));
    const code = read('packages/log/src/kafka/topics.ts');
    const names = [...code.matchAll(/'([a-z]+(?:\.[a-z]+)+)':/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(script).toContain(`${name}=`);
    expect(has('bash', '-n', join(ROOT, 'infra/kafka/create-topics.sh'))).toBe(true);
  });

  test('ClickHouse: the reader may not write, within limits it cannot lift', () => {
    const { profiles, users } = parse(read('infra/clickhouse/users.d/ladderlog.yaml')) as {
      profiles: Record<string, Record<string, unknown>>;
      users: Record<
        string,
        { profile: string; grants: { query: string[] }; password: Record<string, string> }
      >;
    };
    const reader = profiles[users['reader']!.profile]!;
    expect(reader['readonly']).toBe(2);
    const limits = Object.keys(reader).filter((name) => name.startsWith('max_'));
    expect(Object.keys(reader['constraints'] as object).toSorted()).toEqual(limits.toSorted());
    expect(users['reader']!.grants.query).toEqual(['GRANT SELECT ON ladderlog.*']);
    const given = compose.services['clickhouse']!.environment!;
    for (const { password } of Object.values(users)) expect(given).toHaveProperty(password['@from_env']!);
    expect(parse(read('infra/clickhouse/config.d/ladderlog.yaml'))).toBeTypeOf('object');
  });
});

const withDefaults = (text: string): string =>
  text.replaceAll(/\$\{\w+:-([^}]*)\}/g, (_whole, fallback: string) => fallback);

const envFile = (path: string): Record<string, string> =>
  Object.fromEntries(
    read(path)
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
