// The REST answers of simulated venue C. Gamma as on the wire: lists leave out closed markets unless asked, short-dated markets
// are hidden from the plain market list, pages are capped at 100 and offsets past 2,100 are refused.

import { MICRO, complement, formatMicro } from '../../kernel/decimal.ts';
import { parseIso, toMillis } from '../../kernel/time.ts';
import type { Query } from '../serving/query.ts';
import { asJson, type RestAnswer, type RestRequest } from '../serving/server.ts';
import type { SimMarketState, SimulatedMarkets } from '../serving/simulate.ts';
import { tokenAnswer, tokensAsked, withBookHash, type TokenFacts } from './server.ts';
import {
  bestPrices,
  bookSummary,
  clobMarket,
  gammaEvent,
  gammaMarketWithEvent,
  gammaSeries,
  gammaTags,
} from './simulate-objects.ts';

const MAX_PAGE = 100;
const MAX_OFFSET = 2_100;

/** A token that the CLOB serves by now. */
export type ServedToken = { readonly state: SimMarketState; readonly outcome: 0 | 1 };

const NO_BOOK = asJson(404, { error: 'No orderbook exists for the requested token id' });
const NO_MARKET = asJson(404, { error: 'market not found' });

export function clobAnswer(
  { method, path, query, body }: RestRequest,
  markets: SimulatedMarkets,
  served: (token: string) => ServedToken | null,
): RestAnswer | null {
  const facts = (token: string): TokenFacts | null => {
    const found = served(token);
    return found && tokenFacts(found, markets);
  };
  if (path === '/time') return asJson(200, Math.floor(markets.stamp(markets.now()) / 1_000));
  if (path === '/books') {
    const asked = method === 'POST' ? tokensAsked(body) : null;
    if (!asked) return asJson(400, { error: 'Invalid payload' });
    const books = asked.flatMap((token) => facts(token)?.summary() ?? []);
    return asJson(
      200,
      books,
      books.map(({ market }) => market),
    );
  }
  const condition = /^\/markets\/(0x[0-9a-f]{64})$/.exec(path)?.[1];
  if (condition !== undefined) {
    const state = markets.state(condition);
    return state ? asJson(200, clobMarket(state, markets), [condition]) : NO_MARKET;
  }
  const token = query.get('token_id') ?? '';
  const value = tokenAnswer(path, query, facts(token));
  if (value === null) return path === '/tick-size' || path === '/neg-risk' ? NO_MARKET : NO_BOOK;
  const about = path === '/book' ? served(token) : null;
  return value ? asJson(200, value, about ? [about.state.market.id] : []) : null;
}

/** An empty side is 0 or 1, and a market without trades was last at 0.5. */
function tokenFacts({ state, outcome }: ServedToken, markets: SimulatedMarkets): TokenFacts {
  const { bid, ask } = bestPrices(state, outcome);
  const last = state.lastTrade ?? 500_000;
  return {
    bid: bid ?? 0,
    ask: ask ?? MICRO,
    tickSize: state.book!.grid.name === 'deci' ? 1_000 : 10_000,
    negRisk: false,
    lastTrade: {
      price: formatMicro(outcome === 0 ? last : complement(last)),
      side: state.trades % 2 === 0 ? 'BUY' : 'SELL',
    },
    summary: () =>
      withBookHash(bookSummary(state, outcome, markets.stamp(state.updatedMs)), markets.primitives),
  };
}

/** Events and markets are one object each here, and listed alike. */
type Kind = {
  readonly name: 'events' | 'markets';
  readonly render: (state: SimMarketState, markets: SimulatedMarkets) => Record<string, unknown>;
  readonly idOf: (state: SimMarketState) => string;
};
const KINDS: readonly Kind[] = [
  { name: 'events', render: gammaEvent, idOf: ({ market }) => market.eventId },
  { name: 'markets', render: gammaMarketWithEvent, idOf: ({ market }) => market.alias },
];

export function gammaAnswer({ path, query }: RestRequest, markets: SimulatedMarkets): RestAnswer | null {
  const [first, second, third, ...more] = path.split('/').filter(Boolean);
  if (first === 'series' && second === undefined) return seriesList(query, markets);
  if (first === 'tags' && second === undefined) return asJson(200, gammaTags);
  const kind = KINDS.find(({ name }) => name === first);
  if (!kind || more.length > 0 || (third !== undefined && second !== 'slug')) return null;
  if (second === undefined) return list(query, markets, kind);
  if (second === 'keyset' && third === undefined) return keyset(query, markets, kind);
  const one = markets
    .listed()
    .find((state) => (third === undefined ? kind.idOf(state) === second : state.market.slug === third));
  return one
    ? asJson(200, kind.render(one, markets), [one.market.id])
    : asJson(404, { type: 'not found error', error: `${kind.name.slice(0, -1)} not found` });
}

function seriesList(query: Query, markets: SimulatedMarkets): RestAnswer {
  const slug = query.get('slug');
  const found = markets.series.map(gammaSeries).filter((series) => !slug || series['slug'] === slug);
  return asJson(200, found);
}

function matching(query: Query, markets: SimulatedMarkets, { name, idOf }: Kind): SimMarketState[] {
  const many = (parameter: string): Set<string> | null => {
    const values = [...query.list(parameter), ...query.list(`${parameter}[]`)];
    return values.length > 0 ? new Set(values) : null;
  };
  const time = (parameter: string, absent: number): number => {
    const text = query.get(parameter);
    return text === null ? absent : toMillis(parseIso(text) ?? NaN);
  };
  const ids = many('id');
  const slugs = many('slug');
  const conditions = many('condition_ids');
  const tokens = many('clob_token_ids');
  const series = query.get('series_slug');
  const isClosed = query.get('closed') === 'true';
  const [endMin, endMax] = [time('end_date_min', 0), time('end_date_max', Infinity)];
  const [startMin, startMax] = [time('start_date_min', 0), time('start_date_max', Infinity)];
  if (name === 'markets' && !ids && !slugs && !conditions && !tokens && query.get('active') === 'true')
    return [];
  return markets.listed().filter((state) => {
    const { market } = state;
    return (
      market.resolveMs <= markets.now() === isClosed &&
      (!ids || ids.has(idOf(state))) &&
      (!slugs || slugs.has(market.slug)) &&
      (!conditions || conditions.has(market.conditionId)) &&
      (!tokens || market.tokens.some((token) => tokens.has(token))) &&
      (!series || market.series.name === series) &&
      market.endMs >= endMin &&
      market.endMs <= endMax &&
      market.listMs >= startMin &&
      market.listMs <= startMax
    );
  });
}

function inOrder(query: Query, found: SimMarketState[], { idOf }: Kind): SimMarketState[] {
  const key = query.get('order') ?? 'id';
  const number = (state: SimMarketState): number => Number(idOf(state));
  const value = (state: SimMarketState): number => {
    if (key === 'endDate') return state.market.endMs;
    if (key === 'startDate') return state.market.listMs;
    return key.startsWith('volume') ? state.volume : number(state);
  };
  const direction = query.get('ascending') === 'false' ? -1 : 1;
  return found.sort((a, b) => direction * (value(a) - value(b)) || number(a) - number(b));
}

const invalid = (error: string): RestAnswer => asJson(422, { type: 'validation error', error });

const pageSize = (query: Query): number =>
  Math.min(MAX_PAGE, Math.max(1, Number(query.get('limit') ?? '20') || 20));

const idsOf = (page: readonly SimMarketState[]): string[] => page.map(({ market }) => market.id);

function list(query: Query, markets: SimulatedMarkets, kind: Kind): RestAnswer {
  const offset = Number(query.get('offset') ?? '0');
  if (!Number.isInteger(offset) || offset < 0 || offset > MAX_OFFSET) return invalid('invalid offset');
  const all = inOrder(query, matching(query, markets, kind), kind);
  const page = all.slice(offset, offset + pageSize(query));
  return asJson(
    200,
    page.map((state) => kind.render(state, markets)),
    idsOf(page),
  );
}

/** Pages whose cursor is the id of the last item. */
function keyset(query: Query, markets: SimulatedMarkets, kind: Kind): RestAnswer {
  if (query.get('offset') !== null) return invalid('offset is not supported by keyset pagination');
  const all = inOrder(query, matching(query.without('active'), markets, kind), kind);
  const after = query.get('after_cursor');
  const from = after === null ? 0 : all.findIndex((state) => kind.idOf(state) === after) + 1;
  if (after !== null && from === 0) return invalid('invalid cursor');
  const page = all.slice(from, from + pageSize(query));
  const last = page.at(-1);
  const next = last && from + page.length < all.length ? { next_cursor: kind.idOf(last) } : {};
  const items = page.map((state) => kind.render(state, markets));
  return asJson(200, { [kind.name]: items, ...next }, idsOf(page));
}
