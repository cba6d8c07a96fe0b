// Which markets exist, and when: rolling series on the unix grid. A pure function of (seed, series, window start); what the
// venue calls them is the venue's.

import type { Series, SimMarket, Venue, VenueSimulatePart, WindowName } from '@ladderlog/core';
import { adapterOf } from '@ladderlog/core';
import { nodePrimitives } from '@ladderlog/servers';

export type { WindowName };

const WINDOW_MS: Readonly<Record<WindowName, number>> = {
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
};

const wholeSeconds = (ms: number): number => Math.max(1_000, Math.round(ms / 1_000) * 1_000);

export const simulateOf = (venue: Venue): VenueSimulatePart => adapterOf(venue).simulate;

export type SeriesOptions = {
  readonly venues: readonly Venue[];
  readonly assets: Readonly<Record<string, readonly string[]>>;
  readonly windows: readonly WindowName[];
  /** Divides every duration: 15 makes a 5-minute window last 20 s. */
  readonly scale: number;
};

export function listSeries({ venues, assets, windows, scale }: SeriesOptions): Series[] {
  return venues.flatMap((venue) => {
    const part = simulateOf(venue);
    return (assets[venue] ?? part.assets)
      .flatMap((asset) => part.series(asset).map((plan) => ({ ...plan, venue, asset })))
      .filter(({ window }) => windows.includes(window))
      .map((series, index) => ({
        ...series,
        durationMs: wholeSeconds(WINDOW_MS[series.window] / scale),
        index,
      }));
  });
}

export type MarketTimes = {
  /** Windows listed ahead of the live one. */
  readonly prelisted: number;
  readonly scale: number;
};

/** The markets of one window of a series; `reference` is the price of the asset when the window was listed. */
export function marketsOf(
  seed: number,
  series: Series,
  startMs: number,
  reference: number,
  { prelisted, scale }: MarketTimes,
): SimMarket[] {
  const { venue, durationMs } = series;
  const { sha256 } = nodePrimitives;
  const part = simulateOf(venue);
  const endMs = startMs + durationMs;
  const stopMs = endMs + (part.trailingMs === 0 ? 0 : wholeSeconds(part.trailingMs / scale));
  const window = {
    series,
    startMs,
    endMs,
    digest: sha256(`${seed}:${venue}:${series.name}:${startMs}`),
    ordinal: Math.floor(startMs / durationMs) * 256 + series.index,
    reference,
    sha256,
  };
  return part.markets(window).map((identity) => ({
    ...identity,
    venue,
    series,
    startMs,
    endMs,
    stopMs,
    listMs: startMs - prelisted * durationMs,
    resolveMs: stopMs + wholeSeconds(part.resolutionMs / scale),
  }));
}
