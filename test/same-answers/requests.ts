// The list of requests: of every route of openapi.yaml, with every parameter. It is made while recording the golden answers,
// since ids and cursors are taken from answers, and is then a file.

import type { Answer, Asked } from './asking.ts';
import { INSTANTS, RANGES, after } from './moments.ts';
import type { Range } from './moments.ts';
import type { MarketChoice, Parameters } from './paths.ts';
import { get, withQuery } from './paths.ts';
import { refusedRequests } from './refused-requests.ts';

export type Ask = (asked: Asked) => Promise<Answer>;

type Listed = {
  readonly data: readonly {
    readonly market_id: string;
    readonly slug: string | null;
    readonly outcomes: readonly { readonly outcome_id?: string; readonly token_id?: string | null }[];
  }[];
  readonly pagination: { readonly next_cursor: string | null };
};

/** This request, and the pages after it. */
async function pages(ask: Ask, first: Asked, count = 3): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (let next: string | null = first.path; next !== null && asked.length < count;) {
    asked.push({ ...first, path: next });
    const { body } = await ask({ ...first, path: next });
    const cursor = (JSON.parse(body) as Listed).pagination.next_cursor;
    next = cursor === null ? null : `${first.path}&cursor=${cursor}`;
  }
  return asked;
}

async function choose(ask: Ask, path: string, parameters: Parameters, at: number): Promise<MarketChoice> {
  const { body } = await ask(get(path, { ...parameters, limit: 50 }));
  const found = (JSON.parse(body) as Listed).data.at(at);
  if (!found) throw new Error(`no market for ${withQuery(path, parameters)}: ${body.slice(0, 500)}`);
  const outcomes = found.outcomes.map(({ outcome_id, token_id }) => outcome_id ?? token_id ?? '');
  return { id: found.market_id, slug: found.slug, outcomes };
}

const INTERVALS = ['1s', '10s', '1m', '5m', '15m', '1h'];
const STATUSES = ['unknown', 'upcoming', 'open', 'closed', 'resolved', 'voided'];

/** All that can be asked of the books of one market. */
async function bookRequests(ask: Ask, path: string, isFull: boolean): Promise<Asked[]> {
  const snapshots = `${path}/snapshots`;
  const of = (range: Range, more: Parameters = {}): Asked => get(snapshots, { ...range, limit: 2, ...more });
  const asked = [
    get(`${path}/orderbook/latest`),
    get(`${path}/orderbook/latest`, { ladder: 'levels' }),
    of(RANGES.inside, { limit: 5 }),
    of(RANGES.inside, { include_orderbook: 'true' }),
    of(RANGES.inside, { include_orderbook: 'true', ladder: 'levels' }),
    of(RANGES.inside, { include_orderbook: 'False' }),
    of(RANGES.acrossGap),
    of(RANGES.insideGap),
    of(RANGES.acrossEnd, { interval: '1s' }),
    of(RANGES.before),
    ...(await pages(ask, of(RANGES.whole, { interval: '1m', limit: 3 }))),
    { ...of(RANGES.inside), again: true as const },
    get(`${snapshots}/at/${INSTANTS.inside}`),
    get(`${snapshots}/at/${INSTANTS.insideGap}`),
    get(`${snapshots}/at/${INSTANTS.late}`),
  ];
  if (!isFull) return asked;
  return [
    ...asked,
    ...INTERVALS.map((interval) => of(RANGES.late, { interval, limit: 3 })),
    of(RANGES.late, { interval: '10s', include_orderbook: 'true', limit: 1 }),
    of(RANGES.acrossStart),
    of(RANGES.dayBefore),
    of(RANGES.empty),
    of({
      start_time: String(Date.parse(RANGES.inside.start_time)),
      end_time: String(Date.parse(RANGES.inside.end_time)),
    }),
    get(snapshots, { end_time: RANGES.inside.end_time, limit: 1 }),
    get(snapshots, { start_time: RANGES.late.start_time, limit: 1 }),
    get(snapshots, { start_time: RANGES.late.start_time, end_time: '2199-01-01', limit: 1 }),
    get(snapshots, { ...RANGES.inside, include_orderbook: 'false', limit: 40 }),
    ...(await pages(ask, of(RANGES.acrossGap, { include_orderbook: 'false', limit: 4 }), 4)),
    ...(await pages(ask, of(RANGES.whole, { interval: '10s', include_orderbook: 'false', limit: 7 }), 4)),
    { ...of(RANGES.acrossGap), method: 'HEAD' },
    { ...of(RANGES.inside), headers: { 'If-None-Match': 'W/"another"' } },
    { ...of(RANGES.inside), headers: { Origin: 'https://example.test' } },
    ...[INSTANTS.early, INSTANTS.before, INSTANTS.afterEnd, INSTANTS.epochMs, INSTANTS.zoned].map((time) =>
      get(`${snapshots}/at/${time}`),
    ),
    get(`${snapshots}/at/${INSTANTS.inside}`, { include_orderbook: 'false' }),
    get(`${snapshots}/at/${INSTANTS.inside}`, { ladder: 'levels' }),
  ];
}

/** The catalogue of one venue, or of one asset of venue C. */
async function marketRequests(
  ask: Ask,
  path: string,
  filters: readonly Parameters[],
  { id, slug }: MarketChoice,
  hasSlugs: boolean,
): Promise<Asked[]> {
  const { whole, before } = RANGES;
  return [
    get(path, { limit: 2 }),
    get(path, { ...whole, limit: 4 }),
    get(path, { ...before, limit: 2 }),
    get(path, { start_time: after(whole.end_time, 600), limit: 2 }),
    get(path, { end_time: '2020-01-01', limit: 2 }),
    ...filters.map((filter) => get(path, { ...filter, limit: 2 })),
    ...STATUSES.map((status) => get(path, { status, ...whole, limit: 2 })),
    ...(await pages(ask, get(path, { ...whole, limit: 2 }), 4)),
    ...(await pages(ask, get(path, { ...filters[0], limit: 3 }), 2)),
    get(`${path}/${id}`),
    ...(hasSlugs ? [get(`${path}/by-slug/${slug}`), get(`${path}/by-slug/no-such-market`)] : []),
  ];
}

async function sampleRequests(ask: Ask, path: string, outcomes: readonly string[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const metric of ['chance', 'price', 'last_trade']) {
    const of = (range: Range, more: Parameters = {}): Asked =>
      get(`${path}/timeseries`, { metric, ...range, limit: 3, ...more });
    asked.push(
      of(RANGES.inside),
      of(RANGES.acrossGap),
      of(RANGES.insideGap),
      of(RANGES.before),
      { ...of(RANGES.inside), again: true },
      ...outcomes.map((_, outcome) => of(RANGES.inside, { outcome })),
      ...(await pages(ask, of(RANGES.whole, { limit: 5 }))),
    );
  }
  const trades = `${path}/trades`;
  return [
    ...asked,
    ...(await pages(ask, get(trades, { ...RANGES.whole, limit: 5 }))),
    get(trades, { ...RANGES.inside, limit: 3 }),
    get(trades, { ...RANGES.acrossGap, limit: 3, outcome: 0 }),
    get(trades, { ...RANGES.insideGap }),
    get(trades, { ...RANGES.before }),
  ];
}

async function coverageRequests(ask: Ask, venue: string, { id, outcomes }: MarketChoice): Promise<Asked[]> {
  const of = (more: Parameters): Asked => get('/v3/coverage', { venue, market_id: id, ...more });
  const gaps = (more: Parameters): Asked => get('/v3/gaps', { venue, limit: 3, ...more });
  const ranges = [RANGES.whole, RANGES.inside, RANGES.acrossGap, RANGES.insideGap, RANGES.before];
  return [
    of({}),
    ...ranges.map((range) => of(range)),
    ...['books', 'samples', 'catalogue'].map((dataset) => of({ dataset, ...RANGES.whole })),
    ...outcomes.slice(0, 2).map((outcome) => of({ outcome, ...RANGES.acrossGap })),
    ...ranges.map((range) => gaps({ ...range, market_id: id })),
    ...['books', 'samples', 'catalogue'].map((dataset) => gaps({ dataset, ...RANGES.whole })),
    ...(await pages(ask, gaps({ ...RANGES.whole }), 4)),
    gaps({ ...RANGES.acrossGap, limit: 20 }),
    gaps({ ...RANGES.dayBefore }),
  ];
}

export async function listRequests(ask: Ask): Promise<Asked[]> {
  const live = { start_time: RANGES.late.end_time, end_time: RANGES.late.end_time };
  const ended = { start_time: RANGES.whole.start_time, end_time: RANGES.whole.start_time };
  const a = '/v3/venuea-prediction';
  const liveA = await choose(ask, `${a}/markets`, { coin: 'BTC', window: '15m', ...live }, 0);
  const endedA = await choose(ask, `${a}/markets`, { coin: 'ETH', window: '5m', ...ended }, 0);
  const b = '/v3/venueb';
  const liveB = await choose(ask, `${b}/markets`, { series: 'KXBTC15M', ...live }, 0);
  const ladderB = await choose(ask, `${b}/markets`, { series: 'KXBTCD', ...live }, 3);
  const liveC = await choose(ask, '/v3/btc/markets', { window: '15m', ...live }, 0);
  const endedC = await choose(ask, '/v3/eth/markets', { window: '5m', ...ended }, 0);
  const windows = [{ window: '5m' }, { window: '15m' }];
  const marketA = [
    { coin: 'BTC', window: '5m' },
    ...['BTC', 'eth', 'BNB'].map((coin) => ({ coin })),
    ...windows,
  ];
  const marketB = [
    { series: 'KXBTC15M' },
    { series: 'KXBTCD', status: 'open' },
    { series: 'KXNONE' },
    { event: liveB.id.split('-').slice(0, 2).join('-') },
    { event: 'KXNONE-26NOV15' },
  ];
  const alias = (asked: readonly Asked[]): Asked[] =>
    asked.map((one) => ({ ...one, path: one.path.replace('/venuea-prediction/', '/venuea-alias/') }));
  const booksA = await bookRequests(ask, `${a}/${liveA.id}`, true);
  const samplesA = await sampleRequests(ask, `${a}/${liveA.id}`, liveA.outcomes);
  const marketsA = await marketRequests(ask, `${a}/markets`, marketA, liveA, true);
  const every = <T>(list: readonly T[], nth: number): T[] => list.filter((_, at) => at % nth === 0);
  return [
    { path: '/v3/health', as: 'none' },
    { path: '/v3/overview', as: 'none' },
    ...(['explorer', 'quant', 'desk'] as const).map((as) => ({ path: '/v3/whoami', as })),
    ...marketsA,
    ...booksA,
    get(`${a}/${liveA.id}/orderbook/latest`, { outcome: 1 }),
    ...(await bookRequests(ask, `${a}/${endedA.id}`, false)),
    ...samplesA,
    get(`${a}/markets/${endedA.id}`),
    ...alias([...every(marketsA, 4), ...every(booksA, 3), ...every(samplesA, 4)]),
    ...(await marketRequests(ask, `${b}/markets`, marketB, liveB, false)),
    ...(await bookRequests(ask, `${b}/${liveB.id}`, true)),
    ...(await bookRequests(ask, `${b}/${ladderB.id}`, false)),
    ...(await marketRequests(ask, '/v3/btc/markets', windows, liveC, true)),
    ...(await marketRequests(ask, '/v3/eth/markets', windows, endedC, true)),
    ...['sol', 'xrp', 'doge', 'bnb', 'hype'].map((asset) => get(`/v3/${asset}/markets`, { limit: 2 })),
    ...(await bookRequests(ask, `/v3/btc/markets/${liveC.id}`, true)),
    ...(await bookRequests(ask, `/v3/eth/markets/${endedC.id}`, false)),
    ...liveC.outcomes.map((outcome) =>
      get(`/v3/btc/markets/${liveC.id}/snapshots`, { ...RANGES.inside, outcome, limit: 2 }),
    ),
    ...(await coverageRequests(ask, 'venuea', liveA)),
    ...(await coverageRequests(ask, 'venueb', liveB)),
    ...(await coverageRequests(ask, 'venuec', endedC)),
    ...refusedRequests({ a: liveA, b: liveB, c: liveC }),
  ];
}
