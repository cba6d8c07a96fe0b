// Every route × key × market × fault: each cell has one status and one code.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueKey, revokeKey } from '@ladderlog/api';
import type { Running, World } from './api-harness.ts';
import {
  C_UP,
  MINUTE,
  SECOND,
  ask,
  book,
  captureBeat,
  captureStarted,
  gap,
  market,
  openWorld,
} from './api-harness.ts';

const T0 = 1_794_700_800_000_000;
const GAP_AT = new Date((T0 + 15 * SECOND) / 1000).toISOString();
const GOOD_AT = new Date((T0 + 5 * SECOND) / 1000).toISOString();

type State = 'unknown' | 'no-data' | 'in-gap' | 'normal';
const STATES: readonly State[] = ['unknown', 'no-data', 'in-gap', 'normal'];
const KEYS = ['none', 'bad', 'revoked', 'explorer', 'quant'] as const;
const FAULTS = [
  'none',
  'bad-cursor',
  'foreign-cursor',
  'too-old',
  'too-old-bad-cursor',
  'bad-time',
  'reversed-range',
  'limit-0',
  'limit-over-max',
] as const;
type Fault = (typeof FAULTS)[number];

type Kind = 'list' | 'one' | 'slug' | 'latest' | 'page' | 'at' | 'samples' | 'trades' | 'coverage' | 'gaps';
type Route = {
  readonly kind: Kind;
  readonly venue: 'venuea' | 'venueb' | 'venuec';
  readonly path: (market: string, at: string) => string;
  readonly max: number | null;
};

const hex = (digit: string): string => `0x${digit.repeat(64)}`;
const MARKETS: Readonly<Record<Route['venue'], Readonly<Record<State, string>>>> = {
  venuea: { unknown: '1', 'no-data': '2', 'in-gap': '3', normal: '4' },
  venueb: { unknown: 'KX-1.0', 'no-data': 'KX-2.0', 'in-gap': 'KX-3.0', normal: 'KX-4.0' },
  venuec: { unknown: hex('1'), 'no-data': hex('2'), 'in-gap': hex('3'), normal: hex('4') },
};
const OUTCOME = { venuea: '0', venueb: 'yes', venuec: C_UP } as const;

const routesA = (base: string): Route[] => [
  { kind: 'list', venue: 'venuea', path: () => `${base}/markets?`, max: 500 },
  { kind: 'one', venue: 'venuea', path: (id) => `${base}/markets/${id}?`, max: null },
  { kind: 'slug', venue: 'venuea', path: (id) => `${base}/markets/by-slug/slug-${id}?`, max: null },
  { kind: 'latest', venue: 'venuea', path: (id) => `${base}/${id}/orderbook/latest?`, max: null },
  { kind: 'page', venue: 'venuea', path: (id) => `${base}/${id}/snapshots?`, max: 1000 },
  { kind: 'at', venue: 'venuea', path: (id, at) => `${base}/${id}/snapshots/at/${at}?`, max: null },
  { kind: 'samples', venue: 'venuea', path: (id) => `${base}/${id}/timeseries?metric=chance&`, max: 1000 },
  { kind: 'trades', venue: 'venuea', path: (id) => `${base}/${id}/trades?`, max: 1000 },
];
const ROUTES: readonly Route[] = [
  ...routesA('/v3/venuea-prediction'),
  ...routesA('/v3/venuea-alias'),
  { kind: 'list', venue: 'venueb', path: () => '/v3/venueb/markets?', max: 500 },
  { kind: 'one', venue: 'venueb', path: (id) => `/v3/venueb/markets/${id}?`, max: null },
  { kind: 'latest', venue: 'venueb', path: (id) => `/v3/venueb/${id}/orderbook/latest?`, max: null },
  {
    kind: 'page',
    venue: 'venueb',
    path: (id) => `/v3/venueb/${id}/snapshots?include_orderbook=true&`,
    max: 1000,
  },
  { kind: 'at', venue: 'venueb', path: (id, at) => `/v3/venueb/${id}/snapshots/at/${at}?`, max: null },
  { kind: 'list', venue: 'venuec', path: () => '/v3/btc/markets?', max: 500 },
  { kind: 'one', venue: 'venuec', path: (id) => `/v3/btc/markets/${id}?`, max: null },
  { kind: 'slug', venue: 'venuec', path: (id) => `/v3/btc/markets/by-slug/slug-${id}?`, max: null },
  { kind: 'latest', venue: 'venuec', path: (id) => `/v3/btc/markets/${id}/orderbook/latest?`, max: null },
  { kind: 'page', venue: 'venuec', path: (id) => `/v3/btc/markets/${id}/snapshots?`, max: 1000 },
  { kind: 'at', venue: 'venuec', path: (id, at) => `/v3/btc/markets/${id}/snapshots/at/${at}?`, max: null },
  ...(['venuea', 'venueb'] as const).flatMap((venue): Route[] => [
    { kind: 'coverage', venue, path: (id) => `/v3/coverage?venue=${venue}&market_id=${id}&`, max: null },
    { kind: 'gaps', venue, path: (id) => `/v3/gaps?venue=${venue}&market_id=${id}&`, max: 1000 },
  ]),
];

const hasRange = (kind: Kind): boolean =>
  ['list', 'page', 'samples', 'trades', 'coverage', 'gaps'].includes(kind);
const isPaged = (route: Route): boolean => route.max !== null;
/** History is limited by plan; the catalogue and what is known of gaps are not. */
const isHistory = (kind: Kind): boolean => ['page', 'samples', 'trades'].includes(kind);

/** The rule, written apart from the code: key, plan, parameters, history of the plan, market, data. */
function expected(route: Route, key: (typeof KEYS)[number], state: State, fault: Fault): string {
  if (key === 'none') return '401 AUTH_MISSING';
  if (key === 'bad' || key === 'revoked') return '401 AUTH_INVALID';
  const notInPlan = key === 'explorer' && route.venue === 'venuea';
  // Where the venue is a parameter, parameters come before the plan.
  const venueGiven = route.kind === 'coverage' || route.kind === 'gaps';
  if (notInPlan && !venueGiven) return '403 ENDPOINT_NOT_IN_PLAN';
  if (fault === 'bad-cursor' || fault === 'foreign-cursor' || fault === 'too-old-bad-cursor')
    return isPaged(route) ? '400 INVALID_CURSOR' : '400 INVALID_PARAMETER';
  if (fault !== 'none' && !(fault === 'too-old' && hasRange(route.kind))) return '400 INVALID_PARAMETER';
  if (notInPlan) return '403 ENDPOINT_NOT_IN_PLAN';
  if (fault === 'too-old' && isHistory(route.kind)) return '403 HISTORY_LIMIT_EXCEEDED';
  if (route.kind === 'list') return '200';
  if (state === 'unknown') return '404 MARKET_NOT_FOUND';
  if (route.kind === 'latest' && state === 'no-data') return '404 DATA_GAP';
  if (route.kind === 'at' && state !== 'normal') return '404 DATA_GAP';
  return '200';
}

let world: World;
let api: Running;
const keys: Record<(typeof KEYS)[number], string | null> = {
  none: null,
  bad: null,
  revoked: null,
  explorer: null,
  quant: null,
};
let foreignCursor: string;

beforeAll(async () => {
  world = await openWorld(T0 + 2 * MINUTE);
  keys.explorer = await world.key('explorer');
  keys.quant = await world.key('quant');
  keys.bad = `${keys.quant.slice(0, -4)}AAAA`;
  const revoked = await issueKey(world.log, world.clock, { plan: 'quant', name: 'gone' });
  await revokeKey(world.log, world.clock, { keyId: revoked.keyId, reason: 'test' });
  keys.revoked = revoked.key;
  for (const venue of ['venuea', 'venueb', 'venuec'] as const) {
    const ids = MARKETS[venue];
    const of = (id: string) => ({ venue, market: id, outcome: OUTCOME[venue] });
    await world.append([
      ...(['no-data', 'in-gap', 'normal'] as const).map((state) =>
        market(venue, ids[state], T0, { slug: `slug-${ids[state]}` }),
      ),
      ...(['in-gap', 'normal'] as const).flatMap((state) => [
        captureStarted(of(ids[state]), T0),
        book(of(ids[state]), { observedAt: T0 + SECOND }),
        captureBeat(of(ids[state]), T0 + 60 * SECOND),
      ]),
      ...gap(of(ids['in-gap']), T0 + 10 * SECOND, null),
    ]);
  }
  // Nothing changes from here on, so the store need not be asked the same again.
  api = await world.start({ memoMs: 600_000 });
  const page = await ask(`${api.url}/v3/gaps?venue=venuec&limit=1`, keys.quant);
  foreignCursor = page.body.pagination.next_cursor ?? '';
  if (foreignCursor === '') {
    const list = await ask(`${api.url}/v3/venueb/markets?limit=1`, keys.quant);
    foreignCursor = list.body.pagination.next_cursor;
  }
});
afterAll(() => world.close());

function faultQuery(route: Route, fault: Fault): string {
  switch (fault) {
    case 'none':
      return '';
    case 'bad-cursor':
      return 'cursor=bm90LW91cnM';
    case 'foreign-cursor':
      return `cursor=${foreignCursor}&${route.kind === 'list' && route.venue === 'venueb' ? 'status=open' : ''}`;
    case 'too-old':
      return 'start_time=2001-01-01';
    case 'too-old-bad-cursor':
      return 'start_time=2001-01-01&cursor=bm90LW91cnM';
    case 'bad-time':
      return hasRange(route.kind) ? 'start_time=yesterday' : 'start_time=2026-11-15';
    case 'reversed-range':
      return 'start_time=2026-11-15T01:00:00Z&end_time=2026-11-15T00:00:00Z';
    case 'limit-0':
      return 'limit=0';
    case 'limit-over-max':
      return `limit=${(route.max ?? 0) + 1}`;
  }
}

test('the cursor of another route is one that would be valid there', () => {
  expect(foreignCursor.length).toBeGreaterThan(30);
});

test.each(KEYS)('key %s: every route, market and fault', async (key) => {
  const cells = ROUTES.flatMap((route) =>
    STATES.flatMap((state) => FAULTS.map((fault) => ({ route, state, fault }))),
  );
  const wrong: string[] = [];
  const queue = [...cells];
  const worker = async (): Promise<void> => {
    for (let cell = queue.pop(); cell; cell = queue.pop()) {
      const { route, state, fault } = cell;
      const at = state === 'in-gap' ? GAP_AT : GOOD_AT;
      const path = route.path(MARKETS[route.venue][state], at) + faultQuery(route, fault);
      const { status, body } = await ask(api.url + path, keys[key]);
      const got = `${status}${body.error ? ` ${body.error.code}` : ''}`;
      const want = expected(route, key, state, fault);
      if (got !== want) wrong.push(`${path} [${state}, ${fault}]: ${got}, expected ${want}`);
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  expect(wrong).toEqual([]);
  expect(cells.length).toBe(ROUTES.length * STATES.length * FAULTS.length);
});
