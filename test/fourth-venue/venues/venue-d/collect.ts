// Venue D: one call a league finds its matches, one call a match has the books of all three outcomes.

import type {
  BackfillQuestion,
  BackfillWalk,
  CollectPlan,
  VenueCollect,
  VenueTiming,
} from '../../capture/collect.ts';
import { bookRequest, matchRequest, matchesRequest } from './requests.ts';
import type { Values } from './settings.ts';

/** Of matches whose result is awaited, so many at a time. */
const RESULTS_AT_ONCE = 20;

export const collect: VenueCollect = {
  timing: {},
  simulated: { values: {}, timing: {} },
  plan: (values: Values, timing) => plan(values, timing),
  backfill: { of: 'series', setting: 'leagues', walk },
};

const plan = ({ restUrl, leagues, readsPerSecond }: Values, timing: VenueTiming): CollectPlan => ({
  timing,
  endpoints: {
    rest: { baseUrl: restUrl, perSecond: readsPerSecond, burst: Math.max(1, readsPerSecond) },
  },
  choice: { assets: null, windows: null, series: leagues },
  *discover(now) {
    for (const league of leagues) yield matchesRequest(league, now);
  },
  *resolve(markets) {
    for (const [market] of markets.slice(0, RESULTS_AT_ONCE)) yield matchRequest(market);
  },
  sample: null,
  sockets: null,
  poll: {
    request: bookRequest,
    // Even the calmest book is asked for well before it counts as starved.
    limits: {
      minMs: Math.min(1_000, timing.staleMs / 4),
      maxMs: timing.staleMs / 2,
      startMs: timing.staleMs / 8,
    },
  },
  probe: null,
  seedMs: null,
  compareMs: null,
});

function* walk({ of: leagues, since, until, resume }: BackfillQuestion): BackfillWalk {
  for (let at = Number(resume ?? 0); at < leagues.length; at++)
    yield {
      request: matchesRequest(leagues[at]!, since, until),
      resume: String(at),
      done: at,
      total: leagues.length,
    };
}
