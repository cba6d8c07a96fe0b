// Every operation of openapi.yaml and the function that answers it; a test holds the two lists together. The alias routes of
// venue A are the same operations under another name.

import type { Handler } from '../server/context.ts';
import { getCoverage, listGaps } from './coverage.ts';
import { getLatest, getLatests } from './latest.ts';
import { getMarket, getMarketBySlug, listMarkets } from './markets.ts';
import { listSamples, listTrades } from './samples.ts';
import { getOverview, health, whoami } from './service.ts';
import { getSnapshotAt, getSnapshotsAt, listSnapshots } from './snapshots.ts';

export const HANDLERS: Readonly<Record<string, Handler>> = {
  getHealth: health,
  getOverview,
  whoami,
  listVenueAMarkets: listMarkets,
  getVenueAMarket: getMarket,
  getVenueAMarketBySlug: getMarketBySlug,
  getVenueALatest: getLatest,
  listVenueASnapshots: listSnapshots,
  getVenueASnapshotAt: getSnapshotAt,
  listVenueASamples: listSamples,
  listVenueATrades: listTrades,
  listVenueBMarkets: listMarkets,
  getVenueBMarket: getMarket,
  getVenueBLatest: getLatest,
  listVenueBSnapshots: listSnapshots,
  getVenueBSnapshotAt: getSnapshotAt,
  listVenueCMarkets: listMarkets,
  getVenueCMarket: getMarket,
  getVenueCMarketBySlug: getMarketBySlug,
  getVenueCLatest: getLatests,
  listVenueCSnapshots: listSnapshots,
  getVenueCSnapshotAt: getSnapshotsAt,
  getCoverage,
  listGaps,
};
