// Simulated venue C: which markets it lists, and the market as messages of the market channel.

import { formatMicro } from '../../kernel/decimal.ts';
import type { RestAnswer, RestRequest } from '../serving/server.ts';
import {
  phaseAt,
  type SimMarketEvent,
  type SimMarketState,
  type SimulatedMarkets,
  type SimulatedVenue,
  type VenueSimulatePart,
} from '../serving/simulate.ts';
import { upDownIdentity, upDownSeries } from '../serving/up-down-market.ts';
import type { FrameC } from './server-socket.ts';
import {
  OUTCOMES,
  bestBidAsk,
  bookFrame,
  lastTrade,
  negativeSize,
  newMarket,
  ofToken,
  priceChange,
  resolved,
} from './simulate-frames.ts';
import { clobAnswer, gammaAnswer, type ServedToken } from './simulate-rest.ts';

/** How long Gamma lists a market before the CLOB knows its tokens. */
const HYDRATION_MS = 10_000;

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
  impossibleFrame: negativeSize,
  watchedId: ({ tokens }) => tokens[0],
  credentials: () => ({}),
  open: (markets) => new SimulatedC(markets),
};

class SimulatedC implements SimulatedVenue<FrameC> {
  private readonly markets: SimulatedMarkets;
  private readonly tokens = new Map<string, ServedToken>();
  /** Listed while we ran and not yet on the CLOB: its first book is sent when it is. */
  private readonly hydrating = new Set<SimMarketState>();
  private readonly bests = new Map<SimMarketState, string>();

  constructor(markets: SimulatedMarkets) {
    this.markets = markets;
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
    const at = this.markets.stamp(event.at);
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
        return [...(event.traded ? this.books(state, at) : []), ...this.newBest(state, at)];
      case 'listed':
        return [newMarket(state, at)];
      case 'resolved':
        return [resolved(state, this.markets.winner(state.market) === 1 ? 1 : 0, at)];
      default:
        return [];
    }
  }

  private books(state: SimMarketState, at: number): FrameC[] {
    return OUTCOMES.map((outcome) => bookFrame(state, outcome, at, false, this.markets.primitives));
  }

  /** When the best prices are new. */
  private newBest(state: SimMarketState, at: number): FrameC[] {
    const best = `${state.book!.bestPrice('bid')}/${state.book!.bestPrice('ask')}`;
    if (this.bests.get(state) === best) return [];
    this.bests.set(state, best);
    return OUTCOMES.map((outcome) => bestBidAsk(state, outcome, at));
  }

  initial(ids: readonly string[]): FrameC[] {
    return ids.flatMap((id) => {
      const found = this.served(id);
      if (!found) return [];
      const { state, outcome } = found;
      return [bookFrame(state, outcome, this.markets.stamp(state.updatedMs), true, this.markets.primitives)];
    });
  }

  rest(request: RestRequest): RestAnswer | null {
    return request.service === 'gamma'
      ? gammaAnswer(request, this.markets)
      : clobAnswer(request, this.markets, (token) => this.served(token));
  }
}
