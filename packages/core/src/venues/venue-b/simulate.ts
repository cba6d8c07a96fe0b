// Simulated venue B: which markets it lists, and the market as deltas, trades, tickers and lifecycle messages.

import { hexOf, mix } from '../serving/seeded.ts';
import {
  assetName,
  phaseAt,
  type SimMarketEvent,
  type SimMarketState,
  type SeriesPlan,
  type SimIdentity,
  type SimulatedMarkets,
  type SimulatedVenue,
  type SimWindow,
  type VenueSimulatePart,
} from '../serving/simulate.ts';
import type { RestAnswer, RestRequest } from '../serving/server.ts';
import { easternRange, tickerTime } from '../shared/eastern.ts';
import type { FrameB } from './server-socket.ts';
import {
  belowZero,
  deltaFrame,
  frameOf,
  lifecycle,
  snapshotMsg,
  tickerMsg,
  tradeMsg,
  uuidOf,
  type SimTrade,
} from './simulate-frames.ts';
import { priceRanges } from './simulate-objects.ts';
import { restB } from './simulate-rest.ts';

/** Strikes of the hourly ladder on each side of the price at its listing, and the dollars between them. */
const LADDER_STRIKES = 3;
const STRIKE_STEP = 250;
/** Trades kept per market for /markets/trades. */
const KEPT_TRADES = 200;

export const simulate: VenueSimulatePart<FrameB> = {
  assets: ['BTC', 'ETH'],
  series(asset) {
    const quarter: SeriesPlan = {
      window: '15m',
      kind: 'updown',
      name: `KX${asset}15M`,
      grid: asset === 'ETH' ? 'cent' : 'tapered',
    };
    const hourly: SeriesPlan = { window: '1h', kind: 'ladder', name: `KX${asset}D`, grid: 'tapered' };
    return asset === 'BTC' ? [quarter, hourly] : [quarter];
  },
  markets: identities,
  trailingMs: 0,
  resolutionMs: 45_000,
  tradesBeforeStart: false,
  hasSplit: false,
  refinesTick: false,
  sizes: { sixDecimals: 0, twoDecimals: 0.4 },
  garbage: '{"type":"orderbook_delta","sid":1,"seq":',
  unknownMessage: '{"type":"market_weather","sid":1,"msg":{"forecast":"fair"}}',
  impossibleFrame: belowZero,
  watchedId: ({ id }) => id,
  credentials: (seed, primitives) => ({
    keyId: hexOf(`venueb-key:${seed}`, 32),
    privateKeyPem: primitives.rsaPrivateKey(),
  }),
  open: (markets) => new SimulatedB(markets),
};

/** One market, or the strikes of an hourly ladder around the price at its listing. */
function identities({ series, startMs, endMs, digest, reference, sha256 }: SimWindow): SimIdentity[] {
  const isHourly = series.kind === 'ladder';
  const closes = tickerTime(endMs, isHourly);
  const eventId = `${series.name}-${closes}`;
  const one = (suffix: string, strike: number | null, title: string): SimIdentity => ({
    id: `${eventId}-${suffix}`,
    eventId,
    slug: '',
    alias: uuidOf(sha256(`${digest}:${suffix}`), 'a'),
    conditionId: '',
    tokens: ['', ''],
    title,
    strike,
  });
  if (!isHourly) return [one(closes.slice(9), null, `${series.asset} price up in next 15 mins?`)];
  const middle = Math.round(reference / STRIKE_STEP) * STRIKE_STEP;
  const title = `${assetName(series.asset)} price on ${easternRange(startMs, endMs)}?`;
  return Array.from({ length: 2 * LADDER_STRIKES + 1 }, (_, n) => {
    const strike = middle + (n - LADDER_STRIKES) * STRIKE_STEP - 0.01;
    return one(`T${strike.toFixed(2)}`, strike, title);
  });
}

class SimulatedB implements SimulatedVenue<FrameB> {
  private readonly markets: SimulatedMarkets;
  private readonly trades = new Map<string, SimTrade[]>();
  private readonly bests = new Map<string, string>();

  constructor(markets: SimulatedMarkets) {
    this.markets = markets;
  }

  on(event: SimMarketEvent, isHeard: boolean): FrameB[] {
    const { state } = event;
    const { market } = state;
    const at = this.markets.stamp(event.at);
    switch (event.kind) {
      case 'change':
        // About one exchange time in 400 steps back a little, as on the wire.
        return isHeard
          ? [deltaFrame(state, event, at - (mix(state.updates, event.price) % 400 === 0 ? 4 : 0))]
          : [];
      case 'trade': {
        const { price, size, taker } = event;
        const trade: SimTrade = { at, price, size, taker, number: state.trades };
        this.keep(market.id, trade);
        return isHeard ? [frameOf(state, 'trade', tradeMsg(state, trade))] : [];
      }
      case 'updated':
        return isHeard ? this.ticker(state, at) : [];
      case 'listed':
        for (const id of this.trades.keys()) if (!this.markets.state(id)) this.trades.delete(id);
        return [
          lifecycle(state, 'created', {
            open_ts: Math.floor(market.startMs / 1_000),
            close_ts: Math.floor(market.endMs / 1_000),
            ...priceRanges(market.series.grid),
          }),
        ];
      case 'opened':
        return [lifecycle(state, 'activated')];
      case 'resolved':
        return this.resolved(state, Math.floor(at / 1_000));
      default:
        return [];
    }
  }

  private keep(id: string, trade: SimTrade): void {
    const kept = this.trades.get(id) ?? [];
    kept.push(trade);
    if (kept.length > KEPT_TRADES) kept.shift();
    this.trades.set(id, kept);
  }

  /** A ticker message, when it says something new. */
  private ticker(state: SimMarketState, at: number): FrameB[] {
    const best = `${state.book!.bestPrice('bid')}/${state.book!.bestPrice('ask')}/${state.lastTrade}`;
    if (this.bests.get(state.market.id) === best) return [];
    this.bests.set(state.market.id, best);
    return [frameOf(state, 'ticker', tickerMsg(state, at))];
  }

  private resolved(state: SimMarketState, seconds: number): FrameB[] {
    this.bests.delete(state.market.id);
    const isYes = this.markets.winner(state.market) === 0;
    return [
      lifecycle(state, 'determined', {
        result: isYes ? 'yes' : 'no',
        determination_ts: seconds,
        settlement_value: isYes ? '1.0000' : '0.0000',
      }),
      lifecycle(state, 'settled', { settled_ts: seconds }),
    ];
  }

  initial(ids: readonly string[]): FrameB[] {
    return ids.flatMap((id) => {
      const state = this.markets.state(id);
      if (!state || phaseAt(state.market, this.markets.now()) === 'unlisted') return [];
      return [frameOf(state, 'orderbook_delta', snapshotMsg(state), 'orderbook_snapshot')];
    });
  }

  rest(request: RestRequest): RestAnswer | null {
    return restB(request, this.markets, (id) => this.trades.get(id) ?? []);
  }
}
