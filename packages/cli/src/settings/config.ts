// The configuration of one run, from flags, environment, file and defaults.

import { readFileSync } from 'node:fs';

import type { VenueAdapter } from '@ladderlog/core';
import { LadderlogError, venueSettingName } from '@ladderlog/core';

import { masked } from './setting-texts.ts';
import type { Config } from './settings.ts';
import { SETTINGS } from './settings.ts';

export type { Config } from './settings.ts';
export type ConfigOrigin = 'flag' | 'environment' | 'file' | 'default';
export type ResolvedConfig = {
  readonly config: Config;
  readonly origins: Readonly<Record<string, ConfigOrigin>>;
  readonly problems: readonly string[];
};

/** Flag > environment > file > default; every problem is reported, not only the first. */
export function resolveConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, unknown>>,
): ResolvedConfig {
  const config: Record<string, unknown> = {};
  const origins: Record<string, ConfigOrigin> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const candidates: [ConfigOrigin, unknown, string][] = [
      ['flag', flags[name], `--${setting.flag ?? name}`],
      ['environment', env[setting.env] === '' ? undefined : env[setting.env], setting.env],
      // `name:` with nothing behind it is null.
      ['file', file[name] ?? undefined, `'${name}' in the configuration file`],
    ];
    config[name] = setting.default;
    origins[name] = 'default';
    const given = candidates.find(([, value]) => value !== undefined);
    if (!given) continue;
    const [origin, value, where] = given;
    const parsed = setting.parse(Array.isArray(value) ? value.join(',') : String(value));
    if (parsed.ok) {
      config[name] = parsed.value;
      origins[name] = origin;
    } else
      problems.push(
        `${where} is ${setting.secret ? 'not valid' : `'${masked(String(value)).slice(0, 80)}'`}; it must be ${parsed.fix}`,
      );
  }
  for (const name of Object.keys(file))
    if (!(name in SETTINGS))
      problems.push(`'${name}' in the configuration file is not a setting; see 'ladderlog config'`);
  for (const name of Object.keys(env)) {
    if (name.startsWith('LADDERLOG_') && !KNOWN_ENV.has(name))
      problems.push(`${name} is not a setting; see 'ladderlog config'`);
  }
  const whole = config as Config;
  // Whether a collector lives is told by its name, so that shares must not have the same.
  const { index, count } = whole.shard;
  if (origins['collectorId'] === 'default' && count > 1) config['collectorId'] = `shard-${index}-of-${count}`;
  if (whole.kafkaBrokers && !whole.registryUrl)
    problems.push(
      'LADDERLOG_KAFKA_BROKERS is set but LADDERLOG_SCHEMA_REGISTRY_URL is not; the log on Kafka needs both',
    );
  if (whole.kafkaSaslMechanism && !whole.kafkaSaslUsername)
    problems.push('LADDERLOG_KAFKA_SASL_MECHANISM is set but LADDERLOG_KAFKA_SASL_USERNAME is not');
  if ((whole.kafkaCertFile === null) !== (whole.kafkaKeyFile === null))
    problems.push('LADDERLOG_KAFKA_CERT_FILE and LADDERLOG_KAFKA_KEY_FILE belong together; one is not set');
  return { config: whole, origins, problems };
}

/** The text of the file that a setting names. */
export function textOfFile(config: Config, name: string): string | null {
  const path = (config as Readonly<Record<string, unknown>>)[name];
  try {
    return typeof path === 'string' ? readFileSync(path, 'utf8') : null;
  } catch (cause) {
    throw new LadderlogError(
      'BAD_CONFIG',
      `${SETTINGS[name]!.env} cannot be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** What is set of a venue, by the names that its own settings have. */
export const venueValues = (
  config: Config,
  { venue, settings }: VenueAdapter,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.keys(settings).map((name) => [name, config[venueSettingName(venue, name) as 'venue']]),
  );

/** The texts of the files that a venue's settings name. */
export const venueFiles = (
  config: Config,
  { venue, settings }: VenueAdapter,
): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, { textAs }]) =>
      textAs === undefined ? [] : [[textAs, textOfFile(config, venueSettingName(venue, name))]],
    ),
  );

/** Read by tests and scripts, not settings of the product. */
const KNOWN_ENV = new Set([
  ...Object.values(SETTINGS).map(({ env }) => env),
  'LADDERLOG_CONFIG',
  'LADDERLOG_FULL',
  'LADDERLOG_RECORDINGS',
  'LADDERLOG_REQUIRE_KAFKA',
  'LADDERLOG_KEY',
  'LADDERLOG_URL',
]);
