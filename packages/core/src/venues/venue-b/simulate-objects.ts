// Venue B (Kalshi dialect): the simulated market as REST objects and WebSocket messages. Only bids are shown: a YES ask at p
// is a NO bid at 1 − p. Prices ascend, best last.

import { complement } from '../../kernel/decimal.ts';
import type { GridName, SimBook } from '../serving/sim-book.ts';
import {
  assetName,
  isoOf,
  isoSeconds,
  phaseAt,
  type SimMarketState,
  type Phase,
  type Series,
  type SimulatedMarkets,
} from '../serving/simulate.ts';
import { contracts, dollars } from './server-socket.ts';

type Pair = [string, string];

/** Yes bids and no bids, ascending, no side in NO prices. */
export function bidPairs(state: SimMarketState): { yes: Pair[]; no: Pair[] } {
  if (!state.book) return { yes: [], no: [] };
  return {
    yes: state.book
      .levels('bid')
      .map(([price, size]): Pair => [dollars(price), contracts(size)])
      .reverse(),
    no: state.book
      .levels('ask')
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

/** The status in answers, and the word for it in the filter of requests. */
const STATUS: Readonly<Record<Phase, readonly [answered: string, filter: string]>> = {
  unlisted: ['initialized', 'unopened'],
  listed: ['initialized', 'unopened'],
  live: ['active', 'open'],
  trailing: ['active', 'open'],
  closed: ['closed', 'closed'],
  resolved: ['finalized', 'settled'],
};
export const filterStatus = ({ market }: SimMarketState, markets: SimulatedMarkets): string =>
  STATUS[phaseAt(market, markets.now())][1];

/** Best prices and sizes; an empty side is 0 and 1. */
export const bestOf = (book: SimBook | null) => {
  const bid = book && book.bestPrice('bid');
  const ask = book && book.bestPrice('ask');
  return {
    yes_bid_dollars: dollars(bid ?? 0),
    yes_ask_dollars: dollars(ask ?? 1_000_000),
    no_bid_dollars: dollars(complement(ask ?? 1_000_000)),
    no_ask_dollars: dollars(complement(bid ?? 0)),
    yes_bid_size_fp: contracts(bid === null ? 0 : book!.size('bid', book!.best('bid'))),
    yes_ask_size_fp: contracts(ask === null ? 0 : book!.size('ask', book!.best('ask'))),
  };
};

export function marketObject(state: SimMarketState, markets: SimulatedMarkets): Record<string, unknown> {
  const { market } = state;
  const phase = phaseAt(market, markets.now());
  const winner = phase === 'resolved' ? markets.winner(market) : null;
  const strike = markets.strike(market);
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
    created_time: isoOf(market.listMs),
    updated_time: isoOf(Math.min(state.updatedMs, markets.now())),
    open_time: isoSeconds(market.startMs),
    close_time: isoSeconds(market.endMs),
    expected_expiration_time: isoSeconds(market.resolveMs),
    latest_expiration_time: isoSeconds(market.endMs + 7 * 86_400_000),
    settlement_timer_seconds: 60,
    status: STATUS[phase][0],
    ...bestOf(phase === 'live' ? state.book : null),
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
          expiration_value: markets.price(market.series.asset, market.endMs).toFixed(2),
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

export function eventObject(states: readonly SimMarketState[]): Record<string, unknown> {
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
