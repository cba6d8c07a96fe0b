// Simulated venue C (Polymarket dialect): the market as Gamma's and the CLOB's objects.

import { complement, formatMicro, type Micro } from '../../kernel/decimal.ts';
import { hexOf, mix, numberOf } from '../serving/seeded.ts';
import type { Level } from '../serving/sim-book.ts';
import {
  assetName,
  isoOf,
  isoSeconds,
  phaseAt,
  type SimMarketState,
  type Series,
  type SimMarket,
  type SimulatedMarkets,
} from '../serving/simulate.ts';
import type { BookSummary, WireLevel } from './server.ts';

const MIN_ORDER_SIZE = 5;
export const gammaTags = [
  { id: '102127', label: 'Up or Down', slug: 'up-or-down' },
  { id: '21', label: 'Crypto', slug: 'crypto' },
];

/** Mostly the shortest (0.5); one in 40 without its zero (.48), one in 40 padded (0.50). */
export function priceC(price: Micro, quirk: number): string {
  const pick = mix(price, quirk) % 40;
  if (pick === 0) return formatMicro(price, '.min');
  return pick === 1 ? formatMicro(price, '2') : formatMicro(price);
}

export const description = (market: SimMarket): string =>
  `Simulated by Ladderlog. This market will resolve to "Up" if the ${assetName(market.series.asset)} price at the end of the time range in the title is greater than or equal to the price at its beginning. Otherwise, it will resolve to "Down".`;

/** Gamma's market object; arrays are JSON inside strings there. */
// oxlint-disable-next-line max-lines-per-function -- a table of fields
function gammaMarket(state: SimMarketState, markets: SimulatedMarkets): Record<string, unknown> {
  const { market } = state;
  const phase = phaseAt(market, markets.now());
  const resolved = phase === 'resolved';
  const winner = resolved ? markets.winner(market) : null;
  const bid = state.book ? state.book.bestPrice('bid') : null;
  const ask = state.book ? state.book.bestPrice('ask') : null;
  const middle = bid !== null && ask !== null ? (bid + ask) / 2 : (bid ?? ask ?? 500_000);
  const prices =
    winner === null
      ? [formatMicro(Math.round(middle)), formatMicro(complement(Math.round(middle)))]
      : winner === 0
        ? ['1', '0']
        : ['0', '1'];
  const volume = Math.round(state.volume / 10_000) / 100;
  const liquidity = liquidityOf(state);
  return {
    id: market.alias,
    question: market.title,
    conditionId: market.conditionId,
    slug: market.slug,
    resolutionSource: `https://data.chain.link/streams/${market.series.asset.toLowerCase()}-usd`,
    endDate: isoSeconds(market.endMs),
    liquidity: String(liquidity),
    startDate: isoOf(market.listMs).replace('Z', '579Z'),
    description: description(market),
    outcomes: '["Up", "Down"]',
    outcomePrices: `["${prices[0]}", "${prices[1]}"]`,
    volume: String(volume),
    active: true,
    closed: resolved,
    marketMakerAddress: '',
    createdAt: isoOf(market.listMs),
    updatedAt: isoOf(Math.min(state.updatedMs, markets.now())),
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

function liquidityOf(state: SimMarketState): number {
  if (!state.book) return 0;
  let total = 0;
  for (const [price, size] of state.book.levels('bid')) total += (price / 1e6) * (size / 1e6);
  for (const [price, size] of state.book.levels('ask')) total += (1 - price / 1e6) * (size / 1e6);
  return Math.round(total * 100) / 100;
}

export function gammaSeries({ name, index, asset, window }: Series): Record<string, unknown> {
  return {
    id: String(10_600 + index),
    ticker: name,
    slug: name,
    title: `${asset} Up or Down ${window}`,
    seriesType: 'single',
    recurrence: window,
    active: true,
    closed: false,
    archived: false,
    ladderlog_simulated: true,
  };
}

export function gammaEvent(state: SimMarketState, markets: SimulatedMarkets): Record<string, unknown> {
  const { market } = state;
  const inner = gammaMarket(state, markets);
  return {
    id: market.eventId,
    ticker: market.slug,
    slug: market.slug,
    title: market.title,
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
    series: [gammaSeries(market.series)],
    tags: gammaTags,
    startTime: isoSeconds(market.startMs),
    seriesSlug: market.series.name,
    ladderlog_simulated: true,
  };
}

/** A market as the list routes nest its event. */
export function gammaMarketWithEvent(
  state: SimMarketState,
  markets: SimulatedMarkets,
): Record<string, unknown> {
  const { market } = state;
  return {
    ...gammaMarket(state, markets),
    events: [
      {
        id: market.eventId,
        ticker: market.slug,
        slug: market.slug,
        title: market.title,
        startTime: isoSeconds(market.startMs),
        endDate: isoSeconds(market.endMs),
        seriesSlug: market.series.name,
        series: [gammaSeries(market.series)],
      },
    ],
  };
}

export function clobMarket(state: SimMarketState, markets: SimulatedMarkets): Record<string, unknown> {
  const { market } = state;
  const phase = phaseAt(market, markets.now());
  const winner = phase === 'resolved' ? markets.winner(market) : null;
  const bid = state.book ? state.book.bestPrice('bid') : null;
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
    question: market.title,
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

const tickOf = (state: SimMarketState): string => (state.book?.grid.name === 'deci' ? '0.001' : '0.01');

/** Both sides of one outcome's book, worst first: bids low to high, asks high to low. */
function wireSides(state: SimMarketState, outcome: 0 | 1): { bids: WireLevel[]; asks: WireLevel[] } {
  const quirk = numberOf(state.market.tokens[outcome]);
  const text = ([price, size]: Level): WireLevel => ({
    price: priceC(price, quirk),
    size: formatMicro(size),
  });
  const mirrored = ([price, size]: Level): Level => [complement(price), size];
  const bids = state.book!.levels('bid');
  const asks = state.book!.levels('ask');
  return outcome === 0
    ? { bids: bids.map(text).reverse(), asks: asks.map(text).reverse() }
    : {
        bids: asks.map(mirrored).map(text).reverse(),
        asks: bids.map(mirrored).map(text).reverse(),
      };
}

/** Without its hash. */
export function bookSummary(state: SimMarketState, outcome: 0 | 1, timestamp: number): BookSummary {
  const { market } = state;
  const last = state.lastTrade;
  return {
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
}

/** Best prices of one outcome. */
export function bestPrices(
  { book }: SimMarketState,
  outcome: 0 | 1,
): { readonly bid: Micro | null; readonly ask: Micro | null } {
  const bid = book!.bestPrice('bid');
  const ask = book!.bestPrice('ask');
  if (outcome === 0) return { bid, ask };
  return { bid: ask === null ? null : complement(ask), ask: bid === null ? null : complement(bid) };
}
