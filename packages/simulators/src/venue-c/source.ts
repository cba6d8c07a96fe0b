// Venue C's content from the market process: market-channel frames, and the answers of Gamma and the CLOB.

import { complement } from '@ladderlog/core';
import { bestPrice } from '../market/book.ts';
import { asJson } from '../server/host.ts';
import type { MarketProcess, MarketState, ProcessEvent } from '../market/market-process.ts';
import type { FrameC, RestAnswer, RestRequest } from '../server/protocol.ts';
import { hexOf } from '../market/random.ts';
import { phaseAt } from '../market/series.ts';
import type { SimulatedSource } from '../server/simulated-source.ts';
import { priceC, sizeC } from '../market/wire-text.ts';
import { bestTexts, bookMessage, bookSummary, priceChangeMessage, tokensAsked } from './books.ts';
import { gammaAnswer } from './gamma.ts';
import { clobMarket, newMarketMessage, resolvedMessage } from './objects.ts';

/** `stamp` turns process time into the time the venue claims (a clock_jump fault moves it). */
export function createSimulatedSourceC(
  process: MarketProcess,
  stamp: (ms: number) => number,
): SimulatedSource<FrameC> {
  const readers = new Set<(frame: FrameC) => void>();
  /** Gamma lists a market a little before the CLOB knows its tokens. */
  const hydration = 10_000 / process.options.scale;
  const tokens = new Map<string, { state: MarketState; outcome: 0 | 1 }>();
  const learn = (state: MarketState): void => {
    for (const [token, { state: known }] of tokens) {
      if (process.state('venuec', known.market.id) === known) break;
      tokens.delete(token);
    }
    tokens.set(state.market.tokens[0], { state, outcome: 0 });
    tokens.set(state.market.tokens[1], { state, outcome: 1 });
  };
  for (const state of process.states('venuec')) learn(state);

  /** Listed while we ran and not yet on the CLOB: its first book is sent when it is. */
  const hydrating = new Set<MarketState>();
  const hydrated = ({ market }: MarketState, at: number): boolean =>
    at >= Math.min(market.listMs + hydration, market.startMs);

  const served = (token: string): { state: MarketState; outcome: 0 | 1 } | null => {
    const found = tokens.get(token);
    if (!found?.state.book) return null;
    if (hydrating.has(found.state) && !hydrated(found.state, process.now())) return null;
    return phaseAt(found.state.market, process.now()) === 'resolved' ? null : found;
  };

  function deliver(state: MarketState, text: string, only: readonly string[] | null, custom = false): void {
    const frame: FrameC = {
      tokens: only ?? state.market.tokens,
      market: state.market.id,
      text,
      custom,
    };
    for (const read of readers) read(frame);
  }

  const bests = new Map<MarketState, string>();

  function on(event: ProcessEvent): void {
    const { state } = event;
    const at = stamp(event.at);
    if (event.kind === 'listed') {
      learn(state);
      hydrating.add(state);
    }
    if (event.kind === 'resolved') {
      bests.delete(state);
      hydrating.delete(state);
    }
    if (hydrating.has(state) && event.kind !== 'listed') {
      // Only between two updates is the book whole.
      if (event.kind !== 'updated' || !hydrated(state, event.at)) return;
      hydrating.delete(state);
      books(state, at);
      return;
    }
    if (readers.size === 0) return;
    switch (event.kind) {
      case 'change':
        deliver(state, priceChangeMessage(state, event, at), null);
        return;
      case 'trade': {
        const outcome = state.trades % 2 === 0 ? 0 : 1;
        const buys = (event.taker === 'buy') === (outcome === 0);
        deliver(
          state,
          JSON.stringify({
            market: state.market.conditionId,
            asset_id: state.market.tokens[outcome],
            price: priceC(outcome === 0 ? event.price : complement(event.price), state.updates),
            size: sizeC(event.size),
            fee_rate_bps: '0',
            side: buys ? 'BUY' : 'SELL',
            timestamp: String(at),
            event_type: 'last_trade_price',
            transaction_hash: `0x${hexOf(`${state.market.id}:${state.trades}`, 64)}`,
          }),
          [state.market.tokens[outcome]],
        );
        return;
      }
      case 'tick':
        for (const outcome of [0, 1] as const)
          deliver(
            state,
            JSON.stringify({
              event_type: 'tick_size_change',
              market: state.market.conditionId,
              asset_id: state.market.tokens[outcome],
              old_tick_size: sizeC(event.from),
              new_tick_size: sizeC(event.to),
              timestamp: String(at),
            }),
            [state.market.tokens[outcome]],
          );
        books(state, at);
        return;
      case 'updated': {
        if (event.traded) books(state, at);
        const best = `${bestPrice(state.book!, 'bid')}/${bestPrice(state.book!, 'ask')}`;
        if (bests.get(state) === best) return;
        bests.set(state, best);
        for (const outcome of [0, 1] as const) {
          const { bid, ask } = bestTexts(state, outcome);
          deliver(
            state,
            JSON.stringify({
              event_type: 'best_bid_ask',
              market: state.market.conditionId,
              asset_id: state.market.tokens[outcome],
              best_bid: bid,
              best_ask: ask,
              spread: sizeC(Math.round((Number(ask) - Number(bid)) * 1e6)),
              timestamp: String(at),
            }),
            [state.market.tokens[outcome]],
            true,
          );
        }
        return;
      }
      case 'listed':
        deliver(state, newMarketMessage(state, at), [], true);
        return;
      case 'resolved':
        deliver(state, resolvedMessage(state, process.winner(state.market) === 1 ? 1 : 0, at), null, true);
        return;
      case 'opened':
      case 'ended':
      case 'stopped':
    }
  }

  const books = (state: MarketState, at: number): void => {
    for (const outcome of [0, 1] as const)
      deliver(state, bookMessage(state, outcome, at, false), [state.market.tokens[outcome]]);
  };

  function rest(request: RestRequest): RestAnswer | null {
    return request.service === 'gamma' ? gammaAnswer(process, request) : clob(request);
  }

  function clob({ method, path, query, body }: RestRequest): RestAnswer | null {
    const summary = (token: string) => {
      const found = served(token);
      return found ? bookSummary(found.state, found.outcome, stamp(found.state.updatedMs)) : null;
    };
    const token = query.get('token_id') ?? '';
    const noBook = asJson(404, { error: 'No orderbook exists for the requested token id' });
    switch (path) {
      case '/time':
        return { status: 200, body: String(Math.floor(stamp(process.now()) / 1_000)) };
      case '/book': {
        const book = summary(token);
        return book ? { ...asJson(200, book), markets: [book.market] } : noBook;
      }
      case '/books': {
        const asked = method === 'POST' ? tokensAsked(body) : null;
        if (!asked) return asJson(400, { error: 'Invalid payload' });
        const found = asked.map(summary).filter((book) => book !== null);
        return { ...asJson(200, found), markets: found.map((book) => book.market) };
      }
      case '/tick-size': {
        const book = summary(token);
        return book
          ? asJson(200, { minimum_tick_size: Number(book.tick_size) })
          : asJson(404, { error: 'market not found' });
      }
      case '/neg-risk':
        return served(token) ? asJson(200, { neg_risk: false }) : asJson(404, { error: 'market not found' });
      case '/midpoint':
      case '/spread':
      case '/price':
      case '/last-trade-price': {
        const found = served(token);
        if (!found) return noBook;
        const { bid, ask } = bestTexts(found.state, found.outcome);
        const micro = (text: string): number => Math.round(Number(text) * 1e6);
        if (path === '/midpoint')
          return asJson(200, { mid: sizeC(Math.round((micro(bid) + micro(ask)) / 2)) });
        if (path === '/spread') return asJson(200, { spread: sizeC(micro(ask) - micro(bid)) });
        if (path === '/price') return asJson(200, { price: query.get('side') === 'SELL' ? ask : bid });
        const last = found.state.lastTrade;
        return asJson(200, {
          price: last === null ? '0.5' : sizeC(found.outcome === 0 ? last : complement(last)),
          side: found.state.trades % 2 === 0 ? 'BUY' : 'SELL',
        });
      }
    }
    const market = /^\/markets\/(0x[0-9a-f]{64})$/.exec(path)?.[1];
    if (!market) return null;
    const state = process.state('venuec', market);
    return state
      ? { ...asJson(200, clobMarket(state, process)), markets: [market] }
      : asJson(404, { error: 'market not found' });
  }

  return {
    on,
    push: (frame) => readers.forEach((read) => read(frame)),
    rest,
    connect(read) {
      readers.add(read);
      return {
        initial: (ids) =>
          ids.flatMap((id) => {
            const found = served(id);
            if (!found) return [];
            const { state, outcome } = found;
            const text = bookMessage(state, outcome, stamp(state.updatedMs), true);
            return [{ tokens: [id], market: state.market.id, text, custom: false }];
          }),
        close: () => void readers.delete(read),
      };
    },
  };
}
