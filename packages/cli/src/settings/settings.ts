// Every setting of Ladderlog, once: name, environment variable, flag, default, how its text is read, what it means.
// `ladderlog config` prints this table.

import { VENUES } from '@ladderlog/core';

import type { Setting, VenueChoice } from './setting-texts.ts';
import {
  bad,
  boolean,
  integer,
  list,
  number,
  ok,
  oneOf,
  optional,
  optionalInteger,
  optionalText,
  shard,
  text,
  url,
  venues,
} from './setting-texts.ts';

export type { Setting } from './setting-texts.ts';

export const SETTINGS = {
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

  venueaRestUrl: {
    env: 'LADDERLOG_VENUEA_REST_URL',
    default: 'https://api.binance.com/sapi/v1/w3w/wallet/prediction',
    parse: url('http', 'https'),
    doc: 'Venue A REST.',
  } as Setting<string>,
  venueaWsUrl: {
    env: 'LADDERLOG_VENUEA_WS_URL',
    default: 'wss://api.binance.com/sapi/wss',
    parse: url('ws', 'wss'),
    doc: 'Venue A WebSocket.',
  } as Setting<string>,
  venueaApiKey: {
    env: 'LADDERLOG_VENUEA_API_KEY',
    default: null,
    parse: optionalText,
    doc: 'Venue A key.',
    secret: true,
  } as Setting<string | null>,
  venueaApiSecret: {
    env: 'LADDERLOG_VENUEA_API_SECRET',
    default: null,
    parse: optionalText,
    doc: 'Venue A secret.',
    secret: true,
  } as Setting<string | null>,
  venueaCoins: {
    env: 'LADDERLOG_VENUEA_COINS',
    default: ['BTC', 'ETH', 'BNB'],
    parse: list(/^[A-Z0-9]{2,10}$/, 'coins such as BTC,ETH', (item) => item.toUpperCase()),
    doc: 'Venue A assets.',
  } as Setting<readonly string[]>,
  venueaWindows: {
    env: 'LADDERLOG_VENUEA_WINDOWS',
    default: ['5m', '15m'],
    parse: list(/^(5m|15m|1h|4h|1d)$/, 'windows such as 5m,15m'),
    doc: 'Venue A windows.',
  } as Setting<readonly string[]>,

  venuebRestUrl: {
    env: 'LADDERLOG_VENUEB_REST_URL',
    default: 'https://external-api.kalshi.com/trade-api/v2',
    parse: url('http', 'https'),
    doc: 'Venue B REST.',
  } as Setting<string>,
  venuebWsUrl: {
    env: 'LADDERLOG_VENUEB_WS_URL',
    default: 'wss://external-api-ws.kalshi.com/trade-api/ws/v2',
    parse: url('ws', 'wss'),
    doc: 'Venue B WebSocket; used when a key is given.',
  } as Setting<string>,
  venuebKeyId: {
    env: 'LADDERLOG_VENUEB_KEY_ID',
    default: null,
    parse: optionalText,
    doc: 'Venue B key id.',
  } as Setting<string | null>,
  venuebPrivateKeyFile: {
    env: 'LADDERLOG_VENUEB_PRIVATE_KEY_FILE',
    default: null,
    parse: optionalText,
    doc: "File with venue B's RSA private key (PEM).",
  } as Setting<string | null>,
  venuebSeries: {
    env: 'LADDERLOG_VENUEB_SERIES',
    default: ['KXBTC15M', 'KXETH15M', 'KXBNB15M', 'KXSOL15M'],
    parse: list(/^[A-Z0-9.-]{2,64}$/, 'series tickers such as KXBTC15M'),
    doc: 'Venue B series.',
  } as Setting<readonly string[]>,
  venuebReadsPerSecond: {
    env: 'LADDERLOG_VENUEB_READS_PER_SECOND',
    default: 10,
    parse: number(0.01, 1_000),
    doc: 'Upper bound of venue B REST reads; adapts below it.',
  } as Setting<number>,

  venuecGammaUrl: {
    env: 'LADDERLOG_VENUEC_GAMMA_URL',
    default: 'https://gamma-api.polymarket.com',
    parse: url('http', 'https'),
    doc: 'Venue C discovery.',
  } as Setting<string>,
  venuecClobUrl: {
    env: 'LADDERLOG_VENUEC_CLOB_URL',
    default: 'https://clob.polymarket.com',
    parse: url('http', 'https'),
    doc: 'Venue C books by REST.',
  } as Setting<string>,
  venuecWsUrl: {
    env: 'LADDERLOG_VENUEC_WS_URL',
    default: 'wss://ws-subscriptions-clob.polymarket.com/ws/market',
    parse: url('ws', 'wss'),
    doc: 'Venue C market channel.',
  } as Setting<string>,
  venuecAssets: {
    env: 'LADDERLOG_VENUEC_ASSETS',
    default: ['btc', 'eth', 'sol'],
    parse: list(/^[a-z0-9]{2,10}$/, 'assets such as btc,eth', (item) => item.toLowerCase()),
    doc: 'Venue C assets.',
  } as Setting<readonly string[]>,
  venuecWindows: {
    env: 'LADDERLOG_VENUEC_WINDOWS',
    default: ['5m', '15m'],
    parse: list(/^(5m|15m|1h|4h|1d)$/, 'windows such as 5m,15m'),
    doc: 'Venue C windows.',
  } as Setting<readonly string[]>,
} as const;

export type SettingName = keyof typeof SETTINGS;
