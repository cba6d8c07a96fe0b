// Venue B (Kalshi dialect): the simulated market as REST objects and WebSocket messages. Only bids are shown: a YES ask at p
// is a NO bid at 1 − p. Prices ascend, best last.

import { complement } from '@ladderlog/core';
import { bestPrice, levelsOf, type GridName } from '../market/book.ts';
import type { MarketProcess, MarketState } from '../market/market-process.ts';
import { hexOf } from '../market/random.ts';
import { assetName, phaseAt, type Phase, type Series } from '../market/series.ts';
import { contracts, dollars, iso, isoSeconds } from '../market/wire-text.ts';

type Pair = [string, string];

/** Yes bids and no bids, ascending, no side in NO prices. */
export function bidPairs(state: MarketState): { yes: Pair[]; no: Pair[] } {
  if (!state.book) return { yes: [], no: [] };
  return {
    yes: levelsOf(state.book, 'bid')
      .map(([price, size]): Pair => [dollars(price), contracts(size)])
      .reverse(),
    no: levelsOf(state.book, 'ask')
      .map(([price, size]): Pair => [dollars(complement(price)), contracts(size)])
      .reverse(),
  };
}

const STRUCTURES: Readonly<Record<GridName, { label: string; ranges: [string, string, string][] }>> = {
  cent: { label: 'linear_cent', ranges: [['0.0000', '1.0000', '0.0100']] },
  deci: { label: 'deci_cent', ranges: [['0.0000', '1.0000', '0.0010']] },
  tapered: {
    label: 'tapered_deci_cent',
    ranges: [
      ['0.0000', '0.1000', '0.0010'],
      ['0.1000', '0.9000', '0.0100'],
      ['0.9000', '1.0000', '0.0010'],
    ],
  },
};

export const priceRanges = (grid: GridName) => ({
  price_level_structure: STRUCTURES[grid].label,
  price_ranges: STRUCTURES[grid].ranges.map(([start, end, step]) => ({ start, end, step })),
});

/** Statuses of answers; the filter of requests has its own words. */
const STATUS: Readonly<Record<Phase, string>> = {
  unlisted: 'initialized',
  listed: 'initialized',
  live: 'active',
  trailing: 'active',
  closed: 'closed',
  resolved: 'finalized',
};
export const FILTER_STATUS: Readonly<Record<Phase, string>> = {
  unlisted: 'unopened',
  listed: 'unopened',
  live: 'open',
  trailing: 'open',
  closed: 'closed',
  resolved: 'settled',
};

export function marketObject(state: MarketState, process: MarketProcess): Record<string, unknown> {
  const { market } = state;
  const phase = phaseAt(market, process.now());
  const winner = phase === 'resolved' ? process.winner(market) : null;
  const strike = process.strike(market);
  const bid = state.book && phase === 'live' ? bestPrice(state.book, 'bid') : null;
  const ask = state.book && phase === 'live' ? bestPrice(state.book, 'ask') : null;
  const book = state.book;
  const name = assetName(market.series.asset);
  const floor = strike === null ? {} : { floor_strike: strike };
  const label = strike === null ? 'Target price: TBD' : `$${strike.toLocaleString('en-US')} or above`;
  return {
    ticker: market.id,
    event_ticker: market.eventId,
    market_type: 'binary',
    title: market.title,
    yes_sub_title: label,
    no_sub_title: label,
    created_time: iso(market.listMs),
    updated_time: iso(Math.min(state.updatedMs, process.now())),
    open_time: isoSeconds(market.startMs),
    close_time: isoSeconds(market.endMs),
    expected_expiration_time: isoSeconds(market.resolveMs),
    latest_expiration_time: isoSeconds(market.endMs + 7 * 86_400_000),
    settlement_timer_seconds: 60,
    status: STATUS[phase],
    yes_bid_dollars: dollars(bid ?? 0),
    yes_ask_dollars: dollars(ask ?? 1_000_000),
    no_bid_dollars: dollars(ask === null ? 0 : complement(ask)),
    no_ask_dollars: dollars(bid === null ? 1_000_000 : complement(bid)),
    yes_bid_size_fp: contracts(bid === null ? 0 : book!.bids[book!.bestBid]!),
    yes_ask_size_fp: contracts(ask === null ? 0 : book!.asks[book!.bestAsk]!),
    last_price_dollars: dollars(state.lastTrade ?? 0),
    previous_price_dollars: dollars(0),
    volume_fp: contracts(Math.round(state.volume / 10_000) * 10_000),
    volume_24h_fp: contracts(Math.round(state.volume / 10_000) * 10_000),
    open_interest_fp: contracts(Math.round(state.volume / 20_000) * 10_000),
    liquidity_dollars: '0.0000',
    notional_value_dollars: '1.0000',
    result: winner === null ? '' : winner === 0 ? 'yes' : 'no',
    ...(winner === null
      ? { expiration_value: '' }
      : {
          expiration_value: process.price(market.series.asset, market.endMs).toFixed(2),
          settlement_value_dollars: winner === 0 ? '1.0000' : '0.0000',
          settlement_ts: isoSeconds(market.resolveMs),
        }),
    strike_type: market.series.kind === 'ladder' ? 'greater' : 'greater_or_equal',
    ...floor,
    rules_primary: `Simulated by Ladderlog. If the average ${name} price before ${isoSeconds(market.endMs)} is at or above the target, the market resolves to Yes.`,
    can_close_early: false,
    ...priceRanges(market.series.grid),
    fractional_trading_enabled: true,
    ladderlog_simulated: true,
  };
}

export function eventObject(states: readonly MarketState[]): Record<string, unknown> {
  const { market } = states[0]!;
  return {
    event_ticker: market.eventId,
    series_ticker: market.series.name,
    title: market.title,
    sub_title: isoSeconds(market.endMs),
    category: 'Crypto',
    collateral_return_type: '',
    mutually_exclusive: false,
    strike_date: isoSeconds(market.endMs),
    strike_period: '',
    available_on_brokers: false,
    ladderlog_simulated: true,
  };
}

export function seriesObject(series: Series): Record<string, unknown> {
  return {
    ticker: series.name,
    title: `${assetName(series.asset)} ${series.kind === 'ladder' ? 'hourly price' : 'price up in 15 minutes'}`,
    category: 'Crypto',
    frequency: series.kind === 'ladder' ? 'hourly' : 'fifteen_min',
    tags: ['Crypto'],
    settlement_sources: [{ name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' }],
    fee_type: 'quadratic',
    fee_multiplier: 1,
    contract_url: '',
    ladderlog_simulated: true,
  };
}

export function snapshotMsg(state: MarketState): Record<string, unknown> {
  const { yes, no } = bidPairs(state);
  return {
    market_ticker: state.market.id,
    market_id: state.market.alias,
    ...(yes.length > 0 ? { yes_dollars_fp: yes } : {}),
    ...(no.length > 0 ? { no_dollars_fp: no } : {}),
  };
}

const uuid = (text: string): string => {
  const h = hexOf(text, 32);
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-8${h.slice(17, 20)}-${h.slice(20)}`;
};

export type SimTrade = {
  readonly at: number;
  readonly price: number;
  readonly size: number;
  readonly taker: 'buy' | 'sell';
  readonly number: number;
};

/** A trade; sizes of venue B are whole cents of a contract already. */
export function tradeMsg(state: MarketState, trade: SimTrade, at: number): Record<string, unknown> {
  const side = trade.taker === 'buy' ? 'yes' : 'no';
  return {
    trade_id: uuid(`${state.market.id}:${trade.number}`),
    market_ticker: state.market.id,
    yes_price_dollars: dollars(trade.price),
    no_price_dollars: dollars(complement(trade.price)),
    count_fp: contracts(trade.size),
    taker_side: side,
    taker_outcome_side: side,
    taker_book_side: side === 'yes' ? 'bid' : 'ask',
    is_block_trade: false,
    ts: Math.floor(at / 1_000),
    ts_ms: at,
  };
}

export function tickerMsg(state: MarketState, at: number): Record<string, unknown> {
  const book = state.book!;
  const bid = bestPrice(book, 'bid');
  const ask = bestPrice(book, 'ask');
  return {
    market_ticker: state.market.id,
    market_id: state.market.alias,
    price_dollars: dollars(state.lastTrade ?? 0),
    yes_bid_dollars: dollars(bid ?? 0),
    yes_ask_dollars: dollars(ask ?? 1_000_000),
    yes_bid_size_fp: contracts(bid === null ? 0 : book.bids[book.bestBid]!),
    yes_ask_size_fp: contracts(ask === null ? 0 : book.asks[book.bestAsk]!),
    last_trade_size_fp: '0.00',
    volume_fp: contracts(state.volume),
    open_interest_fp: contracts(Math.round(state.volume / 20_000) * 10_000),
    dollar_volume: Math.round(state.volume / 2_000_000),
    dollar_open_interest: Math.round(state.volume / 4_000_000),
    ts: Math.floor(at / 1_000),
    ts_ms: at,
    time: iso(at),
  };
}
