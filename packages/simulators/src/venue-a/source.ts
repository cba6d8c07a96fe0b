// Venue A's content from the market process: whole books as pushes, topics and books as REST answers.

import { asJson } from '../server/host.ts';
import type { MarketProcess, MarketState, ProcessEvent } from '../market/market-process.ts';
import type { FrameA, RestAnswer, RestRequest } from '../server/protocol.ts';
import { hashText, mix } from '../market/random.ts';
import type { SimulatedSource } from '../server/simulated-source.ts';
import { priceA } from '../market/wire-text.ts';
import { listGapOf, precisionOf, pushData, tokenBook, topicDetail, topicObject } from './objects.ts';
import { ERRORS } from './signing.ts';

/** One push in this many is overtaken by the next one of its market. */
const OVERTAKEN_ONE_IN = 300;

const invalid = (): RestAnswer =>
  asJson(ERRORS.parameter.status, { code: ERRORS.parameter.code, msg: ERRORS.parameter.msg });

export function createSimulatedSourceA(
  process: MarketProcess,
  stamp: (ms: number) => number,
): SimulatedSource<FrameA> {
  const readers = new Set<(frame: FrameA) => void>();
  const held = new Map<string, string>();

  function on(event: ProcessEvent): void {
    const { state } = event;
    const { id } = state.market;
    // Delivery is at most once: what is held when trading stops is never sent.
    if (event.kind === 'stopped') held.delete(id);
    if (event.kind !== 'updated' || readers.size === 0) return;
    const data = pushData(state, stamp(event.at));
    const overtaken = held.get(id);
    if (overtaken === undefined && mix(hashText(id), state.updates) % OVERTAKEN_ONE_IN === 0) {
      held.set(id, data);
      return;
    }
    for (const read of readers) read({ market: id, data });
    if (overtaken === undefined) return;
    held.delete(id);
    for (const read of readers) read({ market: id, data: overtaken });
  }

  const topics = (): MarketState[] =>
    process.states('venuea').filter(({ market }) => market.listMs <= process.now());

  function rest({ path, query }: RestRequest): RestAnswer | null {
    const number = (name: string, standard: number, low: number, high: number): number | null => {
      const value = Number(query.get(name) ?? standard);
      return Number.isInteger(value) && value >= low && value <= high ? value : null;
    };
    switch (path) {
      case '/category/list':
        return asJson(200, {
          categories: [
            {
              id: 'crypto',
              name: 'Crypto',
              subcategories: [{ id: 'up-down', name: 'Up/Down' }],
            },
          ],
        });
      case '/market/list': {
        const offset = number('offset', 0, 0, 1_000_000);
        const limit = number('limit', 20, 1, 100);
        const l1 = query.get('l1Category');
        const l2 = query.get('l2Category');
        if (offset === null || limit === null) return invalid();
        const all = (l1 && l1 !== 'crypto') || (l2 && l2 !== 'up-down') ? [] : sorted(query);
        const page = all.slice(offset, offset + limit);
        return {
          ...asJson(200, {
            marketTopics: page.map((state) => topicObject(state, process, listGapOf(state.market))),
            total: all.length,
            offset,
            limit,
            hasMore: offset + page.length < all.length,
          }),
          markets: page.map(({ market }) => market.id),
        };
      }
      case '/market/search': {
        const topK = number('topK', 20, 1, 50);
        const words = (query.get('query') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
        if (topK === null || words.length === 0) return invalid();
        const found = sorted(query)
          .filter(({ market }) => {
            const text = `${market.slug} ${market.title}`.toLowerCase();
            return words.every((word) => text.includes(word));
          })
          .slice(0, topK);
        return asJson(
          200,
          found.map((state) => topicObject(state, process, listGapOf(state.market))),
        );
      }
      case '/market/detail': {
        const asked = query.get('marketTopicId');
        const all = topics();
        const state = all.find(({ market }) => market.eventId === asked);
        if (!state) return invalid();
        const neighbours = all
          .map(({ market }) => market)
          .filter(
            (market) =>
              market.series === state.market.series &&
              Math.abs(market.startMs - state.market.startMs) <= 3 * market.series.durationMs,
          );
        return { ...asJson(200, topicDetail(state, process, neighbours)), markets: [state.market.id] };
      }
      case '/order-book': {
        const state = process.state('venuea', query.get('marketId') ?? '');
        const token = query.get('tokenId') ?? '';
        const outcome = state?.market.tokens.indexOf(token) ?? -1;
        if (query.get('vendor') !== 'predict_fun' || !state || outcome < 0) return invalid();
        if (!state.book)
          return asJson(200, {
            outcome: outcome === 0 ? 'Up' : 'Down',
            tokenId: token,
            timestamp: stamp(process.now()),
            bids: [],
            asks: [],
          });
        return {
          ...asJson(200, tokenBook(state, outcome as 0 | 1, stamp(state.updatedMs))),
          markets: [state.market.id],
        };
      }
      case '/order-book/last-trade-price': {
        const state = process.state('venuea', query.get('marketId') ?? '');
        if (!state) return invalid();
        return {
          ...asJson(200, {
            marketId: Number(state.market.id),
            lastTradePrice:
              state.lastTrade === null ? null : priceA(state.lastTrade, precisionOf(state.market)),
          }),
          markets: [state.market.id],
        };
      }
    }
    return null;
  }

  /** RECOMMENDED: what trades now or next, soonest end first, then what is over, newest first. */
  function sorted(query: URLSearchParams): MarketState[] {
    const now = process.now();
    const by = query.get('sortBy') ?? 'RECOMMENDED';
    const direction = query.get('orderBy') === 'ASC' ? 1 : -1;
    const value = (state: MarketState): number => {
      switch (by) {
        case 'VOLUME':
          return state.volume;
        case 'PARTICIPANTS':
          return state.trades;
        case 'CREATED_TIME':
          return state.market.listMs;
        default:
          return state.market.endMs;
      }
    };
    const tie = (a: MarketState, b: MarketState): number => Number(a.market.id) - Number(b.market.id);
    const all = topics();
    if (by !== 'RECOMMENDED') return all.sort((a, b) => direction * (value(a) - value(b)) || tie(a, b));
    const current = all.filter(({ market }) => market.endMs > now);
    const over = all.filter(({ market }) => market.endMs <= now);
    return [
      ...current.sort((a, b) => value(a) - value(b) || tie(a, b)),
      ...over.sort((a, b) => value(b) - value(a) || tie(a, b)),
    ];
  }

  return {
    on,
    push: (frame) => readers.forEach((read) => read(frame)),
    rest,
    connect(read) {
      readers.add(read);
      return {
        // Nothing is cached here: a new subscriber waits for the next push, or asks REST.
        initial: () => [],
        close: () => void readers.delete(read),
      };
    },
  };
}
