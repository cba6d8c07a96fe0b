// The "up or down" markets of the venues that name them by slug, condition and tokens.

import { easternRange } from '../shared/eastern.ts';
import { assetName, type SeriesPlan, type SimIdentity, type SimWindow } from './simulate.ts';
import type { GridName } from './sim-book.ts';

export const upDownSeries = (asset: string, grid: GridName): SeriesPlan[] =>
  (['5m', '15m'] as const).map((window) => ({
    window,
    kind: 'updown',
    name: `${asset.toLowerCase()}-up-or-down-${window}`,
    grid,
  }));

export function upDownIdentity({
  series: { asset, window },
  startMs,
  endMs,
  digest,
  sha256,
}: SimWindow): Omit<SimIdentity, 'id' | 'eventId' | 'alias'> {
  const token = (outcome: number): string => BigInt(`0x${sha256(`${digest}:${outcome}`)}`).toString();
  return {
    slug: `${asset.toLowerCase()}-updown-${window}-${Math.floor(startMs / 1_000)}`,
    conditionId: `0x${digest}`,
    tokens: [token(0), token(1)],
    title: `${assetName(asset)} Up or Down - ${easternRange(startMs, endMs)}`,
    strike: null,
  };
}
