// Simulated venue B: what happens in the market as messages of the WebSocket.

import { complement } from '../../kernel/decimal.ts';
import { hexOf } from '../serving/seeded.ts';
import { isoOf, type SimMarketState } from '../serving/simulate.ts';
import { contracts, dollars, type FrameB } from './server-socket.ts';
import { bestOf, bidPairs } from './simulate-objects.ts';

export const frameOf = (
  { market }: SimMarketState,
  channel: FrameB['channel'],
  msg: Record<string, unknown>,
  type: FrameB['type'] = channel,
): FrameB => ({ channel, type, market: market.id, msg, yesPrices: false });

export const lifecycle = (state: SimMarketState, event_type: string, more: object = {}): FrameB =>
  frameOf(state, 'market_lifecycle_v2', { event_type, market_ticker: state.market.id, ...more });

export function deltaFrame(
  state: SimMarketState,
  change: { readonly side: 'bid' | 'ask'; readonly price: number; readonly delta: number },
  at: number,
): FrameB {
  const isBid = change.side === 'bid';
  return frameOf(state, 'orderbook_delta', {
    market_ticker: state.market.id,
    market_id: state.market.alias,
    price_dollars: dollars(isBid ? change.price : complement(change.price)),
    delta_fp: contracts(change.delta),
    side: isBid ? 'yes' : 'no',
    ts: isoOf(at),
    ts_ms: at,
  });
}

/** Takes one contract more from the best yes bid than there is. */
export function belowZero(state: SimMarketState, at: number): FrameB {
  const book = state.book!;
  const delta = -(book.size('bid', book.best('bid')) + 1_000_000);
  return deltaFrame(state, { side: 'bid', price: book.bestPrice('bid')!, delta }, at);
}

export function snapshotMsg(state: SimMarketState): Record<string, unknown> {
  const { yes, no } = bidPairs(state);
  return {
    market_ticker: state.market.id,
    market_id: state.market.alias,
    ...(yes.length > 0 ? { yes_dollars_fp: yes } : {}),
    ...(no.length > 0 ? { no_dollars_fp: no } : {}),
  };
}

/** Hexadecimal digits in the shape of a uuid. */
export const uuidOf = (hex: string, variant: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;

export type SimTrade = {
  readonly at: number;
  readonly price: number;
  readonly size: number;
  readonly taker: 'buy' | 'sell';
  readonly number: number;
};

/** A trade; sizes of venue B are whole cents of a contract already. */
export function tradeMsg(state: SimMarketState, trade: SimTrade): Record<string, unknown> {
  const side = trade.taker === 'buy' ? 'yes' : 'no';
  return {
    trade_id: uuidOf(hexOf(`${state.market.id}:${trade.number}`, 32), '8'),
    market_ticker: state.market.id,
    yes_price_dollars: dollars(trade.price),
    no_price_dollars: dollars(complement(trade.price)),
    count_fp: contracts(trade.size),
    taker_side: side,
    taker_outcome_side: side,
    taker_book_side: side === 'yes' ? 'bid' : 'ask',
    is_block_trade: false,
    ts: Math.floor(trade.at / 1_000),
    ts_ms: trade.at,
  };
}

export function tickerMsg(state: SimMarketState, at: number): Record<string, unknown> {
  const { no_bid_dollars: _bid, no_ask_dollars: _ask, ...best } = bestOf(state.book);
  return {
    market_ticker: state.market.id,
    market_id: state.market.alias,
    price_dollars: dollars(state.lastTrade ?? 0),
    ...best,
    last_trade_size_fp: '0.00',
    volume_fp: contracts(state.volume),
    open_interest_fp: contracts(Math.round(state.volume / 20_000) * 10_000),
    dollar_volume: Math.round(state.volume / 2_000_000),
    dollar_open_interest: Math.round(state.volume / 4_000_000),
    ts: Math.floor(at / 1_000),
    ts_ms: at,
    time: isoOf(at),
  };
}
