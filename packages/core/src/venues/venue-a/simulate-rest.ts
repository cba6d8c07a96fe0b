// The REST answers of simulated venue A.

import { asJson, type RestAnswer, type RestRequest } from '../serving/server.ts';
import type { SimMarketState, SimulatedMarkets } from '../serving/simulate.ts';
import type { Query } from '../serving/query.ts';
import { invalidParameter } from './server.ts';
import {
  OUTCOMES,
  listGapOf,
  precisionOf,
  priceA,
  tokenBook,
  topicDetail,
  topicObject,
} from './simulate-objects.ts';

const CATEGORIES = {
  categories: [{ id: 'crypto', name: 'Crypto', subcategories: [{ id: 'up-down', name: 'Up/Down' }] }],
};

/** Null: the venue has no such route. */
export function restA({ path, query }: RestRequest, markets: SimulatedMarkets): RestAnswer | null {
  switch (path) {
    case '/category/list':
      return asJson(200, CATEGORIES);
    case '/market/list':
      return list(query, markets);
    case '/market/search':
      return search(query, markets);
    case '/market/detail':
      return detail(query, markets);
    case '/order-book':
      return orderBook(query, markets);
    case '/order-book/last-trade-price': {
      const state = markets.state(query.get('marketId') ?? '');
      if (!state) return invalidParameter;
      const { market, lastTrade } = state;
      const lastTradePrice = lastTrade === null ? null : priceA(lastTrade, precisionOf(market));
      return asJson(200, { marketId: Number(market.id), lastTradePrice }, [market.id]);
    }
    default:
      return null;
  }
}

/** An integer parameter; null when it is out of range. */
function integer(query: Query, name: string, standard: number, low: number, high: number): number | null {
  const value = Number(query.get(name) ?? standard);
  return Number.isInteger(value) && value >= low && value <= high ? value : null;
}

const listedTopic = (state: SimMarketState, markets: SimulatedMarkets): object =>
  topicObject(state, markets, listGapOf(state.market));

function list(query: Query, markets: SimulatedMarkets): RestAnswer {
  const offset = integer(query, 'offset', 0, 0, 1_000_000);
  const limit = integer(query, 'limit', 20, 1, 100);
  if (offset === null || limit === null) return invalidParameter;
  const l1 = query.get('l1Category');
  const l2 = query.get('l2Category');
  const all = (l1 && l1 !== 'crypto') || (l2 && l2 !== 'up-down') ? [] : sorted(query, markets);
  const page = all.slice(offset, offset + limit);
  return asJson(
    200,
    {
      marketTopics: page.map((state) => listedTopic(state, markets)),
      total: all.length,
      offset,
      limit,
      hasMore: offset + page.length < all.length,
    },
    page.map(({ market }) => market.id),
  );
}

function search(query: Query, markets: SimulatedMarkets): RestAnswer {
  const topK = integer(query, 'topK', 20, 1, 50);
  const words = (query.get('query') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (topK === null || words.length === 0) return invalidParameter;
  const found = sorted(query, markets).filter(({ market }) => {
    const text = `${market.slug} ${market.title}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return asJson(
    200,
    found.slice(0, topK).map((state) => listedTopic(state, markets)),
  );
}

function detail(query: Query, markets: SimulatedMarkets): RestAnswer {
  const topic = query.get('marketTopicId');
  const all = markets.listed();
  const state = all.find(({ market }) => market.eventId === topic);
  if (!state) return invalidParameter;
  const neighbours = all
    .map(({ market }) => market)
    .filter(
      ({ series, startMs }) =>
        series === state.market.series && Math.abs(startMs - state.market.startMs) <= 3 * series.durationMs,
    );
  return asJson(200, topicDetail(state, markets, neighbours), [state.market.id]);
}

function orderBook(query: Query, markets: SimulatedMarkets): RestAnswer {
  const state = markets.state(query.get('marketId') ?? '');
  const tokenId = query.get('tokenId') ?? '';
  const outcome = state?.market.tokens.indexOf(tokenId) ?? -1;
  if (query.get('vendor') !== 'predict_fun' || !state || outcome < 0) return invalidParameter;
  if (!state.book) {
    const timestamp = markets.stamp(markets.now());
    return asJson(200, { outcome: OUTCOMES[outcome], tokenId, timestamp, bids: [], asks: [] });
  }
  return asJson(200, tokenBook(state, outcome as 0 | 1, markets.stamp(state.updatedMs)), [state.market.id]);
}

const SORT_KEYS: Readonly<Record<string, (state: SimMarketState) => number>> = {
  VOLUME: ({ volume }) => volume,
  PARTICIPANTS: ({ trades }) => trades,
  CREATED_TIME: ({ market }) => market.listMs,
};

/** RECOMMENDED: what trades now or next, soonest end first, then what is over, newest first. */
function sorted(query: Query, markets: SimulatedMarkets): SimMarketState[] {
  const by = query.get('sortBy') ?? 'RECOMMENDED';
  const ends = ({ market }: SimMarketState): number => market.endMs;
  const value = SORT_KEYS[by] ?? ends;
  const order = (direction: number) => (a: SimMarketState, b: SimMarketState) =>
    direction * (value(a) - value(b)) || Number(a.market.id) - Number(b.market.id);
  const all = markets.listed();
  if (by !== 'RECOMMENDED') return all.sort(order(query.get('orderBy') === 'ASC' ? 1 : -1));
  const isCurrent = (state: SimMarketState): boolean => ends(state) > markets.now();
  return [
    ...all.filter(isCurrent).sort(order(1)),
    ...all.filter((state) => !isCurrent(state)).sort(order(-1)),
  ];
}
