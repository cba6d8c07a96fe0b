// Every setting of Ladderlog, once: name, environment variable, flag, default, how its text is read, what it means.
// `ladderlog config` prints this table.

import type { Parsed, Setting } from '@ladderlog/core';
import { VENUES, VENUE_ADAPTERS, parse, venueSettingEnv, venueSettingName } from '@ladderlog/core';

import { shard, venues } from './setting-texts.ts';

const { bad, boolean, integer, list, number, ok, oneOf, optional, optionalInteger, optionalText, text, url } =
  parse;

type Ways = { readonly env?: string; readonly flag?: true; readonly secret?: true };

/** Its environment variable follows from its name, unless told otherwise, and so does its flag, where it has one. */
const setting = <T>(fallback: T, parseText: (text: string) => Parsed<T>, doc: string, ways: Ways = {}) => ({
  default: fallback,
  parse: parseText,
  doc,
  ...ways,
});

export const OWN_SETTINGS = {
  data: setting('./data', text, 'Data directory: log, store, lock, secrets.', { flag: true }),
  host: setting('127.0.0.1', text, 'Address the API and the feed listen on.', { flag: true }),
  port: setting(8080, integer(0, 65_535), 'Port of the API and the feed; 0 picks a free one.', {
    flag: true,
  }),
  metricsPort: setting(
    null,
    optionalInteger(0, 65_535),
    'Port of Prometheus metrics and readiness, loopback unless --host says otherwise; off by default.',
    { flag: true },
  ),
  sqlPort: setting(
    null,
    optionalInteger(0, 65_535),
    'Opens ClickHouse HTTP over the embedded store on loopback, read-only; off by default.',
    { flag: true },
  ),
  venues: setting(
    { mode: 'simulated', venues: VENUES },
    venues,
    'simulated, live, none, or a list of live venues.',
    { flag: true },
  ),
  logLevel: setting(
    'info',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'How much is logged to standard error; on a terminal, warn unless set.',
    { flag: true },
  ),

  kafkaBrokers: setting(
    null,
    optional(list(/^[^\s,]+:\d+$/, 'host:port')),
    'Kafka brokers; when set, the log is Kafka instead of SQLite.',
  ),
  registryUrl: setting(
    null,
    optional(url('http', 'https')),
    'Confluent-compatible schema registry; needed with Kafka.',
    { env: 'LADDERLOG_SCHEMA_REGISTRY_URL' },
  ),
  registryUsername: setting(null, optionalText, 'User of the schema registry, where it asks for one.', {
    env: 'LADDERLOG_SCHEMA_REGISTRY_USERNAME',
  }),
  registryPassword: setting(null, optionalText, 'Password of the schema registry.', {
    env: 'LADDERLOG_SCHEMA_REGISTRY_PASSWORD',
    secret: true,
  }),
  kafkaPrefix: setting('ladderlog.', text, 'Prefix of the Kafka topics.'),
  kafkaReplication: setting(
    null,
    optionalInteger(1, 9),
    'Copies of each topic that is created. By default three, or as many as there are brokers.',
  ),
  kafkaSsl: setting(false, boolean, 'TLS to the brokers.'),
  kafkaCaFile: setting(
    null,
    optionalText,
    "File with the brokers' certificate authority (PEM), when it is not one that the machine trusts; means TLS.",
  ),
  kafkaCertFile: setting(
    null,
    optionalText,
    'File with the certificate to show the brokers (PEM), where they ask for one; means TLS.',
  ),
  kafkaKeyFile: setting(null, optionalText, 'File with the private key of that certificate (PEM).'),
  kafkaSaslMechanism: setting(
    null,
    optional(oneOf('plain', 'scram-sha-256', 'scram-sha-512')),
    'SASL mechanism.',
  ),
  kafkaSaslUsername: setting(null, optionalText, 'SASL user.'),
  kafkaSaslPassword: setting(null, optionalText, 'SASL password.', { secret: true }),
  partitions: setting(
    4,
    integer(1, 1_024),
    'Partitions of topics that are created; cannot change later without moving keys.',
  ),
  framesDays: setting(
    null,
    optionalInteger(1, 36_500),
    'How long the wire tape (exact frames, for audit and native replay) is kept; for ever by default. Books, markets and gaps always stay. On Kafka it applies when the topics are created, and counts from the observation: frames of an older recording may go as soon as they are imported.',
  ),

  clickhouseUrl: setting(
    null,
    optional(url('http', 'https')),
    'ClickHouse server; when set, the store is that server instead of chDB.',
  ),
  clickhouseUser: setting('default', text, 'ClickHouse user.'),
  clickhousePassword: setting('', (value) => ok(value), 'ClickHouse password.', { secret: true }),
  clickhouseDatabase: setting(
    'ladderlog',
    (value) =>
      /^[a-z_][a-z0-9_]{0,62}$/.test(value)
        ? ok(value)
        : bad('a database name of lower-case letters, digits and _'),
    'ClickHouse database.',
  ),
  clickhouseCluster: setting(null, optionalText, 'Cluster name: tables become Replicated and Distributed.'),

  redisUrl: setting(null, optional(url('redis', 'rediss')), 'Shares rate limits among API instances.', {
    secret: true,
  }),
  corsOrigin: setting('*', text, 'Origins a browser may call from; * for any, none for none.'),
  trustProxy: setting(
    0,
    integer(0, 16),
    'How many proxies stand in front of the API, so that requests without a key count by the address X-Forwarded-For names; 0 ignores that header.',
  ),
  cursorSecret: setting(
    null,
    optionalText,
    'Signs page cursors; API instances must share it. By default kept in the data directory.',
    { secret: true },
  ),
  validateResponses: setting(false, boolean, 'Checks every answer against openapi.yaml.'),
  queryQueue: setting(
    null,
    optionalInteger(1, 10_000),
    'Queries that may wait for the store before 503; 64 embedded and 256 on a server unless set.',
  ),

  collectorId: setting(
    'main',
    text,
    'Name of this collector in the log; every collector needs its own. With a shard `shard-<index>-of-<count>` unless set.',
  ),
  shard: setting(
    { index: 0, count: 1 },
    shard,
    'Which share of the markets this collector takes, index/count.',
    { flag: true },
  ),
  beatSeconds: setting(10, number(0.05, 600), 'How often a watched market writes a proof of life.'),
  stampLimitMs: setting(
    1_000,
    integer(100, 60_000),
    'How many milliseconds late a stamp may be, when the recorder itself is held up, before all it watches is in a gap (`recorder_stalled`).',
  ),
  compareSeconds: setting(30, number(0.1, 86_400), 'How often a venue C book is held against its REST book.'),
  simulatorSeed: setting(1, integer(0, 2 ** 31), 'Seed of the simulated venues.'),
  simulatorFaults: setting(false, boolean, 'Lets the simulated venues misbehave now and then.'),
} as const;

const dashed = (name: string, dash: string): string => name.replaceAll(/[A-Z]/g, `${dash}$&`);

const ownSettings = (): [string, Setting<unknown>][] =>
  Object.entries(OWN_SETTINGS as Readonly<Record<string, ReturnType<typeof setting<unknown>>>>).map(
    ([name, { env = `LADDERLOG_${dashed(name, '_').toUpperCase()}`, flag, ...rest }]) => [
      name,
      { env, ...rest, ...(flag ? { flag: dashed(name, '-').toLowerCase() } : {}) },
    ],
  );

/** Named after the venue; the venue itself says what they are. */
const venueSettings = (): [string, Setting<unknown>][] =>
  VENUE_ADAPTERS.flatMap(({ venue, settings }) =>
    Object.entries(settings).map(([name, { textAs: _textAs, ...rest }]): [string, Setting<unknown>] => [
      venueSettingName(venue, name),
      { env: venueSettingEnv(venue, name), ...rest },
    ]),
  );

export const SETTINGS: Readonly<Record<string, Setting<unknown>>> = Object.fromEntries([
  ...ownSettings(),
  ...venueSettings(),
]);

/** Values of Ladderlog's own settings by their types, and of the venues' settings by their names. */
export type Config = {
  readonly [K in keyof typeof OWN_SETTINGS]: (typeof OWN_SETTINGS)[K]['default'];
} & Readonly<Record<`venue${string}`, unknown>>;
