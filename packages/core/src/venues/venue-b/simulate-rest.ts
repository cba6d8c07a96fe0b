// The REST answers of simulated venue B.

import { asJson, type RestAnswer, type RestRequest } from '../serving/server.ts';
import { isoOf, phaseAt, type SimMarketState, type SimulatedMarkets } from '../serving/simulate.ts';
import type { Query } from '../serving/query.ts';
import { bidPairs, eventObject, filterStatus, marketObject, seriesObject } from './simulate-objects.ts';
import { tradeMsg, type SimTrade } from './simulate-frames.ts';

const problem = (status: number, code: string, message: string): RestAnswer =>
  asJson(status, { error: { code, message, service: 'simulator' } });

const notFound = problem(404, 'not_found', 'not found');
const invalid = (message: string): RestAnswer => problem(400, 'invalid_parameters', message);

/** Trades of one market by now. */
type TradesOf = (id: string) => readonly SimTrade[];

/** Null: the venue has no such route. */
export function restB(
  { method, path, query }: RestRequest,
  markets: SimulatedMarkets,
  tradesOf: TradesOf,
): RestAnswer | null {
  if (method !== 'GET') return problem(405, 'method_not_allowed', 'method not allowed');
  const [head, ...rest] = path.split('/').filter(Boolean).map(decodeURIComponent);
  switch (head) {
    case 'exchange':
      return path === '/exchange/status'
        ? asJson(200, { exchange_active: true, trading_active: true })
        : null;
    case 'historical':
      return path === '/historical/cutoff' ? cutoff(markets) : null;
    case 'series':
      return series(rest, query, markets);
    case 'events':
      return events(rest, query, markets);
    case 'markets':
      return marketsBelow(rest, query, markets, tradesOf);
    default:
      return null;
  }
}

function cutoff(markets: SimulatedMarkets): RestAnswer {
  const oldest = isoOf(Math.min(...markets.listed().map(({ market }) => market.startMs)));
  return asJson(200, { market_settled_ts: oldest, trades_created_ts: oldest, orders_updated_ts: oldest });
}

function series(rest: readonly string[], query: Query, markets: SimulatedMarkets): RestAnswer {
  if (rest.length === 0) {
    const category = query.get('category');
    const found = markets.series.map(seriesObject);
    return asJson(200, { series: found.filter((one) => !category || one['category'] === category) });
  }
  const one = markets.series.find(({ name }) => name === rest[0]);
  return one && rest.length === 1 ? asJson(200, { series: seriesObject(one) }) : notFound;
}

function events(rest: readonly string[], query: Query, markets: SimulatedMarkets): RestAnswer {
  if (rest.length > 1) return notFound;
  const nested = query.get('with_nested_markets') === 'true';
  const marketObjects = (states: readonly SimMarketState[]) =>
    states.map((state) => marketObject(state, markets));
  const render = (states: readonly SimMarketState[]): object =>
    nested ? { ...eventObject(states), markets: marketObjects(states) } : eventObject(states);
  const byEvent = Map.groupBy(markets.listed(), ({ market }) => market.eventId);
  if (rest.length === 1) {
    const states = byEvent.get(rest[0]!);
    return states ? asJson(200, { event: render(states), markets: marketObjects(states) }) : notFound;
  }
  const name = query.get('series_ticker');
  const status = query.get('status');
  const minClose = query.get('min_close_ts');
  const wanted = [...byEvent.values()].filter(([first]) => {
    const { market } = first!;
    return (
      (!name || market.series.name === name) &&
      (!status || filterStatus(first!, markets) === status) &&
      (!minClose || market.endMs >= Number(minClose) * 1_000)
    );
  });
  return page(query, wanted, 200, 200, 'events', render);
}

function marketsBelow(
  rest: readonly string[],
  query: Query,
  markets: SimulatedMarkets,
  tradesOf: TradesOf,
): RestAnswer {
  const [second, third] = rest;
  if (second === undefined) return marketList(query, markets);
  const find = (id: string): SimMarketState[] => {
    const state = markets.state(id);
    return state && state.market.listMs <= markets.now() ? [state] : [];
  };
  if (second === 'orderbooks' && rest.length === 1) return orderbooks(query, find);
  if (second === 'trades' && rest.length === 1) {
    const ticker = query.get('ticker');
    return trades(query, ticker ? find(ticker) : markets.listed(), tradesOf);
  }
  const [state] = find(second);
  if (!state) return notFound;
  if (rest.length === 1) return asJson(200, { market: marketObject(state, markets) }, [second]);
  if (rest.length !== 2 || third !== 'orderbook') return notFound;
  const depth = Number(query.get('depth') ?? '0');
  if (!Number.isInteger(depth) || depth < 0 || depth > 100) return invalid('depth must be between 0 and 100');
  return asJson(200, { orderbook_fp: orderbook(state, depth) }, [second]);
}

/** The book of one market; `depth` 0 is all, else the best levels a side. */
function orderbook(state: SimMarketState, depth: number): object {
  const { yes, no } = bidPairs(state);
  return { yes_dollars: yes.slice(-depth), no_dollars: no.slice(-depth) };
}

function orderbooks(query: Query, find: (id: string) => SimMarketState[]): RestAnswer {
  const tickers = query.list('tickers');
  if (tickers.length === 0 || tickers.length > 100) return invalid('tickers: 1 to 100 required');
  const found = tickers.flatMap(find);
  return asJson(
    200,
    { orderbooks: found.map((state) => ({ ticker: state.market.id, orderbook_fp: orderbook(state, 0) })) },
    found.map(({ market }) => market.id),
  );
}

function trades(query: Query, of: readonly SimMarketState[], tradesOf: TradesOf): RestAnswer {
  const list = of
    .flatMap((state) => tradesOf(state.market.id).map((trade) => ({ state, trade })))
    .sort((a, b) => b.trade.at - a.trade.at);
  return page(query, list, 100, 1_000, 'trades', ({ state, trade }) => {
    const { ts: _ts, ts_ms: _ms, market_ticker, ...rest } = tradeMsg(state, trade);
    return { ticker: market_ticker, created_time: isoOf(trade.at), ...rest };
  });
}

const STATUSES = ['unopened', 'open', 'paused', 'closed', 'settled'];

function marketList(query: Query, markets: SimulatedMarkets): RestAnswer {
  const status = query.get('status');
  const time = (name: string): number | null => {
    const text = query.get(name);
    return text ? Number(text) * 1_000 : null;
  };
  const [minClose, maxClose] = [time('min_close_ts'), time('max_close_ts')];
  const [minSettled, maxSettled] = [time('min_settled_ts'), time('max_settled_ts')];
  if (status && !STATUSES.includes(status)) return invalid(`status ${status} is not known`);
  if ((minClose ?? maxClose) !== null && status && status !== 'closed')
    return invalid('close timestamps combine only with status closed');
  if ((minSettled ?? maxSettled) !== null && status && status !== 'settled')
    return invalid('settled timestamps combine only with status settled');
  const tickers = query.get('tickers')?.split(',').filter(Boolean);
  const name = query.get('series_ticker');
  const event = query.get('event_ticker');
  const within = (at: number, min: number | null, max: number | null): boolean =>
    at >= (min ?? 0) && at <= (max ?? Infinity);
  const found = markets.listed().filter((state) => {
    const { market } = state;
    return (
      (!status || filterStatus(state, markets) === status) &&
      (!tickers || tickers.includes(market.id)) &&
      (!name || market.series.name === name) &&
      (!event || market.eventId === event) &&
      within(market.endMs, minClose, maxClose) &&
      ((minSettled ?? maxSettled) === null ||
        (phaseAt(market, markets.now()) === 'resolved' && within(market.resolveMs, minSettled, maxSettled)))
    );
  });
  return page(query, found, 100, 1_000, 'markets', (state) => marketObject(state, markets));
}

/** A page with a cursor, which is the number of the next item; an empty cursor is the end. */
function page<T>(
  query: Query,
  all: readonly T[],
  standard: number,
  most: number,
  name: string,
  render: (item: T) => unknown,
): RestAnswer {
  const limit = Number(query.get('limit') ?? standard);
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    return invalid(`limit must be between 1 and ${most}`);
  const from = Number(query.get('cursor') ?? '0');
  if (!Number.isInteger(from) || from < 0) return invalid('bad cursor');
  const items = all.slice(from, from + limit);
  const next = from + items.length;
  return asJson(200, { [name]: items.map(render), cursor: next < all.length ? String(next) : '' });
}
