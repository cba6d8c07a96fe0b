// Short-dated "up or down" contracts: venues A and C name them by the same slugs, so asset and window are read from the slug
// and slugs are made for a time grid. A slug that is not one of these says nothing.

import { easternOf, hour12 } from './eastern.ts';
import { list } from '../../kernel/setting-parsers.ts';
import type { Micros } from '../../kernel/time.ts';
import { EARLIEST_MICROS, LATEST_MICROS, MICROS_PER_SECOND } from '../../kernel/time.ts';

type UpDown = {
  /** Upper case: BTC. */
  readonly asset: string;
  readonly window: string;
  /** Start of the window where the slug states it as a number; null where it is written as a date. */
  readonly opensAt: Micros | null;
};

const WINDOW_SECONDS: Readonly<Record<string, number>> = {
  '5m': 300,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
};

/** How a setting lists windows. */
export const WINDOWS = list(/^(5m|15m|1h|4h|1d)$/, 'windows such as 5m,15m');

const COIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['bitcoin', 'BTC'],
  ['ethereum', 'ETH'],
  ['solana', 'SOL'],
  ['xrp', 'XRP'],
  ['dogecoin', 'DOGE'],
  ['bnb', 'BNB'],
  ['hyperliquid', 'HYPE'],
]);

const MONTH = 'january|february|march|april|may|june|july|august|september|october|november|december';
const GRID = /^([a-z0-9]{2,10})-updown-(5m|15m|1h|4h|1d)-(\d{9,11})$/;
const HOURLY = new RegExp(`^([a-z]+)-up-or-down-(?:${MONTH})-\\d{1,2}(?:-\\d{4})?-\\d{1,2}(?:am|pm)-et$`);
const DAILY = new RegExp(`^([a-z]+)-up-or-down-on-(?:${MONTH})-\\d{1,2}(?:-\\d{4})?$`);

export function parseUpDownSlug(slug: string | null): UpDown | null {
  if (slug === null) return null;
  const grid = GRID.exec(slug);
  if (grid) {
    const opensAt = Number(grid[3]) * MICROS_PER_SECOND;
    const known = opensAt >= EARLIEST_MICROS && opensAt <= LATEST_MICROS;
    return { asset: grid[1]!.toUpperCase(), window: grid[2]!, opensAt: known ? opensAt : null };
  }
  for (const [pattern, window] of [
    [HOURLY, '1h'],
    [DAILY, '1d'],
  ] as const) {
    const named = pattern.exec(slug);
    const asset = named && COIN_NAMES.get(named[1]!);
    if (asset) return { asset, window, opensAt: null };
  }
  return null;
}

/**
 * Every name a window of this asset may have on the venue: one for the numbered grid; for hours and days, in US Eastern time,
 * the form without the year (to early 2026) and the form with it.
 */
export function upDownSlugs(asset: string, window: string, opensAt: Micros): readonly string[] {
  const seconds = Math.floor(opensAt / MICROS_PER_SECOND);
  if (window !== '1h' && window !== '1d') return [`${asset.toLowerCase()}-updown-${window}-${seconds}`];
  const coin = [...COIN_NAMES].find(([, symbol]) => symbol === asset.toUpperCase())?.[0];
  if (!coin) return [];
  // A day is named after the Eastern date on which it ends, at noon: that of this UTC day's own noon.
  const at = easternOf((window === '1d' ? seconds + 12 * 3_600 : seconds) * 1_000);
  const day = `${at.month.toLowerCase()}-${Number(at.day)}`;
  if (window === '1d') return [`${coin}-up-or-down-on-${day}`, `${coin}-up-or-down-on-${day}-${at.year}`];
  const { hour, half } = hour12(at);
  const time = `${hour}${half.toLowerCase()}-et`;
  return [`${coin}-up-or-down-${day}-${time}`, `${coin}-up-or-down-${day}-${at.year}-${time}`];
}

/** Starts of the windows that overlap [from, to), oldest first; grid windows only (their grid begins at the epoch). */
export function windowStarts(window: string, from: Micros, to: Micros): Micros[] {
  const length = (WINDOW_SECONDS[window] ?? 0) * MICROS_PER_SECOND;
  const starts: Micros[] = [];
  if (length === 0) return starts;
  for (let at = Math.floor(from / length) * length; at < to; at += length) starts.push(at);
  return starts;
}
