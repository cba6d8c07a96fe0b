// Venue B: without a key, books are polled adaptively under the quota; with one, the signed WebSocket sends snapshots and
// deltas. Markets are found by series either way.

import type {
  Answer,
  BackfillPage,
  BackfillQuestion,
  BackfillWalk,
  CollectPlan,
  Primitives,
  Requests,
  RestEndpoint,
  VenueCollect,
  VenueTiming,
} from '../../capture/collect.ts';
import { isObject, parseJson, textOf } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';
import type { Key } from './requests.ts';
import {
  MARKETS_PER_PAGE,
  bookRequest,
  marketRequest,
  marketsRequest,
  pathOf,
  signedHeaders,
} from './requests.ts';
import type { Values } from './settings.ts';
import { createDialogue } from './socket.ts';

/** One sid a socket, and few markets on it: a break in its numbers makes all of them suspect. */
const MARKETS_PER_SOCKET = 50;
const MARKETS_PER_DISCOVERY_PAGE = 200;
const DISCOVERY_PAGES = 50;
/** Of markets whose resolution is awaited, so many at a time. */
const RESOLVED_AT_ONCE = 20;

export const collect: VenueCollect = {
  timing: {},
  // Series that the simulator lists; the default list names more.
  simulated: { values: { series: ['KXBTC15M', 'KXETH15M', 'KXBTCD'] }, timing: {} },
  plan: (values: Values, timing, primitives) => plan(values, timing, primitives),
  backfill: { of: 'series', setting: 'series', walk },
};

function plan(values: Values, timing: VenueTiming, primitives: Primitives): CollectPlan {
  const { keyId, privateKeyPem, series } = values;
  const key = keyId === null || privateKeyPem === null ? null : { id: keyId, privateKeyPem };
  return {
    timing,
    endpoints: { rest: endpoint(values, key, primitives) },
    choice: { assets: null, windows: null, series },
    discover: (now) => discover(series, now),
    *resolve(markets) {
      for (const [market] of markets.slice(0, RESOLVED_AT_ONCE)) yield marketRequest(market);
    },
    sample: null,
    sockets: key && {
      perSocket: MARKETS_PER_SOCKET,
      open: () => createDialogue(values.wsUrl, key, timing, primitives),
    },
    poll: key
      ? null
      : {
          request: (market) => bookRequest(market),
          // Even the calmest book is asked for well before it counts as starved.
          limits: {
            minMs: Math.min(1_000, timing.staleMs / 4),
            maxMs: timing.staleMs / 2,
            startMs: timing.staleMs / 8,
          },
        },
    probe: key && ((market) => bookRequest(market)),
    seedMs: null,
    compareMs: null,
  };
}

function endpoint(
  { restUrl, readsPerSecond }: Values,
  key: Key | null,
  primitives: Primitives,
): RestEndpoint {
  const base = { baseUrl: restUrl, perSecond: readsPerSecond, burst: Math.max(1, readsPerSecond) };
  if (!key) return base;
  const prefix = pathOf(restUrl);
  return {
    ...base,
    sign: ({ method, path }) => ({
      path,
      headers: signedHeaders(key, method, `${prefix}${path}`, primitives),
    }),
  };
}

/** Asks by close time and without a status: that lists open rounds, and those that open next. */
function* discover(allSeries: readonly string[], now: Micros): Requests {
  for (const series of allSeries) {
    let cursor: string | null = null;
    for (let page = 0; page < DISCOVERY_PAGES; page++) {
      const answer: Answer = yield marketsRequest({
        series,
        closesFrom: now,
        limit: MARKETS_PER_DISCOVERY_PAGE,
        cursor,
      });
      cursor = answer.ok ? cursorOf(answer.text) : null;
      if (cursor === null) break;
    }
  }
}

/** Where the next page begins; null on the last one. */
function cursorOf(text: string): string | null {
  const body = parseJson(text);
  const cursor = isObject(body) ? textOf(body['cursor']) : null;
  return cursor === '' ? null : cursor;
}

/** The live listing and, for what has left it, the historical one; a cursor within each series. */
function* walk({ of, since, until, resume }: BackfillQuestion): BackfillWalk {
  const stages = of.flatMap((series) => [false, true].map((historical) => ({ series, historical })));
  const [stageText = '0', ...rest] = (resume ?? '0').split(' ');
  let cursor: string | null = rest.join(' ') || null;
  for (let stage = Number(stageText); stage < stages.length; stage++) {
    const { series, historical } = stages[stage]!;
    do {
      const query = { series, closesFrom: since, closesUntil: until, limit: MARKETS_PER_PAGE, cursor };
      const page: BackfillPage = yield {
        request: marketsRequest(query, historical),
        resume: `${stage} ${cursor ?? ''}`.trim(),
        done: stage,
        total: stages.length,
      };
      cursor = cursorOf(page.text);
    } while (cursor !== null);
  }
}
