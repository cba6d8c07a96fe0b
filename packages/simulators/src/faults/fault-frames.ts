// The frames that faults put on the wire. The books behind them are not touched.

import { complement, type Venue } from '@ladderlog/core';
import { bestPrice } from '../market/book.ts';
import type { MarketState } from '../market/market-process.ts';
import type { FrameA, FrameB, FrameC } from '../server/protocol.ts';
import { hexOf } from '../market/random.ts';
import { pushData } from '../venue-a/objects.ts';
import { contracts, dollars, iso, sizeC } from '../market/wire-text.ts';

export const GARBAGE: Readonly<Record<Venue, string>> = {
  venuea: '{"type":"TOPIC","topic":"web3_prediction_orderbook_data","data":"{\\"msgType\\":\\"orderb',
  venueb: '{"type":"orderbook_delta","sid":1,"seq":',
  venuec: '[{"event_type":"book","market":"0x',
};

export const UNKNOWN: Readonly<Record<Venue, string>> = {
  venuea: '{"type":"NOTICE","subType":"WEATHER","data":"fair"}',
  venueb: '{"type":"market_weather","sid":1,"msg":{"forecast":"fair"}}',
  venuec: '{"event_type":"market_weather","forecast":"fair","timestamp":"0"}',
};

/** A whole book whose best bid has the size -1. */
export function negativeSizeA(state: MarketState, at: number): FrameA {
  const data = JSON.parse(pushData(state, at)) as { bids: [string, string][] };
  data.bids[0]![1] = '-1';
  return { market: state.market.id, data: JSON.stringify(data) };
}

/** Takes one contract more from the best yes bid than there is. */
export function belowZeroB({ market, book }: MarketState, at: number): FrameB {
  return {
    channel: 'orderbook_delta',
    type: 'orderbook_delta',
    market: market.id,
    msg: {
      market_ticker: market.id,
      market_id: market.alias,
      price_dollars: dollars(bestPrice(book!, 'bid')!),
      delta_fp: contracts(-(book!.bids[book!.bestBid]! + 1_000_000)),
      side: 'yes',
      ts: iso(at),
      ts_ms: at,
    },
    yesPrices: false,
  };
}

/** Sets the best bid, and its mirror on the other token, to the size -1. */
export function negativeSizeC({ market, book }: MarketState, at: number): FrameC {
  const price = bestPrice(book!, 'bid')!;
  const entry = (token: string, own: number, side: string) => ({
    asset_id: token,
    price: sizeC(own),
    size: '-1',
    side,
    hash: hexOf(`${token}:${at}`, 40),
    best_bid: '0',
    best_ask: '1',
  });
  return {
    tokens: market.tokens,
    market: market.id,
    custom: false,
    text: JSON.stringify({
      market: market.conditionId,
      price_changes: [
        entry(market.tokens[0], price, 'BUY'),
        entry(market.tokens[1], complement(price), 'SELL'),
      ],
      timestamp: String(at),
      event_type: 'price_change',
    }),
  };
}
