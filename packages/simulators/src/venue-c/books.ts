// Venue C (Polymarket dialect): the simulated market as CLOB books and changes of them on the market channel.

import { createHash } from 'node:crypto';
import { complement } from '@ladderlog/core';
import { bestPrice, levelsOf, type Level } from '../market/book.ts';
import type { MarketState } from '../market/market-process.ts';
import { hashText, hexOf, mix } from '../market/random.ts';
import { priceC, sizeC } from '../market/wire-text.ts';

type WireLevel = { price: string; size: string };

export type BookSummary = {
  market: string;
  asset_id: string;
  timestamp: string;
  bids: WireLevel[];
  asks: WireLevel[];
  min_order_size: string;
  tick_size: string;
  neg_risk: boolean;
  last_trade_price: string;
  hash: string;
};

export const MIN_ORDER_SIZE = 5;

/**
 * SHA-1 of the compact JSON of the summary with an empty hash, keys in this order: what the venue's SDK computes. `summary`
 * must have the keys in that order already (absent ones omitted).
 */
export const bookHash = (summary: BookSummary): string =>
  createHash('sha1')
    .update(JSON.stringify({ ...summary, hash: '' }))
    .digest('hex');

export const tickOf = (state: MarketState): string => (state.book?.grid.name === 'deci' ? '0.001' : '0.01');

/** Both sides of one outcome's book, worst first: bids low to high, asks high to low. */
function wireSides(state: MarketState, outcome: 0 | 1): { bids: WireLevel[]; asks: WireLevel[] } {
  const quirk = hashText(state.market.tokens[outcome]);
  const text = ([price, size]: Level): WireLevel => ({ price: priceC(price, quirk), size: sizeC(size) });
  const mirrored = ([price, size]: Level): Level => [complement(price), size];
  const bids = levelsOf(state.book!, 'bid');
  const asks = levelsOf(state.book!, 'ask');
  return outcome === 0
    ? { bids: bids.map(text).reverse(), asks: asks.map(text).reverse() }
    : {
        bids: asks.map(mirrored).map(text).reverse(),
        asks: bids.map(mirrored).map(text).reverse(),
      };
}

export function bookSummary(state: MarketState, outcome: 0 | 1, timestamp: number): BookSummary {
  const { market } = state;
  const last = state.lastTrade;
  const summary: BookSummary = {
    market: market.conditionId,
    asset_id: market.tokens[outcome],
    timestamp: String(timestamp),
    ...wireSides(state, outcome),
    min_order_size: String(MIN_ORDER_SIZE),
    tick_size: tickOf(state),
    neg_risk: false,
    last_trade_price: last === null ? '' : ((outcome === 0 ? last : complement(last)) / 1e6).toFixed(3),
    hash: '',
  };
  summary.hash = bookHash(summary);
  return summary;
}

/** A `book` message. One in 50 of an initial dump lacks its event_type, as seen on the wire. */
export function bookMessage(state: MarketState, outcome: 0 | 1, timestamp: number, initial: boolean): string {
  const { market, asset_id, bids, asks, tick_size, last_trade_price, hash } = bookSummary(
    state,
    outcome,
    timestamp,
  );
  const bare = initial && mix(hashText(asset_id), state.updates) % 50 === 0;
  return JSON.stringify({
    market,
    asset_id,
    timestamp: String(timestamp),
    hash,
    bids,
    asks,
    ...(bare ? {} : { event_type: 'book' }),
    tick_size,
    last_trade_price,
  });
}

/** Best prices of one outcome as text; an empty side is "0" or "1". */
export function bestTexts(state: MarketState, outcome: 0 | 1): { bid: string; ask: string } {
  const bid = bestPrice(state.book!, 'bid');
  const ask = bestPrice(state.book!, 'ask');
  const [own, other] =
    outcome === 0
      ? [bid, ask]
      : [ask === null ? null : complement(ask), bid === null ? null : complement(bid)];
  return { bid: own === null ? '0' : sizeC(own), ask: other === null ? '1' : sizeC(other) };
}

/** One order, seen on both tokens: a bid for one is an ask for the other. */
export function priceChangeMessage(
  state: MarketState,
  change: { readonly side: 'bid' | 'ask'; readonly price: number; readonly size: number },
  timestamp: number,
): string {
  const { market } = state;
  const entry = (outcome: 0 | 1): object => {
    const best = bestTexts(state, outcome);
    const price = outcome === 0 ? change.price : complement(change.price);
    return {
      asset_id: market.tokens[outcome],
      price: priceC(price, state.updates),
      size: sizeC(change.size),
      side: (change.side === 'bid') === (outcome === 0) ? 'BUY' : 'SELL',
      hash: hexOf(`${market.tokens[outcome]}:${state.updates}:${price}:${change.size}`, 40),
      best_bid: best.bid,
      best_ask: best.ask,
    };
  };
  return JSON.stringify({
    market: market.conditionId,
    price_changes: state.updates % 2 === 0 ? [entry(0), entry(1)] : [entry(1), entry(0)],
    timestamp: String(timestamp),
    event_type: 'price_change',
  });
}

/** The tokens that the body of POST /books names; null: it is none, or names too many. */
export function tokensAsked(body: string): string[] | null {
  try {
    const parsed: unknown = JSON.parse(body);
    if (!Array.isArray(parsed) || parsed.length > 500) return null;
    return parsed.map((entry: { token_id?: unknown } | null) =>
      typeof entry?.token_id === 'string' ? entry.token_id : '',
    );
  } catch {
    return null;
  }
}
