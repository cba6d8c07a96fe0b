// Simulated venue C: what happens in the market as messages of the market channel.

import { MICRO, complement, formatMicro } from '../../kernel/decimal.ts';
import { hexOf, mix, numberOf } from '../serving/seeded.ts';
import type { ServerPrimitives } from '../serving/server.ts';
import type { SimMarketState } from '../serving/simulate.ts';
import { withBookHash } from './server.ts';
import type { FrameC } from './server-socket.ts';
import { bestPrices, bookSummary, description, priceC } from './simulate-objects.ts';

export const OUTCOMES = [0, 1] as const;
type OutcomeIndex = (typeof OUTCOMES)[number];

const frame = (
  { market }: SimMarketState,
  text: string | object,
  tokens: readonly string[] = market.tokens,
  custom = false,
): FrameC => ({
  tokens,
  market: market.id,
  text: typeof text === 'string' ? text : JSON.stringify(text),
  custom,
});

const changeText = ({ market }: SimMarketState, entries: readonly object[], timestamp: number): object => ({
  market: market.conditionId,
  price_changes: entries,
  timestamp: String(timestamp),
  event_type: 'price_change',
});

/** Sets the best bid, and its mirror on the other token, to the size -1. */
export function negativeSize(state: SimMarketState, at: number): FrameC {
  const price = state.book!.bestPrice('bid')!;
  const entries = OUTCOMES.map((outcome) => ({
    asset_id: state.market.tokens[outcome],
    price: formatMicro(outcome === 0 ? price : complement(price)),
    size: '-1',
    side: outcome === 0 ? 'BUY' : 'SELL',
    hash: hexOf(`${state.market.tokens[outcome]}:${at}`, 40),
    best_bid: '0',
    best_ask: '1',
  }));
  return frame(state, changeText(state, entries, at));
}

/** One book in 50 of an initial dump lacks its event_type, as seen on the wire. */
export function bookFrame(
  state: SimMarketState,
  outcome: OutcomeIndex,
  timestamp: number,
  isInitial: boolean,
  primitives: ServerPrimitives,
): FrameC {
  const { market, asset_id, bids, asks, tick_size, last_trade_price, hash } = withBookHash(
    bookSummary(state, outcome, timestamp),
    primitives,
  );
  const isBare = isInitial && mix(numberOf(asset_id), state.updates) % 50 === 0;
  const message = {
    market,
    asset_id,
    timestamp: String(timestamp),
    hash,
    bids,
    asks,
    ...(isBare ? {} : { event_type: 'book' }),
    tick_size,
    last_trade_price,
  };
  return frame(state, message, [asset_id]);
}

/** For clients with custom features. */
export function bestBidAsk(state: SimMarketState, outcome: OutcomeIndex, at: number): FrameC {
  const { bid, ask } = bestPrices(state, outcome);
  const facts = { ...bestTexts(state, outcome), spread: formatMicro((ask ?? MICRO) - (bid ?? 0)) };
  return { ...ofToken(state, outcome, at, 'best_bid_ask', facts), custom: true };
}

/** An empty side is "0" or "1". */
function bestTexts(state: SimMarketState, outcome: OutcomeIndex): { best_bid: string; best_ask: string } {
  const { bid, ask } = bestPrices(state, outcome);
  return { best_bid: formatMicro(bid ?? 0), best_ask: formatMicro(ask ?? MICRO) };
}

/** A message about one token. */
export function ofToken(
  state: SimMarketState,
  outcome: OutcomeIndex,
  timestamp: number,
  event_type: string,
  facts: object,
): FrameC {
  const { conditionId, tokens } = state.market;
  const message = { event_type, market: conditionId, asset_id: tokens[outcome], ...facts };
  return frame(state, { ...message, timestamp: String(timestamp) }, [tokens[outcome]]);
}

/** One order, seen on both tokens: a bid for one is an ask for the other. */
export function priceChange(
  state: SimMarketState,
  change: { readonly side: 'bid' | 'ask'; readonly price: number; readonly size: number },
  at: number,
): FrameC {
  const { tokens } = state.market;
  const entries = OUTCOMES.map((outcome) => {
    const price = outcome === 0 ? change.price : complement(change.price);
    return {
      asset_id: tokens[outcome],
      price: priceC(price, state.updates),
      size: formatMicro(change.size),
      side: (change.side === 'bid') === (outcome === 0) ? 'BUY' : 'SELL',
      hash: hexOf(`${tokens[outcome]}:${state.updates}:${price}:${change.size}`, 40),
      ...bestTexts(state, outcome),
    };
  });
  return frame(state, changeText(state, state.updates % 2 === 0 ? entries : entries.reverse(), at));
}

/** A trade, told of one of the tokens in turn. */
export function lastTrade(
  state: SimMarketState,
  trade: { readonly price: number; readonly size: number; readonly taker: 'buy' | 'sell' },
  at: number,
): FrameC {
  const { id, conditionId, tokens } = state.market;
  const outcome = state.trades % 2 === 0 ? 0 : 1;
  const message = {
    market: conditionId,
    asset_id: tokens[outcome],
    price: priceC(outcome === 0 ? trade.price : complement(trade.price), state.updates),
    size: formatMicro(trade.size),
    fee_rate_bps: '0',
    side: (trade.taker === 'buy') === (outcome === 0) ? 'BUY' : 'SELL',
    timestamp: String(at),
    event_type: 'last_trade_price',
    transaction_hash: `0x${hexOf(`${id}:${state.trades}`, 64)}`,
  };
  return frame(state, message, [tokens[outcome]]);
}

export function newMarket(state: SimMarketState, timestamp: number): FrameC {
  const { market } = state;
  const { slug, title, eventId, conditionId, tokens } = market;
  const message = {
    event_type: 'new_market',
    id: market.alias,
    question: title,
    market: conditionId,
    slug,
    description: description(market),
    assets_ids: tokens,
    outcomes: ['Up', 'Down'],
    event_message: { id: eventId, ticker: slug, slug, title, description: description(market) },
    timestamp: String(timestamp),
    tags: ['crypto', 'up-or-down'],
    condition_id: conditionId,
    active: true,
    clob_token_ids: tokens,
    order_price_min_tick_size: '0.01',
    group_item_title: '',
    ladderlog_simulated: true,
  };
  return frame(state, message, [], true);
}

export function resolved(state: SimMarketState, winner: OutcomeIndex, timestamp: number): FrameC {
  const { market } = state;
  const message = {
    event_type: 'market_resolved',
    id: market.alias,
    market: market.conditionId,
    assets_ids: market.tokens,
    winning_asset_id: market.tokens[winner],
    winning_outcome: winner === 0 ? 'Up' : 'Down',
    timestamp: String(timestamp),
    tags: ['crypto', 'up-or-down'],
  };
  return frame(state, message, market.tokens, true);
}
