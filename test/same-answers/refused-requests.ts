// Requests that are refused, and how: by key, plan, method, parameter, cursor, or because there is no such thing.

import type { Asked } from './asking.ts';
import { INSTANTS, LONG_AGO, RANGES } from './moments.ts';
import type { MarketChoice } from './paths.ts';
import { withQuery } from './paths.ts';

type Choices = { readonly a: MarketChoice; readonly b: MarketChoice; readonly c: MarketChoice };

export function refusedRequests({ a, b, c }: Choices): Asked[] {
  const snapshots = {
    a: `/v3/venuea-prediction/${a.id}/snapshots`,
    b: `/v3/venueb/${b.id}/snapshots`,
    c: `/v3/btc/markets/${c.id}/snapshots`,
  };
  const inside = withQuery('', { ...RANGES.inside, limit: 2 });
  return [
    ...keys(snapshots.b + inside),
    ...plans(snapshots, inside),
    ...methods(snapshots.b + inside),
    ...Object.values(snapshots).flatMap((path) => parameters(path)),
    ...paths(a.id, c.id),
  ];
}

function keys(path: string): Asked[] {
  const none = (headers: Record<string, string>): Asked => ({ path, as: 'none', headers });
  return [
    { path, as: 'none' },
    { path: '/v3/whoami', as: 'none' },
    { path, as: 'revoked' },
    { path: '/v3/whoami', as: 'revoked' },
    none({ Authorization: 'Bearer ll_aaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' }),
    none({ Authorization: 'Bearer nonsense' }),
    none({ Authorization: 'Basic dXNlcjpwYXNz' }),
    none({ 'X-API-Key': 'nonsense' }),
    { path: `${path}&api_key=nonsense`, as: 'none' },
  ];
}

function plans(snapshots: Readonly<Record<'a' | 'b' | 'c', string>>, inside: string): Asked[] {
  const old = withQuery('', { start_time: LONG_AGO, limit: 2 });
  return [
    { path: snapshots.a + inside, as: 'explorer' },
    { path: '/v3/venuea-alias/markets?limit=1', as: 'explorer' },
    { path: snapshots.b + inside, as: 'explorer' },
    { path: snapshots.b + old, as: 'explorer' },
    { path: '/v3/gaps?venue=venuea&limit=1', as: 'explorer' },
    { path: snapshots.a + inside, as: 'quant' },
    { path: snapshots.b + old, as: 'quant' },
    { path: `${snapshots.c}/at/${LONG_AGO}`, as: 'quant' },
    { path: `${snapshots.c}/at/${LONG_AGO}` },
    { path: `${snapshots.b}${old}&end_time=2026-01-03` },
  ];
}

const methods = (path: string): Asked[] => [
  ...['POST', 'PUT', 'DELETE', 'PATCH'].map((method) => ({ path, method })),
  { path: '/v3/health', method: 'POST', as: 'none' },
  { path: '/v3/health', method: 'HEAD', as: 'none' },
  { path: '/v3/whoami', method: 'DELETE', as: 'none' },
  {
    path,
    method: 'OPTIONS',
    as: 'none',
    headers: { Origin: 'https://example.test', 'Access-Control-Request-Method': 'GET' },
  },
];

function parameters(path: string): Asked[] {
  const wrong = [
    'limit=0',
    'limit=1001',
    'limit=many',
    'limit=',
    'limit=2&limit=3',
    'interval=2m',
    'interval=1M',
    'include_orderbook=yes',
    'ladder=tree',
    'start_time=yesterday',
    'start_time=2026-02-30',
    'end_time=1999-01-01',
    `start_time=${RANGES.inside.end_time}&end_time=${RANGES.inside.start_time}`,
    'cursor=nonsense',
    'cursor=',
    'cursor=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'strat_time=2026-11-15',
    'outcome=none-such',
  ];
  return [
    ...wrong.map((query) => ({ path: `${path}?${query}` })),
    { path: `${path}/at/2199-01-01T00:00:00Z` },
    { path: `${path}/at/noon` },
    { path: `${path}/at/${INSTANTS.inside}?limit=1` },
  ];
}

const UNKNOWN_C = `0x${'0'.repeat(63)}1`;

const paths = (a: string, c: string): Asked[] =>
  [
    '/',
    '/v3',
    '/v3/nothing',
    '/v2/health',
    '/v3/health/',
    '/v3/Health',
    '/v3/%zz/markets',
    '/v3/gold/markets',
    '/v3/BTC/markets',
    '/v3/venuea-prediction/markets/999999999',
    '/v3/venuea-prediction/markets/not-a-number',
    '/v3/venuea-prediction/999999999/orderbook/latest',
    '/v3/venuea-prediction/999999999/snapshots',
    '/v3/venuea-prediction/999999999/trades',
    '/v3/venuea-prediction/999999999/timeseries?metric=chance',
    `/v3/venuea-prediction/${a}/timeseries`,
    `/v3/venuea-prediction/${a}/timeseries?metric=volume`,
    `/v3/venuea-prediction/${a}/timeseries?metric=chance&outcome=2`,
    `/v3/venuea-prediction/${a}/orderbook/latest?outcome=7`,
    '/v3/venuea-prediction/markets?coin=DOGE',
    '/v3/venuea-prediction/markets?window=1h',
    '/v3/venuea-prediction/markets?status=done',
    '/v3/venuea-prediction/markets?limit=501',
    '/v3/venuea-prediction/markets?cursor=nonsense',
    '/v3/venueb/markets/KXNONE-26NOV15',
    '/v3/venueb/KXNONE-26NOV15/snapshots',
    '/v3/venueb/KXNONE-26NOV15/orderbook/latest',
    '/v3/venueb/markets?series=%20',
    '/v3/venueb/markets?window=15m',
    `/v3/btc/markets/${UNKNOWN_C}`,
    `/v3/btc/markets/${UNKNOWN_C}/snapshots`,
    `/v3/btc/markets/${UNKNOWN_C}/orderbook/latest`,
    '/v3/btc/markets/0x1',
    `/v3/eth/markets/${c}`,
    `/v3/eth/markets/${c}/orderbook/latest`,
    '/v3/btc/markets?window=7m',
    '/v3/coverage',
    '/v3/coverage?venue=venueb',
    '/v3/coverage?venue=venued&market_id=1',
    '/v3/coverage?venue=venueb&market_id=KXNONE-26NOV15',
    `/v3/coverage?venue=venuea&market_id=${a}&dataset=trades`,
    '/v3/gaps',
    '/v3/gaps?venue=venueb&market_id=KXNONE-26NOV15',
    '/v3/gaps?venue=venueb&limit=0',
    '/v3/gaps?venue=venueb&cursor=nonsense',
    '/v3/health?verbose=1',
    '/v3/whoami?x=1',
  ].map((path) => ({ path }));
