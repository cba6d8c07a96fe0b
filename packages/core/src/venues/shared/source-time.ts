// The venues' own spellings of time.

import { textOf } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';
import { EARLIEST_MICROS, LATEST_MICROS, MICROS_PER_MS, parseIso } from '../../kernel/time.ts';

/** Epoch milliseconds, as digits in a string or a number; null when absent or no time (a wrong unit is no time). */
export function millisOf(value: unknown): Micros | null {
  const text = textOf(value);
  if (text === null || !/^\d{11,14}$/.test(text)) return null;
  const at = Number(text) * MICROS_PER_MS;
  return at >= EARLIEST_MICROS && at <= LATEST_MICROS ? at : null;
}

export function isoOf(value: unknown): Micros | null {
  const at = typeof value === 'string' ? parseIso(value) : null;
  return at !== null && at >= EARLIEST_MICROS && at <= LATEST_MICROS ? at : null;
}
