// Simulated venue C: which markets it lists, and the market as messages of the market channel.

import { complement, formatMicro } from '../../kernel/decimal.ts';
import { hexOf, mix, numberOf } from '../serving/seeded.ts';
import type { RestAnswer, RestRequest, ServerPrimitives } from '../serving/server.ts';
import { bestPrice } from '../serving/sim-book.ts';
import {
  phaseAt,
  type SimMarketEvent,
  type SimMarketState,
  type SimulatedMarkets,
  type SimulatedVenue,
  type VenueSimulatePart,
} from '../serving/simulate.ts';
import { upDownIdentity, upDownSeries } from '../serving/up-down-market.ts';
import { withBookHash } from './server.ts';
import type { FrameC } from './server-socket.ts';
import { bestTexts, bookSummary, description, priceC } from './simulate-objects.ts';
import { clobAnswer, gammaAnswer, type ServedToken } from './simulate-rest.ts';

/** How long Gamma lists a market before the CLOB knows its tokens. */
const HYDRATION_MS = 10_000;
const OUTCOMES = [0, 1] as const;
type OutcomeIndex = (typeof OUTCOMES)[number];

export const simulate: VenueSimulatePart<FrameC> = {
  assets: ['BTC', 'ETH', 'SOL'],
  series: (asset) => upDownSeries(asset, 'cent'),
  markets: (window) => [
    {
      ...upDownIdentity(window),
      id: `0x${window.digest}`,
      eventId: String(600_000 + window.ordinal),
      alias: String(2_000_000 + window.ordinal),
    },
  ],
  trailingMs: 90_000,
  resolutionMs: 60_000,
  tradesBeforeStart: true,
  hasSplit: false,
  refinesTick: true,
  sizes: { sixDecimals: 0.03, twoDecimals: 0.5 },
  garbage: '[{"event_type":"book","market":"0x',
  unknownMessage: '{"event_type":"market_weather","forecast":"fair","timestamp":"0"}',
  /** Sets the best bid, and its mirror on the other token, to the size -1. */
  impossibleFrame(state, at) {
    const price = bestPrice(state.book!, 'bid')!;
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
  },
  watchedId: ({ tokens }) => tokens[0],
  credentials: () => ({}),
  open: (markets, stamp, primitives) => new SimulatedC(markets, stamp, primitives),
};

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

class SimulatedC implements SimulatedVenue<FrameC> {
  private readonly markets: SimulatedMarkets;
  private readonly stamp: (ms: number) => number;
  private readonly primitives: ServerPrimitives;
  private readonly tokens = new Map<string, ServedToken>();
  /** Listed while we ran and not yet on the CLOB: its first book is sent when it is. */
  private readonly hydrating = new Set<SimMarketState>();
  private readonly bests = new Map<SimMarketState, string>();

  constructor(markets: SimulatedMarkets, stamp: (ms: number) => number, primitives: ServerPrimitives) {
    this.markets = markets;
    this.stamp = stamp;
    this.primitives = primitives;
    for (const state of markets.states()) this.learn(state);
  }

  private learn(state: SimMarketState): void {
    for (const [token, { state: known }] of this.tokens) {
      if (this.markets.state(known.market.id) === known) break;
      this.tokens.delete(token);
    }
    for (const outcome of OUTCOMES) this.tokens.set(state.market.tokens[outcome], { state, outcome });
  }

  private isHydrated({ market }: SimMarketState, at: number): boolean {
    return at >= Math.min(market.listMs + HYDRATION_MS / this.markets.scale, market.startMs);
  }

  private served(token: string): ServedToken | null {
    const found = this.tokens.get(token);
    if (!found?.state.book) return null;
    const now = this.markets.now();
    if (this.hydrating.has(found.state) && !this.isHydrated(found.state, now)) return null;
    return phaseAt(found.state.market, now) === 'resolved' ? null : found;
  }

  on(event: SimMarketEvent, isHeard: boolean): FrameC[] {
    const { state } = event;
    const at = this.stamp(event.at);
    if (event.kind === 'listed') {
      this.learn(state);
      this.hydrating.add(state);
    }
    if (event.kind === 'resolved') {
      this.bests.delete(state);
      this.hydrating.delete(state);
    }
    if (this.hydrating.has(state) && event.kind !== 'listed') {
      // Only between two updates is the book whole.
      if (event.kind !== 'updated' || !this.isHydrated(state, event.at)) return [];
      this.hydrating.delete(state);
      return this.books(state, at);
    }
    return isHeard ? this.frames(event, at) : [];
  }

  private frames(event: SimMarketEvent, at: number): FrameC[] {
    const { state } = event;
    switch (event.kind) {
      case 'change':
        return [priceChange(state, event, at)];
      case 'trade':
        return [lastTrade(state, event, at)];
      case 'tick':
        return [
          ...OUTCOMES.map((outcome) =>
            ofToken(state, outcome, at, 'tick_size_change', {
              old_tick_size: formatMicro(event.from),
              new_tick_size: formatMicro(event.to),
            }),
          ),
          ...this.books(state, at),
        ];
      case 'updated':
        return [...(event.traded ? this.books(state, at) : []), ...this.bestPrices(state, at)];
      case 'listed':
        return [frame(state, newMarket(state, at), [], true)];
      case 'resolved': {
        const winner = this.markets.winner(state.market) === 1 ? 1 : 0;
        return [frame(state, resolved(state, winner, at), state.market.tokens, true)];
      }
      default:
        return [];
    }
  }

  private books(state: SimMarketState, at: number): FrameC[] {
    return OUTCOMES.map((outcome) => this.book(state, outcome, at, false));
  }

  /** One book in 50 of an initial dump lacks its event_type, as seen on the wire. */
  private book(state: SimMarketState, outcome: OutcomeIndex, timestamp: number, isInitial: boolean): FrameC {
    const { market, asset_id, bids, asks, tick_size, last_trade_price, hash } = withBookHash(
      bookSummary(state, outcome, timestamp),
      this.primitives,
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

  /** For clients with custom features, when the best prices are new. */
  private bestPrices(state: SimMarketState, at: number): FrameC[] {
    const best = `${bestPrice(state.book!, 'bid')}/${bestPrice(state.book!, 'ask')}`;
    if (this.bests.get(state) === best) return [];
    this.bests.set(state, best);
    return OUTCOMES.map((outcome) => {
      const { bid, ask } = bestTexts(state, outcome);
      const spread = formatMicro(Math.round((Number(ask) - Number(bid)) * 1e6));
      const facts = { best_bid: bid, best_ask: ask, spread };
      return { ...ofToken(state, outcome, at, 'best_bid_ask', facts), custom: true };
    });
  }

  initial(ids: readonly string[]): FrameC[] {
    return ids.flatMap((id) => {
      const found = this.served(id);
      if (!found) return [];
      return [this.book(found.state, found.outcome, this.stamp(found.state.updatedMs), true)];
    });
  }

  rest(request: RestRequest): RestAnswer | null {
    return request.service === 'gamma'
      ? gammaAnswer(request, this.markets)
      : clobAnswer(request, this.markets, (token) => this.served(token), this.stamp, this.primitives);
  }
}

/** A message about one token. */
function ofToken(
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
function priceChange(
  state: SimMarketState,
  change: { readonly side: 'bid' | 'ask'; readonly price: number; readonly size: number },
  at: number,
): FrameC {
  const { tokens } = state.market;
  const entries = OUTCOMES.map((outcome) => {
    const best = bestTexts(state, outcome);
    const price = outcome === 0 ? change.price : complement(change.price);
    return {
      asset_id: tokens[outcome],
      price: priceC(price, state.updates),
      size: formatMicro(change.size),
      side: (change.side === 'bid') === (outcome === 0) ? 'BUY' : 'SELL',
      hash: hexOf(`${tokens[outcome]}:${state.updates}:${price}:${change.size}`, 40),
      best_bid: best.bid,
      best_ask: best.ask,
    };
  });
  return frame(state, changeText(state, state.updates % 2 === 0 ? entries : entries.reverse(), at));
}

/** A trade, told of one of the tokens in turn. */
function lastTrade(
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

function newMarket({ market }: SimMarketState, timestamp: number): object {
  const { slug, title, eventId, conditionId, tokens } = market;
  return {
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
}

const resolved = ({ market }: SimMarketState, winner: OutcomeIndex, timestamp: number): object => ({
  event_type: 'market_resolved',
  id: market.alias,
  market: market.conditionId,
  assets_ids: market.tokens,
  winning_asset_id: market.tokens[winner],
  winning_outcome: winner === 0 ? 'Up' : 'Down',
  timestamp: String(timestamp),
  tags: ['crypto', 'up-or-down'],
});
