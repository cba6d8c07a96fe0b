// Which markets exist, and when: rolling series on the unix grid, their identities in each venue's own formats, and the
// phase of a market at a time. All of it is a pure function of (seed, series, window start).

import { createHash } from 'node:crypto';
import type { Venue } from '@ladderlog/core';
import type { GridName } from './book.ts';
import { easternRange, tickerTime } from './eastern.ts';

export type WindowName = '5m' | '15m' | '1h';

export type Series = {
  readonly venue: Venue;
  readonly asset: string;
  readonly window: WindowName;
  /** `ladder`: one event of several strikes (venue B, hourly). */
  readonly kind: 'updown' | 'ladder';
  /** The venue's own name: `btc-up-or-down-5m`, `KXBTC15M`. */
  readonly name: string;
  readonly durationMs: number;
  /** Number among the venue's series, for the numeric ids. */
  readonly index: number;
  readonly grid: GridName;
};

export type SimMarket = {
  readonly venue: Venue;
  readonly series: Series;
  /** Native market id: marketId (A), ticker (B), conditionId (C). */
  readonly id: string;
  /** Topic id (A), event ticker (B), Gamma event id (C). */
  readonly eventId: string;
  /** A and C; empty on B. */
  readonly slug: string;
  /** Gamma market id (C), externalId (A), uuid (B). */
  readonly alias: string;
  readonly conditionId: string;
  /** Both outcome tokens; on B there are none. */
  readonly tokens: readonly [string, string];
  readonly title: string;
  readonly listMs: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Trading stops here: C runs on past the end. */
  readonly stopMs: number;
  readonly resolveMs: number;
  /** Strike of a ladder market; null where the price at the start is the strike. */
  readonly strike: number | null;
};

export type Phase = 'unlisted' | 'listed' | 'live' | 'trailing' | 'closed' | 'resolved';

export function phaseAt(market: SimMarket, atMs: number): Phase {
  if (atMs < market.listMs) return 'unlisted';
  if (atMs < market.startMs) return 'listed';
  if (atMs < market.endMs) return 'live';
  if (atMs < market.stopMs) return 'trailing';
  return atMs < market.resolveMs ? 'closed' : 'resolved';
}

const WINDOW_MS: Readonly<Record<WindowName, number>> = {
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
};

const DEFAULT_ASSETS: Readonly<Record<Venue, readonly string[]>> = {
  venuea: ['BTC', 'ETH', 'BNB'],
  venueb: ['BTC', 'ETH'],
  venuec: ['BTC', 'ETH', 'SOL'],
};

/** Strikes of the hourly ladder on each side of the price at its listing. */
const LADDER_STRIKES = 3;

const whole = (ms: number): number => Math.max(1_000, Math.round(ms / 1_000) * 1_000);

export type SeriesOptions = {
  readonly venues: readonly Venue[];
  readonly assets: Partial<Readonly<Record<Venue, readonly string[]>>>;
  readonly windows: readonly WindowName[];
  /** Divides every duration: 15 makes a 5-minute window last 20 s. */
  readonly scale: number;
};

export function listSeries({ venues, assets, windows, scale }: SeriesOptions): Series[] {
  const found: Series[] = [];
  for (const venue of venues) {
    let index = 0;
    const add = (asset: string, window: WindowName, kind: Series['kind'], name: string, grid: GridName) =>
      found.push({
        venue,
        asset,
        window,
        kind,
        name,
        durationMs: whole(WINDOW_MS[window] / scale),
        index: index++,
        grid,
      });
    for (const asset of assets[venue] ?? DEFAULT_ASSETS[venue]) {
      if (venue === 'venueb') {
        if (windows.includes('15m'))
          add(asset, '15m', 'updown', `KX${asset}15M`, asset === 'ETH' ? 'cent' : 'tapered');
        if (windows.includes('1h') && asset === 'BTC') add(asset, '1h', 'ladder', `KX${asset}D`, 'tapered');
        continue;
      }
      for (const window of ['5m', '15m'] as const) {
        if (!windows.includes(window)) continue;
        const grid: GridName = venue === 'venuea' && asset === 'BNB' ? 'deci' : 'cent';
        add(asset, window, 'updown', `${asset.toLowerCase()}-up-or-down-${window}`, grid);
      }
    }
  }
  return found;
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

const NAMES: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  ETH: 'Ethereum',
  BNB: 'BNB',
  SOL: 'Solana',
  XRP: 'XRP',
  DOGE: 'Dogecoin',
  HYPE: 'Hyperliquid',
};
export const assetName = (asset: string): string => NAMES[asset] ?? asset;

export type MarketTimes = {
  /** Windows listed ahead of the live one. */
  readonly prelisted: number;
  readonly scale: number;
};

/** The markets of one window of a series: one, or the strikes of a ladder around `reference`, the price at its listing. */
export function marketsOf(
  seed: number,
  series: Series,
  startMs: number,
  reference: number,
  { prelisted, scale }: MarketTimes,
): SimMarket[] {
  const endMs = startMs + series.durationMs;
  const ordinal = Math.floor(startMs / series.durationMs) * 256 + series.index;
  const stopMs = endMs + (series.venue === 'venuec' ? whole(90_000 / scale) : 0);
  const common = {
    venue: series.venue,
    series,
    startMs,
    endMs,
    stopMs,
    listMs: startMs - prelisted * series.durationMs,
    resolveMs: stopMs + whole((series.venue === 'venuec' ? 60_000 : 45_000) / scale),
  };
  const range = easternRange(startMs, endMs);
  const digest = sha(`${seed}:${series.venue}:${series.name}:${startMs}`);
  const token = (outcome: number): string => BigInt(`0x${sha(`${digest}:${outcome}`)}`).toString();
  if (series.venue === 'venueb') {
    const hourly = series.kind === 'ladder';
    const eventId = `${series.name}-${tickerTime(endMs, hourly)}`;
    const uuid = (text: string): string => {
      const h = sha(text);
      return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
    };
    const one = (suffix: string, strike: number | null, title: string): SimMarket => ({
      ...common,
      id: `${eventId}-${suffix}`,
      eventId,
      slug: '',
      alias: uuid(`${digest}:${suffix}`),
      conditionId: '',
      tokens: ['', ''],
      title,
      strike,
    });
    if (!hourly) {
      const minute = tickerTime(endMs, false).slice(9);
      return [one(minute, null, `${series.asset} price up in next 15 mins?`)];
    }
    const step = 250;
    const middle = Math.round(reference / step) * step;
    const strikes: SimMarket[] = [];
    for (let n = -LADDER_STRIKES; n <= LADDER_STRIKES; n++) {
      const strike = middle + n * step - 0.01;
      strikes.push(one(`T${strike.toFixed(2)}`, strike, `${assetName(series.asset)} price on ${range}?`));
    }
    return strikes;
  }
  const slug = `${series.asset.toLowerCase()}-updown-${series.window}-${Math.floor(startMs / 1_000)}`;
  const conditionId = `0x${digest}`;
  const numeric = String((series.venue === 'venuea' ? 6_000_000 : 2_000_000) + ordinal);
  return [
    {
      ...common,
      id: series.venue === 'venuea' ? numeric : conditionId,
      eventId: String((series.venue === 'venuea' ? 4_000_000 : 600_000) + ordinal),
      slug,
      alias: series.venue === 'venuea' ? String(1_000_000 + ordinal) : numeric,
      conditionId,
      tokens: [token(0), token(1)],
      title: `${assetName(series.asset)} Up or Down - ${range}`,
      strike: null,
    },
  ];
}
