// The venues' own spellings of time. What is absent, or no time (a wrong unit is no time), is null.

import { textOf } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';
import {
  EARLIEST_MICROS,
  LATEST_MICROS,
  MICROS_PER_MS,
  MICROS_PER_SECOND,
  parseIso,
} from '../../kernel/time.ts';

export const inRange = (at: Micros | null): Micros | null =>
  at !== null && at >= EARLIEST_MICROS && at <= LATEST_MICROS ? at : null;

/** Epoch milliseconds, as digits in a string or a number. */
export function millisOf(value: unknown): Micros | null {
  const text = textOf(value);
  return text !== null && /^\d{11,14}$/.test(text) ? inRange(Number(text) * MICROS_PER_MS) : null;
}

/** Epoch seconds as a number. */
export const secondsOf = (value: unknown): Micros | null =>
  typeof value === 'string'
    ? null
    : inRange(Math.round(Number(textOf(value) ?? Number.NaN) * MICROS_PER_SECOND));

export const isoOf = (value: unknown): Micros | null =>
  typeof value === 'string' ? inRange(parseIso(value)) : null;
