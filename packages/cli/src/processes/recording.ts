// For commands that only read what was recorded: the log, and the flags that choose of it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Micros, Venue } from '@ladderlog/core';
import { LadderlogError, VENUES, parseClientTime } from '@ladderlog/core';

import type { Context } from '../context.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import type { Options } from '../program.ts';
import { openLog } from './runtime.ts';

/** A mistyped directory is an error, not an empty recording. */
export async function openRecording(context: Context): ReturnType<typeof openLog> {
  const { config, logger } = context;
  if (!config.kafkaBrokers && !existsSync(join(config.data, 'log.sqlite')))
    throw new LadderlogError(
      'NO_RECORDING',
      `there is no recording in ${config.data}; --data names the directory of one`,
    );
  return openLog(context, openDataDirectory(config.data, logger));
}

export const badArgument = (message: string): LadderlogError => new LadderlogError('BAD_ARGUMENT', message);

/** As it is typed: an option is named in camel case. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export function venueOption(flag: string, value: unknown): Venue {
  const venue = VENUES.find((name) => name === value);
  if (!venue) throw badArgument(`${flag} is '${String(value)}'; it must be ${VENUES.join(', ')}`);
  return venue;
}

export function timeOption(options: Options, name: string): Micros | null {
  const text = options[name] as string | undefined;
  if (text === undefined) return null;
  const at = parseClientTime(text);
  if (at === null)
    throw badArgument(`--${name} is '${text}'; it must be an ISO 8601 time or epoch milliseconds`);
  return at;
}

/** `--from` and `--to`, where given. */
export function rangeOptions(options: Options): { readonly from: Micros | null; readonly to: Micros | null } {
  const from = timeOption(options, 'from');
  const to = timeOption(options, 'to');
  if (from !== null && to !== null && to <= from)
    throw badArgument(
      `the range is empty: --to '${String(options['to'])}' is not after --from '${String(options['from'])}'`,
    );
  return { from, to };
}

/** Of a flag that may be repeated, and takes several separated by commas. */
export const repeated = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  ...value.split(','),
];

export function numberOption(options: Options, name: string): number {
  const value = Number(options[name]);
  if (!Number.isFinite(value) || value < 0 || String(options[name]).trim() === '')
    throw badArgument(`${flagOf(name)} is '${String(options[name])}'; it must be a number of at least 0`);
  return value;
}
