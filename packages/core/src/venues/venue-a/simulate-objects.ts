// Venue A (Binance Wallet Prediction dialect): the simulated market as topics, books and pushes. Best first on both sides.

import { complement, formatMicro, type Micro } from '../../kernel/decimal.ts';
import { mix, numberOf } from '../serving/seeded.ts';
import type { Level } from '../serving/sim-book.ts';
import {
  phaseAt,
  type SimMarketState,
  type SimMarket,
  type SimulatedMarkets,
  type Winner,
} from '../serving/simulate.ts';

/** As many decimals as the market's precision. */
export const priceA = (price: Micro, precision: number): string =>
  formatMicro(price, precision === 3 ? '3' : '2');

/**
 * The shortest decimal; one size in 1,500 has the dust of a float, beyond the sixth decimal. It stays below half a unit of
 * 1e-6: float error never moves a size to the next unit.
 */
export function sizeA(size: Micro, price: Micro): string {
  const quirk = mix(size >>> 0, price);
  if (quirk % 1_500 !== 0 || size % 1_000_000 === 0) return formatMicro(size);
  return `${formatMicro(size, '6')}${String(1 + (quirk % 4_999)).padStart(4, '0')}`;
}

export const precisionOf = ({ series }: SimMarket): number => (series.grid === 'deci' ? 3 : 2);

export const OUTCOMES = ['Up', 'Down'] as const;

/** The REST book of one token. */
export function tokenBook(state: SimMarketState, outcome: 0 | 1, timestamp: number): Record<string, unknown> {
  const precision = precisionOf(state.market);
  const bids = state.book!.levels('bid');
  const asks = state.book!.levels('ask');
  const level = ([price, size]: Level) => ({
    price: priceA(outcome === 0 ? price : complement(price), precision),
    size: sizeA(size, price),
  });
  return {
    outcome: OUTCOMES[outcome],
    tokenId: state.market.tokens[outcome],
    timestamp,
    bids: (outcome === 0 ? bids : asks).map(level),
    asks: (outcome === 0 ? asks : bids).map(level),
  };
}

/** Quoted price (what a buyer pays) and displayed chance (the rounded middle): they need not agree. */
function outcomes(state: SimMarketState, winner: Winner | null): Record<string, unknown>[] {
  const { market } = state;
  const precision = precisionOf(market);
  const bid = state.book ? state.book.bestPrice('bid') : null;
  const ask = state.book ? state.book.bestPrice('ask') : null;
  const middle = bid !== null && ask !== null ? (bid + ask) / 2 : (bid ?? ask ?? 500_000);
  // The page shows whole percent; the second outcome takes the rest.
  const chance = Math.min(99, Math.max(1, Math.round(middle / 10_000))) * 10_000;
  return ([0, 1] as const).map((index) => {
    const quoted = index === 0 ? (ask ?? bid ?? 500_000) : complement(bid ?? ask ?? 500_000);
    return {
      name: OUTCOMES[index],
      price: winner === null ? priceA(quoted, precision) : settled(winner, index),
      chance: winner === null ? priceA(index === 0 ? chance : complement(chance), 2) : settled(winner, index),
      index,
      tokenId: market.tokens[index],
    };
  });
}

const settled = (winner: Winner, index: 0 | 1): string =>
  winner === 'split' ? '0.5' : winner === index ? '1' : '0';

const money = (micro: number): string => (Math.round(micro / 10_000) / 100).toFixed(2);

function liquidity(state: SimMarketState): string {
  if (!state.book) return '0.00';
  let total = 0;
  for (const [price, size] of state.book.levels('bid')) total += (price / 1e6) * size;
  for (const [price, size] of state.book.levels('ask')) total += (1 - price / 1e6) * size;
  return money(total);
}

/** One topic in twelve comes in a list without its outcomes, or without its markets; the detail has them. */
export type ListGap = 'none' | 'outcomes' | 'markets';
export function listGapOf(market: SimMarket): ListGap {
  const pick = mix(numberOf(market.id), 7) % 24;
  return pick === 0 ? 'outcomes' : pick === 1 ? 'markets' : 'none';
}

// oxlint-disable-next-line max-lines-per-function -- a table of fields
export function topicObject(
  state: SimMarketState,
  markets: SimulatedMarkets,
  gap: ListGap,
): Record<string, unknown> {
  const { market } = state;
  const { asset, window } = market.series;
  const phase = phaseAt(market, markets.now());
  const winner = phase === 'resolved' ? markets.winner(market) : null;
  const volume = money(state.volume / 2);
  const title = `${asset} Up or Down ${window}`;
  const closed = phase === 'closed' || phase === 'resolved';
  const status = phase === 'resolved' ? 'RESOLVED' : 'REGISTERED';
  return {
    marketTopicId: Number(market.eventId),
    vendor: 'PREDICT_FUN',
    chainId: '56',
    slug: market.slug,
    title,
    question: market.title,
    description: 'Simulated by Ladderlog. A tie resolves 50-50.',
    topicType: 'FLAT',
    chartType: 'CRYPTO_UP_DOWN',
    symbol: `${asset}USDT`,
    participantCount: 3 + state.trades + (numberOf(market.id) % 90),
    collateral: 'USDT',
    feeRateBps: 200,
    slippageBps: 1_000,
    isYieldBearing: false,
    tradeVolume: volume,
    liquidity: liquidity(state),
    publishedAt: market.listMs,
    startDate: market.startMs,
    endDate: market.endMs,
    status,
    markets:
      gap === 'markets'
        ? []
        : [
            {
              marketId: Number(market.id),
              externalId: market.alias,
              title,
              question: market.title,
              conditionId: market.conditionId,
              status,
              tradingStatus: closed ? 'CLOSED' : 'OPEN',
              tradeVolume: volume,
              liquidity: liquidity(state),
              decimalPrecision: precisionOf(market),
              outcomes: gap === 'outcomes' ? [] : outcomes(state, winner),
              ladderlog_simulated: true,
            },
          ],
    ladderlog_simulated: true,
  };
}

export function topicDetail(
  state: SimMarketState,
  markets: SimulatedMarkets,
  neighbours: readonly SimMarket[],
): Record<string, unknown> {
  const { market } = state;
  const { asset } = market.series;
  const start = markets.strike(market);
  const resolved = phaseAt(market, markets.now()) === 'resolved';
  return {
    ...topicObject(state, markets, 'none'),
    variantData: {
      type: 'CRYPTO_UP_DOWN',
      startPrice: start === null ? null : start.toFixed(2),
      endPrice: resolved ? markets.price(asset, market.endMs).toFixed(2) : null,
      priceFeedId: `${asset.toLowerCase()}-usdt-top-of-book`,
      priceFeedProvider: 'CHAINLINK',
      priceFeedSymbol: `${asset}/USDT`,
    },
    timeline: neighbours.map(({ eventId, startMs, endMs }) => ({
      marketTopicId: Number(eventId),
      startDate: startMs,
      endDate: endMs,
    })),
  };
}
