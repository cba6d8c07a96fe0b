// The function that answers each kind of route a venue can have, and each route that belongs to no venue (by its operation id).
// A test compares the list with the contract.

import type { RouteKind } from '@ladderlog/core';
import type { Handler } from '../server/context.ts';
import { getCoverage, listGaps } from './coverage.ts';
import { getLatest, getLatests } from './latest.ts';
import { getMarket, getMarketBySlug, listMarkets } from './markets.ts';
import { listSamples, listTrades } from './samples.ts';
import { getOverview, health, whoami } from './service.ts';
import { getSnapshotAt, getSnapshotsAt, listSnapshots } from './snapshots.ts';

const OF_VENUES: Readonly<Record<RouteKind, Handler>> = {
  markets: listMarkets,
  market: getMarket,
  'market-by-slug': getMarketBySlug,
  'latest-book': getLatest,
  'latest-books': getLatests,
  snapshots: listSnapshots,
  'book-at': getSnapshotAt,
  'books-at': getSnapshotsAt,
  samples: listSamples,
  trades: listTrades,
};

export const HANDLERS: Readonly<Record<string, Handler>> = {
  ...OF_VENUES,
  getHealth: health,
  getOverview,
  whoami,
  getCoverage,
  listGaps,
};
