// Venue C: markets are found by series and slug; books come from the market channel on several sockets, and are compared with REST.

import type {
  BackfillQuestion,
  BackfillWalk,
  CollectPlan,
  KnownMarket,
  Requests,
  VenueCollect,
  VenueTiming,
} from '../../capture/collect.ts';
import type { Micros } from '../../kernel/time.ts';
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../kernel/time.ts';
import {
  TOKENS_PER_SOCKET,
  bookRequest,
  eventBySlugRequest,
  marketsByConditionRequest,
  seriesRequest,
  seriesSlug,
  shortDatedSlugs,
} from './requests.ts';
import type { Values } from './settings.ts';
import { createDialogue } from './socket.ts';

const ROUNDS_OF_A_SERIES = 20;
const CONDITIONS_PER_CALL = 20;
const DAY: Micros = 86_400 * MICROS_PER_SECOND;

export const collect: VenueCollect = {
  timing: {},
  simulated: { values: {}, timing: {} },
  plan: (values: Values, timing) => plan(values, timing),
  backfill: { of: 'assets', setting: 'assets', walk },
};

const plan = (values: Values, timing: VenueTiming): CollectPlan => ({
  timing,
  // Well below the published 300 and 1,500 calls in ten seconds.
  endpoints: {
    gamma: { baseUrl: values.gammaUrl, perSecond: 10, burst: 20 },
    clob: { baseUrl: values.clobUrl, perSecond: 20, burst: 40 },
  },
  choice: {
    assets: values.assets.map((asset) => asset.toUpperCase()),
    windows: values.windows,
    series: null,
  },
  discover: (now) => discover(values, now, now + timing.leadMs * MICROS_PER_MS + MICROS_PER_SECOND),
  resolve,
  sample: null,
  sockets: {
    perSocket: Math.floor(TOKENS_PER_SOCKET / 2),
    open: () => createDialogue(values.wsUrl, timing),
  },
  poll: null,
  probe: (_market, outcome) => bookRequest(outcome),
  seedMs: null,
  compareMs: timing.compareMs,
});

function* discover({ assets, windows }: Values, now: Micros, ahead: Micros): Requests {
  for (const window of windows)
    for (const asset of assets) {
      const series = seriesSlug(asset, window);
      if (series !== null) yield seriesRequest(series, { limit: ROUNDS_OF_A_SERIES });
      // Hours and days have no series: their slugs say when they are.
      else for (const slug of shortDatedSlugs([asset], [window], now, ahead)) yield eventBySlugRequest(slug);
    }
}

function* resolve(markets: readonly KnownMarket[]): Requests {
  for (let at = 0; at < markets.length; at += CONDITIONS_PER_CALL) {
    const some = markets.slice(at, at + CONDITIONS_PER_CALL);
    yield marketsByConditionRequest(
      some.map(([market]) => market),
      true,
    );
  }
}

/** Every window has its slug; closed markets are listed only when asked for. */
function* walk({ of, windows, since, until, resume }: BackfillQuestion): BackfillWalk {
  const from = resume ? Math.max(since, Number(resume)) : since;
  for (let start = from; start < until; start += DAY) {
    // Also the window that closes just as the range begins.
    const begin = start === since ? start - 1 : start;
    for (const slug of shortDatedSlugs(of, windows, begin, Math.min(start + DAY, until))) {
      yield {
        request: eventBySlugRequest(slug, true),
        resume: String(start),
        done: start - since,
        total: until - since,
      };
    }
  }
}
