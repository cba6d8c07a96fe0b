// Venue B's REST answers below /trade-api/v2, from the market process.

import { asJson } from '../server/host.ts';
import type { MarketProcess, MarketState } from '../market/market-process.ts';
import type { RestAnswer, RestRequest } from '../server/protocol.ts';
import { phaseAt } from '../market/series.ts';
import {
  FILTER_STATUS,
  bidPairs,
  eventObject,
  marketObject,
  seriesObject,
  tradeMsg,
  type SimTrade,
} from './objects.ts';

const problem = (status: number, code: string, message: string): RestAnswer =>
  asJson(status, { error: { code, message, service: 'simulator' } });

const notFound = (): RestAnswer => problem(404, 'not_found', 'not found');

/** The book of one market; `depth` 0 is all, else the best levels a side. */
function orderbook(state: MarketState, depth: number): object {
  const { yes, no } = bidPairs(state);
  return { yes_dollars: depth > 0 ? yes.slice(-depth) : yes, no_dollars: depth > 0 ? no.slice(-depth) : no };
}

export function restAnswerB(
  process: MarketProcess,
  { method, path, query }: RestRequest,
  tradesOf: (id: string) => readonly SimTrade[],
): RestAnswer | null {
  if (method !== 'GET') return problem(405, 'method_not_allowed', 'method not allowed');
  const known = (): MarketState[] =>
    process.states('venueb').filter(({ market }) => market.listMs <= process.now());
  const find = (id: string): MarketState | undefined => {
    const state = process.state('venueb', id);
    return state && state.market.listMs <= process.now() ? state : undefined;
  };
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  const [head, second, third] = parts;

  if (path === '/exchange/status') return asJson(200, { exchange_active: true, trading_active: true });
  if (path === '/historical/cutoff') {
    const oldest = Math.min(...known().map(({ market }) => market.startMs));
    const cutoff = new Date(oldest).toISOString();
    return asJson(200, { market_settled_ts: cutoff, trades_created_ts: cutoff, orders_updated_ts: cutoff });
  }
  if (head === 'series') {
    if (parts.length === 1) {
      const category = query.get('category');
      const found = process.series.filter(({ venue }) => venue === 'venueb').map(seriesObject);
      return asJson(200, { series: found.filter((one) => !category || one['category'] === category) });
    }
    const one = process.series.find(({ venue, name }) => venue === 'venueb' && name === second);
    return one && parts.length === 2 ? asJson(200, { series: seriesObject(one) }) : notFound();
  }
  if (head === 'events') {
    const events = new Map<string, MarketState[]>();
    for (const state of known())
      events.set(state.market.eventId, [...(events.get(state.market.eventId) ?? []), state]);
    if (parts.length === 2) {
      const states = events.get(second!);
      if (!states) return notFound();
      const markets = states.map((state) => marketObject(state, process));
      return asJson(200, {
        event:
          query.get('with_nested_markets') === 'true'
            ? { ...eventObject(states), markets }
            : eventObject(states),
        markets,
      });
    }
    if (parts.length !== 1) return notFound();
    const status = query.get('status');
    const wanted = [...events.values()].filter(([state]) => {
      const { market } = state!;
      return (
        (!query.get('series_ticker') || market.series.name === query.get('series_ticker')) &&
        (!status || FILTER_STATUS[phaseAt(market, process.now())] === status) &&
        (!query.get('min_close_ts') || market.endMs >= Number(query.get('min_close_ts')) * 1_000)
      );
    });
    return page(query, wanted, 200, 200, 'events', (states) =>
      query.get('with_nested_markets') === 'true'
        ? { ...eventObject(states), markets: states.map((state) => marketObject(state, process)) }
        : eventObject(states),
    );
  }
  if (head !== 'markets') return null;
  if (parts.length === 1) return markets(process, query, known());
  if (second === 'orderbooks' && parts.length === 2) {
    const tickers = query.getAll('tickers').flatMap((value) => value.split(','));
    if (tickers.length === 0 || tickers.length > 100)
      return problem(400, 'invalid_parameters', 'tickers: 1 to 100 required');
    const found = tickers.flatMap((ticker) => find(ticker) ?? []);
    return {
      ...asJson(200, {
        orderbooks: found.map((state) => ({
          ticker: state.market.id,
          orderbook_fp: orderbook(state, 0),
        })),
      }),
      markets: found.map(({ market }) => market.id),
    };
  }
  if (second === 'trades' && parts.length === 2) {
    const ticker = query.get('ticker');
    const of = ticker ? [find(ticker)].filter((state) => state !== undefined) : known();
    const list = of
      .flatMap((state) => tradesOf(state.market.id).map((trade) => ({ state, trade })))
      .sort((a, b) => b.trade.at - a.trade.at);
    return page(query, list, 100, 1_000, 'trades', ({ state, trade }) => {
      const { ts: _ts, ts_ms: _ms, market_ticker, ...rest } = tradeMsg(state, trade, trade.at);
      return { ticker: market_ticker, created_time: new Date(trade.at).toISOString(), ...rest };
    });
  }
  const state = find(second!);
  if (!state) return notFound();
  if (parts.length === 2)
    return { ...asJson(200, { market: marketObject(state, process) }), markets: [second!] };
  if (parts.length !== 3 || third !== 'orderbook') return notFound();
  const depth = Number(query.get('depth') ?? '0');
  if (!Number.isInteger(depth) || depth < 0 || depth > 100)
    return problem(400, 'invalid_parameters', 'depth must be between 0 and 100');
  return { ...asJson(200, { orderbook_fp: orderbook(state, depth) }), markets: [second!] };
}

function markets(process: MarketProcess, query: URLSearchParams, known: MarketState[]): RestAnswer {
  const status = query.get('status');
  const number = (name: string): number | null =>
    query.has(name) && query.get(name) !== '' ? Number(query.get(name)) * 1_000 : null;
  const minClose = number('min_close_ts');
  const maxClose = number('max_close_ts');
  const minSettled = number('min_settled_ts');
  const maxSettled = number('max_settled_ts');
  if (status && !['unopened', 'open', 'paused', 'closed', 'settled'].includes(status))
    return problem(400, 'invalid_parameters', `status ${status} is not known`);
  if ((minClose !== null || maxClose !== null) && status && status !== 'closed')
    return problem(400, 'invalid_parameters', 'close timestamps combine only with status closed');
  if ((minSettled !== null || maxSettled !== null) && status && status !== 'settled')
    return problem(400, 'invalid_parameters', 'settled timestamps combine only with status settled');
  const tickers = query.get('tickers')?.split(',').filter(Boolean);
  const series = query.get('series_ticker');
  const event = query.get('event_ticker');
  const found = known.filter(({ market }) => {
    const phase = phaseAt(market, process.now());
    return (
      (!status || FILTER_STATUS[phase] === status) &&
      (!tickers || tickers.includes(market.id)) &&
      (!series || market.series.name === series) &&
      (!event || market.eventId === event) &&
      (minClose === null || market.endMs >= minClose) &&
      (maxClose === null || market.endMs <= maxClose) &&
      ((minSettled === null && maxSettled === null) ||
        (phase === 'resolved' &&
          market.resolveMs >= (minSettled ?? 0) &&
          market.resolveMs <= (maxSettled ?? Infinity)))
    );
  });
  return page(query, found, 100, 1_000, 'markets', (state) => marketObject(state, process));
}

/** A page with an opaque cursor; an empty cursor is the end. */
function page<T>(
  query: URLSearchParams,
  all: readonly T[],
  standard: number,
  most: number,
  name: string,
  render: (item: T) => unknown,
): RestAnswer {
  const limit = Number(query.get('limit') ?? standard);
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    return problem(400, 'invalid_parameters', `limit must be between 1 and ${most}`);
  const cursor = query.get('cursor');
  const from = cursor ? Number(Buffer.from(cursor, 'base64url').toString()) : 0;
  if (!Number.isInteger(from) || from < 0) return problem(400, 'invalid_parameters', 'bad cursor');
  const items = all.slice(from, from + limit);
  const next = from + items.length;
  return asJson(200, {
    [name]: items.map(render),
    cursor: next < all.length ? Buffer.from(String(next)).toString('base64url') : '',
  });
}
