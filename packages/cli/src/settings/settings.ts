// Every setting of Ladderlog, once: name, environment variable, flag, default, how its text is read, what it means.
// `ladderlog config` prints this table.

import type { Setting } from '@ladderlog/core';
import { VENUES, VENUE_ADAPTERS, parse, venueSettingEnv, venueSettingName } from '@ladderlog/core';

import type { VenueChoice } from './setting-texts.ts';
import { shard, venues } from './setting-texts.ts';

const { bad, boolean, integer, list, number, ok, oneOf, optional, optionalInteger, optionalText, text, url } =
  parse;

export const OWN_SETTINGS = {
  data: {
    env: 'LADDERLOG_DATA',
    flag: 'data',
    default: './data',
    parse: text,
    doc: 'Data directory: log, store, lock, secrets.',
  } as Setting<string>,
  host: {
    env: 'LADDERLOG_HOST',
    flag: 'host',
    default: '127.0.0.1',
    parse: text,
    doc: 'Address the API and the feed listen on.',
  } as Setting<string>,
  port: {
    env: 'LADDERLOG_PORT',
    flag: 'port',
    default: 8080,
    parse: integer(0, 65_535),
    doc: 'Port of the API and the feed; 0 picks a free one.',
  } as Setting<number>,
  metricsPort: {
    env: 'LADDERLOG_METRICS_PORT',
    flag: 'metrics-port',
    default: null,
    parse: optionalInteger(0, 65_535),
    doc: 'Port of Prometheus metrics and readiness, loopback unless --host says otherwise; off by default.',
  } as Setting<number | null>,
  sqlPort: {
    env: 'LADDERLOG_SQL_PORT',
    flag: 'sql-port',
    default: null,
    parse: optionalInteger(0, 65_535),
    doc: 'Opens ClickHouse HTTP over the embedded store on loopback, read-only; off by default.',
  } as Setting<number | null>,
  venues: {
    env: 'LADDERLOG_VENUES',
    flag: 'venues',
    default: { mode: 'simulated', venues: VENUES },
    parse: venues,
    doc: 'simulated, live, none, or a list of live venues.',
  } as Setting<VenueChoice>,
  logLevel: {
    env: 'LADDERLOG_LOG_LEVEL',
    flag: 'log-level',
    default: 'info',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    doc: 'How much is logged to standard error; on a terminal, warn unless set.',
  } as Setting<string>,

  kafkaBrokers: {
    env: 'LADDERLOG_KAFKA_BROKERS',
    default: null,
    parse: optional(list(/^[^\s,]+:\d+$/, 'host:port')),
    doc: 'Kafka brokers; when set, the log is Kafka instead of SQLite.',
  } as Setting<readonly string[] | null>,
  registryUrl: {
    env: 'LADDERLOG_SCHEMA_REGISTRY_URL',
    default: null,
    parse: optional(url('http', 'https')),
    doc: 'Confluent-compatible schema registry; needed with Kafka.',
  } as Setting<string | null>,
  registryUsername: {
    env: 'LADDERLOG_SCHEMA_REGISTRY_USERNAME',
    default: null,
    parse: optionalText,
    doc: 'User of the schema registry, where it asks for one.',
  } as Setting<string | null>,
  registryPassword: {
    env: 'LADDERLOG_SCHEMA_REGISTRY_PASSWORD',
    default: null,
    parse: optionalText,
    doc: 'Password of the schema registry.',
    secret: true,
  } as Setting<string | null>,
  kafkaPrefix: {
    env: 'LADDERLOG_KAFKA_PREFIX',
    default: 'ladderlog.',
    parse: text,
    doc: 'Prefix of the Kafka topics.',
  } as Setting<string>,
  kafkaReplication: {
    env: 'LADDERLOG_KAFKA_REPLICATION',
    default: null,
    parse: optionalInteger(1, 9),
    doc: 'Copies of each topic that is created. By default three, or as many as there are brokers.',
  } as Setting<number | null>,
  kafkaSsl: {
    env: 'LADDERLOG_KAFKA_SSL',
    default: false,
    parse: boolean,
    doc: 'TLS to the brokers.',
  } as Setting<boolean>,
  kafkaCaFile: {
    env: 'LADDERLOG_KAFKA_CA_FILE',
    default: null,
    parse: optionalText,
    doc: "File with the brokers' certificate authority (PEM), when it is not one that the machine trusts; means TLS.",
  } as Setting<string | null>,
  kafkaCertFile: {
    env: 'LADDERLOG_KAFKA_CERT_FILE',
    default: null,
    parse: optionalText,
    doc: 'File with the certificate to show the brokers (PEM), where they ask for one; means TLS.',
  } as Setting<string | null>,
  kafkaKeyFile: {
    env: 'LADDERLOG_KAFKA_KEY_FILE',
    default: null,
    parse: optionalText,
    doc: 'File with the private key of that certificate (PEM).',
  } as Setting<string | null>,
  kafkaSaslMechanism: {
    env: 'LADDERLOG_KAFKA_SASL_MECHANISM',
    default: null,
    parse: optional(oneOf('plain', 'scram-sha-256', 'scram-sha-512')),
    doc: 'SASL mechanism.',
  } as Setting<string | null>,
  kafkaSaslUsername: {
    env: 'LADDERLOG_KAFKA_SASL_USERNAME',
    default: null,
    parse: optionalText,
    doc: 'SASL user.',
  } as Setting<string | null>,
  kafkaSaslPassword: {
    env: 'LADDERLOG_KAFKA_SASL_PASSWORD',
    default: null,
    parse: optionalText,
    doc: 'SASL password.',
    secret: true,
  } as Setting<string | null>,
  partitions: {
    env: 'LADDERLOG_PARTITIONS',
    default: 4,
    parse: integer(1, 1_024),
    doc: 'Partitions of topics that are created; cannot change later without moving keys.',
  } as Setting<number>,
  framesDays: {
    env: 'LADDERLOG_FRAMES_DAYS',
    default: null,
    parse: optionalInteger(1, 36_500),
    doc: 'How long the wire tape (exact frames, for audit and native replay) is kept; for ever by default. Books, markets and gaps always stay. On Kafka it applies when the topics are created, and counts from the observation: frames of an older recording may go as soon as they are imported.',
  } as Setting<number | null>,

  clickhouseUrl: {
    env: 'LADDERLOG_CLICKHOUSE_URL',
    default: null,
    parse: optional(url('http', 'https')),
    doc: 'ClickHouse server; when set, the store is that server instead of chDB.',
  } as Setting<string | null>,
  clickhouseUser: {
    env: 'LADDERLOG_CLICKHOUSE_USER',
    default: 'default',
    parse: text,
    doc: 'ClickHouse user.',
  } as Setting<string>,
  clickhousePassword: {
    env: 'LADDERLOG_CLICKHOUSE_PASSWORD',
    default: '',
    parse: (value) => ok(value),
    doc: 'ClickHouse password.',
    secret: true,
  } as Setting<string>,
  clickhouseDatabase: {
    env: 'LADDERLOG_CLICKHOUSE_DATABASE',
    default: 'ladderlog',
    parse: (value) =>
      /^[a-z_][a-z0-9_]{0,62}$/.test(value)
        ? ok(value)
        : bad('a database name of lower-case letters, digits and _'),
    doc: 'ClickHouse database.',
  } as Setting<string>,
  clickhouseCluster: {
    env: 'LADDERLOG_CLICKHOUSE_CLUSTER',
    default: null,
    parse: optionalText,
    doc: 'Cluster name: tables become Replicated and Distributed.',
  } as Setting<string | null>,

  redisUrl: {
    env: 'LADDERLOG_REDIS_URL',
    default: null,
    parse: optional(url('redis', 'rediss')),
    doc: 'Shares rate limits among API instances.',
    secret: true,
  } as Setting<string | null>,
  corsOrigin: {
    env: 'LADDERLOG_CORS_ORIGIN',
    default: '*',
    parse: text,
    doc: 'Origins a browser may call from; * for any, none for none.',
  } as Setting<string>,
  trustProxy: {
    env: 'LADDERLOG_TRUST_PROXY',
    default: 0,
    parse: integer(0, 16),
    doc: 'How many proxies stand in front of the API, so that requests without a key count by the address X-Forwarded-For names; 0 ignores that header.',
  } as Setting<number>,
  cursorSecret: {
    env: 'LADDERLOG_CURSOR_SECRET',
    default: null,
    parse: optionalText,
    doc: 'Signs page cursors; API instances must share it. By default kept in the data directory.',
    secret: true,
  } as Setting<string | null>,
  validateResponses: {
    env: 'LADDERLOG_VALIDATE_RESPONSES',
    default: false,
    parse: boolean,
    doc: 'Checks every answer against openapi.yaml.',
  } as Setting<boolean>,
  queryQueue: {
    env: 'LADDERLOG_QUERY_QUEUE',
    default: null,
    parse: optionalInteger(1, 10_000),
    doc: 'Queries that may wait for the store before 503; 64 embedded and 256 on a server unless set.',
  } as Setting<number | null>,

  collectorId: {
    env: 'LADDERLOG_COLLECTOR_ID',
    default: 'main',
    parse: text,
    doc: 'Name of this collector in the log; every collector needs its own. With a shard `shard-<index>-of-<count>` unless set.',
  } as Setting<string>,
  shard: {
    env: 'LADDERLOG_SHARD',
    flag: 'shard',
    default: { index: 0, count: 1 },
    parse: shard,
    doc: 'Which share of the markets this collector takes, index/count.',
  } as Setting<{ index: number; count: number }>,
  beatSeconds: {
    env: 'LADDERLOG_BEAT_SECONDS',
    default: 10,
    parse: number(0.05, 600),
    doc: 'How often a watched market writes a proof of life.',
  } as Setting<number>,
  compareSeconds: {
    env: 'LADDERLOG_COMPARE_SECONDS',
    default: 30,
    parse: number(0.1, 86_400),
    doc: 'How often a venue C book is held against its REST book.',
  } as Setting<number>,
  simulatorSeed: {
    env: 'LADDERLOG_SIMULATOR_SEED',
    default: 1,
    parse: integer(0, 2 ** 31),
    doc: 'Seed of the simulated venues.',
  } as Setting<number>,
  simulatorFaults: {
    env: 'LADDERLOG_SIMULATOR_FAULTS',
    default: false,
    parse: boolean,
    doc: 'Lets the simulated venues misbehave now and then.',
  } as Setting<boolean>,
} as const;

/** Named after the venue; the venue itself says what they are. */
const venueSettings = (): Record<string, Setting<unknown>> =>
  Object.fromEntries(
    VENUE_ADAPTERS.flatMap(({ venue, settings }) =>
      Object.entries(settings).map(([name, { textAs: _textAs, ...setting }]) => [
        venueSettingName(venue, name),
        { env: venueSettingEnv(venue, name), ...setting },
      ]),
    ),
  );

export const SETTINGS: Readonly<Record<string, Setting<unknown>>> = { ...OWN_SETTINGS, ...venueSettings() };

/** Values of Ladderlog's own settings by their types, and of the venues' settings by their names. */
export type Config = {
  readonly [K in keyof typeof OWN_SETTINGS]: (typeof OWN_SETTINGS)[K] extends Setting<infer T> ? T : never;
} & Readonly<Record<`venue${string}`, unknown>>;
