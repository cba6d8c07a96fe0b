// Venue C (Polymarket dialect): the simulated market in the catalogue, as Gamma's and the CLOB's objects, and as news of it on
// the market channel.

import { complement } from '@ladderlog/core';
import { bestPrice, levelsOf } from '../market/book.ts';
import type { MarketProcess, MarketState } from '../market/market-process.ts';
import { hexOf } from '../market/random.ts';
import { assetName, phaseAt, type SimMarket } from '../market/series.ts';
import { isoSeconds, sizeC } from '../market/wire-text.ts';
import { MIN_ORDER_SIZE, tickOf } from './books.ts';

const question = (market: SimMarket): string => market.title;

const description = (market: SimMarket): string =>
  `Simulated by Ladderlog. This market will resolve to "Up" if the ${assetName(market.series.asset)} price at the end of the time range in the title is greater than or equal to the price at its beginning. Otherwise, it will resolve to "Down".`;

/** Gamma's market object; arrays are JSON inside strings there. */
function gammaMarket(state: MarketState, process: MarketProcess): Record<string, unknown> {
  const { market } = state;
  const phase = phaseAt(market, process.now());
  const resolved = phase === 'resolved';
  const winner = resolved ? process.winner(market) : null;
  const bid = state.book ? bestPrice(state.book, 'bid') : null;
  const ask = state.book ? bestPrice(state.book, 'ask') : null;
  const middle = bid !== null && ask !== null ? (bid + ask) / 2 : (bid ?? ask ?? 500_000);
  const prices =
    winner === null
      ? [sizeC(Math.round(middle)), sizeC(complement(Math.round(middle)))]
      : winner === 0
        ? ['1', '0']
        : ['0', '1'];
  const volume = Math.round(state.volume / 10_000) / 100;
  const liquidity = liquidityOf(state);
  return {
    id: market.alias,
    question: question(market),
    conditionId: market.conditionId,
    slug: market.slug,
    resolutionSource: `https://data.chain.link/streams/${market.series.asset.toLowerCase()}-usd`,
    endDate: isoSeconds(market.endMs),
    liquidity: String(liquidity),
    startDate: new Date(market.listMs).toISOString().replace('Z', '579Z'),
    description: description(market),
    outcomes: '["Up", "Down"]',
    outcomePrices: `["${prices[0]}", "${prices[1]}"]`,
    volume: String(volume),
    active: true,
    closed: resolved,
    marketMakerAddress: '',
    createdAt: new Date(market.listMs).toISOString(),
    updatedAt: new Date(Math.min(state.updatedMs, process.now())).toISOString(),
    archived: false,
    restricted: true,
    questionID: `0x${hexOf(`question:${market.conditionId}`, 64)}`,
    enableOrderBook: true,
    orderPriceMinTickSize: Number(tickOf(state)),
    orderMinSize: MIN_ORDER_SIZE,
    volumeNum: volume,
    liquidityNum: liquidity,
    endDateIso: isoSeconds(market.endMs).slice(0, 10),
    startDateIso: isoSeconds(market.listMs).slice(0, 10),
    clobTokenIds: `["${market.tokens[0]}", "${market.tokens[1]}"]`,
    umaResolutionStatuses: resolved ? '["proposed", "resolved"]' : '[]',
    ...(resolved
      ? {
          umaResolutionStatus: 'resolved',
          closedTime: `${isoSeconds(market.resolveMs).replace('T', ' ').replace('Z', '')}+00`,
          automaticallyResolved: true,
          resolvedBy: '0x0000000000000000000000000000000000000000',
        }
      : {}),
    acceptingOrders: phase !== 'closed' && phase !== 'resolved',
    negRisk: false,
    acceptingOrdersTimestamp: isoSeconds(market.listMs),
    ...(bid === null ? {} : { bestBid: bid / 1e6 }),
    ...(ask === null ? {} : { bestAsk: ask / 1e6 }),
    ...(bid === null || ask === null ? {} : { spread: Math.round(ask - bid) / 1e6 }),
    ...(state.lastTrade === null ? {} : { lastTradePrice: state.lastTrade / 1e6 }),
    eventStartTime: isoSeconds(market.startMs),
    ladderlog_simulated: true,
  };
}

function liquidityOf(state: MarketState): number {
  if (!state.book) return 0;
  let total = 0;
  for (const [price, size] of levelsOf(state.book, 'bid')) total += (price / 1e6) * (size / 1e6);
  for (const [price, size] of levelsOf(state.book, 'ask')) total += (1 - price / 1e6) * (size / 1e6);
  return Math.round(total * 100) / 100;
}

export function gammaSeries(market: SimMarket): Record<string, unknown> {
  return {
    id: String(10_600 + market.series.index),
    ticker: market.series.name,
    slug: market.series.name,
    title: `${market.series.asset} Up or Down ${market.series.window}`,
    seriesType: 'single',
    recurrence: market.series.window,
    active: true,
    closed: false,
    archived: false,
    ladderlog_simulated: true,
  };
}

export function gammaEvent(state: MarketState, process: MarketProcess): Record<string, unknown> {
  const { market } = state;
  const inner = gammaMarket(state, process);
  return {
    id: market.eventId,
    ticker: market.slug,
    slug: market.slug,
    title: question(market),
    description: description(market),
    startDate: inner['startDate'],
    creationDate: inner['createdAt'],
    endDate: inner['endDate'],
    active: true,
    closed: inner['closed'],
    archived: false,
    restricted: true,
    createdAt: inner['createdAt'],
    updatedAt: inner['updatedAt'],
    volume: inner['volumeNum'],
    liquidity: inner['liquidityNum'],
    enableOrderBook: true,
    negRisk: false,
    markets: [inner],
    series: [gammaSeries(market)],
    tags: [
      { id: '102127', label: 'Up or Down', slug: 'up-or-down' },
      { id: '21', label: 'Crypto', slug: 'crypto' },
    ],
    startTime: isoSeconds(market.startMs),
    seriesSlug: market.series.name,
    ladderlog_simulated: true,
  };
}

/** A market as the list routes nest its event. */
export function gammaMarketWithEvent(state: MarketState, process: MarketProcess): Record<string, unknown> {
  const { market } = state;
  return {
    ...gammaMarket(state, process),
    events: [
      {
        id: market.eventId,
        ticker: market.slug,
        slug: market.slug,
        title: question(market),
        startTime: isoSeconds(market.startMs),
        endDate: isoSeconds(market.endMs),
        seriesSlug: market.series.name,
        series: [gammaSeries(market)],
      },
    ],
  };
}

export function clobMarket(state: MarketState, process: MarketProcess): Record<string, unknown> {
  const { market } = state;
  const phase = phaseAt(market, process.now());
  const winner = phase === 'resolved' ? process.winner(market) : null;
  const bid = state.book ? bestPrice(state.book, 'bid') : null;
  const price = winner === null ? (bid ?? 500_000) / 1e6 : winner === 0 ? 1 : 0;
  return {
    enable_order_book: true,
    active: true,
    closed: phase === 'resolved',
    archived: false,
    accepting_orders: phase !== 'closed' && phase !== 'resolved',
    minimum_order_size: MIN_ORDER_SIZE,
    minimum_tick_size: Number(tickOf(state)),
    condition_id: market.conditionId,
    question_id: `0x${hexOf(`question:${market.conditionId}`, 64)}`,
    question: question(market),
    description: description(market),
    market_slug: market.slug,
    end_date_iso: isoSeconds(market.endMs),
    game_start_time: isoSeconds(market.startMs),
    seconds_delay: 0,
    neg_risk: false,
    tokens: ([0, 1] as const).map((outcome) => ({
      token_id: market.tokens[outcome],
      outcome: outcome === 0 ? 'Up' : 'Down',
      price: outcome === 0 ? price : Math.round((1 - price) * 1e6) / 1e6,
      winner: winner === outcome,
    })),
    ladderlog_simulated: true,
  };
}

export function newMarketMessage({ market }: MarketState, timestamp: number): string {
  return JSON.stringify({
    event_type: 'new_market',
    id: market.alias,
    question: question(market),
    market: market.conditionId,
    slug: market.slug,
    description: description(market),
    assets_ids: market.tokens,
    outcomes: ['Up', 'Down'],
    event_message: {
      id: market.eventId,
      ticker: market.slug,
      slug: market.slug,
      title: question(market),
      description: description(market),
    },
    timestamp: String(timestamp),
    tags: ['crypto', 'up-or-down'],
    condition_id: market.conditionId,
    active: true,
    clob_token_ids: market.tokens,
    order_price_min_tick_size: '0.01',
    group_item_title: '',
    ladderlog_simulated: true,
  });
}

export function resolvedMessage({ market }: MarketState, winner: 0 | 1, timestamp: number): string {
  return JSON.stringify({
    event_type: 'market_resolved',
    id: market.alias,
    market: market.conditionId,
    assets_ids: market.tokens,
    winning_asset_id: market.tokens[winner],
    winning_outcome: winner === 0 ? 'Up' : 'Down',
    timestamp: String(timestamp),
    tags: ['crypto', 'up-or-down'],
  });
}
