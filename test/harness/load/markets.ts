// The markets of the load: the simulators' catalogue with windows so long that none ends while a bench runs.

import type { Venue } from '@ladderlog/core';
import { adapterOf, phaseAt } from '@ladderlog/core';

import { MarketProcess } from '../../../packages/simulators/src/market/market-process.ts';
import { BookB, BookC } from './books.ts';

const SEED = 7;
const ASSETS_B = ['BTC', 'ETH', 'BNB', 'SOL', 'XRP', 'DOGE', 'HYPE', 'ADA', 'LTC', 'LINK', 'DOT', 'AVAX'];
const ASSETS_C = ['BTC', 'ETH', 'SOL', 'XRP', 'BNB', 'DOGE'];
const WINDOWS_MS = [300_000, 900_000];
const AT_LEAST_MS = 3 * 3_600_000;
/** By what windows are stretched: a round of 5 minutes lasts a third of a day. */
const STRETCH = 100;

/** A stretch with which every window that is open now stays open. */
function stretchAt(nowMs: number): number {
  for (let stretch = STRETCH; ; stretch++)
    if (WINDOWS_MS.every((ms) => ms * stretch - (nowMs % (ms * stretch)) > AT_LEAST_MS)) return stretch;
}

export function loadMarkets(nowMs: number) {
  const process = new MarketProcess({
    seed: SEED,
    startMs: nowMs,
    venues: ['venueb', 'venuec'],
    assets: { venueb: ASSETS_B, venuec: ASSETS_C },
    windows: ['5m', '15m'],
    scale: 1 / stretchAt(nowMs),
    levels: 10,
    // Only the catalogue is used; the books are the load's own.
    updatesPerSecond: 1e-9,
    prelisted: 0,
    history: 0,
  });
  const open = (venue: Venue) =>
    process.states(venue).flatMap(({ market }) => (phaseAt(market, nowMs) === 'live' ? [market] : []));
  return {
    content: (venue: Venue) => adapterOf(venue).simulate.open(process.marketsOf(venue)),
    advance: (toMs: number): void => process.advance(toMs, () => undefined),
    booksB: open('venueb').map(({ id, alias }, at) => new BookB(id, alias, at + 1)),
    booksC: open('venuec').flatMap(({ id, tokens }, at) =>
      tokens.map((token, outcome) => new BookC(id, token, 2 * at + outcome + 101)),
    ),
    paths: [
      ...open('venueb').map(({ id }) => `venueb/${id}`),
      ...open('venuec').map(({ id, series }) => `${series.asset.toLowerCase()}/markets/${id}`),
    ],
    /** What a recorder must be told to find them all. */
    settings: {
      venueb: { series: ASSETS_B.map((asset) => `KX${asset}15M`).join(',') },
      venuec: { assets: ASSETS_C.map((asset) => asset.toLowerCase()).join(','), windows: '5m,15m' },
    },
  };
}
