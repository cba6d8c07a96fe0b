// The flags that several commands have, and how the values of flags are read.

import type { Micros, Venue } from '@ladderlog/core';
import { LadderlogError, VENUES, parseClientTime } from '@ladderlog/core';

import type { Flag, Options } from './command.ts';
import { OWN_SETTINGS } from './settings/settings.ts';
import { ONE_VENUE } from './venue-texts.ts';

export const flag = (flags: string, doc: string, more: Omit<Flag, 'flags' | 'doc'> = {}): Flag => ({
  flags,
  doc,
  ...more,
});

/** Of a flag that may be repeated, and takes several separated by commas. */
export const repeated = {
  join: (value: string, before: readonly string[] | undefined): readonly string[] => [
    ...(before ?? []),
    ...value.split(','),
  ],
};

/** Every command has these. */
export const COMMON_FLAGS: readonly Flag[] = [
  flag('--data <dir>', OWN_SETTINGS.data.doc),
  flag('--config <file>', 'Configuration file (YAML).'),
  flag('--log-level <level>', OWN_SETTINGS.logLevel.doc),
  flag('--json', 'Machine-readable output.'),
];

export const HOST = flag('--host <address>', 'Address to listen on.');
export const METRICS_PORT = flag('--metrics-port <port>', 'Prometheus metrics, liveness and readiness.');
export const VENUE = flag('--venue <venue>', `${ONE_VENUE}.`, { required: true });
export const FROM = flag('--from <time>', 'From, inclusive (ISO 8601 or epoch milliseconds).');
export const TO = flag('--to <time>', 'To, exclusive.');

export const badArgument = (message: string): LadderlogError => new LadderlogError('BAD_ARGUMENT', message);

/** As it is typed: an option is named in camel case. */
export const typed = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const textOption = (options: Options, name: string): string | undefined =>
  options[name] as string | undefined;

export const listOption = (options: Options, name: string): readonly string[] | undefined =>
  options[name] as readonly string[] | undefined;

/** One of the words that are allowed. */
export function wordOption<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  const words = allowed.length === 2 ? allowed.join(' or ') : `one of ${allowed.join(', ')}`;
  if (found === undefined)
    throw badArgument(`${typed(name)} is '${(value as string | undefined) ?? ''}'; it must be ${words}`);
  return found;
}

export const venueOption = (options: Options, name = 'venue'): Venue =>
  wordOption(name, options[name], VENUES);

export function timeOption(options: Options, name: string): Micros | null {
  const text = textOption(options, name);
  if (text === undefined || text === null) return null;
  const at = parseClientTime(text);
  if (at === null)
    throw badArgument(
      `${typed(name)} is '${text}'; it must be an ISO 8601 time such as 2026-11-15 or 2026-11-15T10:00:00Z, or epoch milliseconds`,
    );
  return at;
}

/** A range of time, where given: `--from` and `--to`, or two flags of other names. */
export function rangeOptions(
  options: Options,
  [begin, end]: readonly [string, string] = ['from', 'to'],
): { readonly from: Micros | null; readonly to: Micros | null } {
  const from = timeOption(options, begin);
  const to = timeOption(options, end);
  if (from !== null && to !== null && to <= from)
    throw badArgument(
      `the range is empty: ${typed(end)} '${String(options[end])}' is not after ${typed(begin)} '${String(options[begin])}'`,
    );
  return { from, to };
}

export function numberOption(options: Options, name: string): number {
  const value = Number(options[name]);
  if (!Number.isFinite(value) || value < 0 || String(options[name]).trim() === '')
    throw badArgument(`${typed(name)} is '${String(options[name])}'; it must be a number of at least 0`);
  return value;
}
