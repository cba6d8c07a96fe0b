// Simulated venue A: which markets it lists, and whole books as pushes.

import { hexOf, mix, numberOf } from '../serving/seeded.ts';
import type {
  SimMarketEvent,
  SimMarketState,
  SimulatedMarkets,
  SimulatedVenue,
  VenueSimulatePart,
} from '../serving/simulate.ts';
import { upDownIdentity, upDownSeries } from '../serving/up-down-market.ts';
import type { RestAnswer, RestRequest } from '../serving/server.ts';
import type { FrameA } from './server-socket.ts';
import { pushData } from './simulate-objects.ts';
import { restA } from './simulate-rest.ts';

/** One push in this many is overtaken by the next one of its market. */
const OVERTAKEN_ONE_IN = 300;

export const simulate: VenueSimulatePart<FrameA> = {
  assets: ['BTC', 'ETH', 'BNB'],
  series: (asset) => upDownSeries(asset, asset === 'BNB' ? 'deci' : 'cent'),
  markets: (window) => [
    {
      ...upDownIdentity(window),
      id: String(6_000_000 + window.ordinal),
      eventId: String(4_000_000 + window.ordinal),
      alias: String(1_000_000 + window.ordinal),
    },
  ],
  trailingMs: 0,
  resolutionMs: 45_000,
  tradesBeforeStart: true,
  hasSplit: true,
  refinesTick: false,
  sizes: { sixDecimals: 0.03, twoDecimals: 0.5 },
  garbage: '{"type":"TOPIC","topic":"web3_prediction_orderbook_data","data":"{\\"msgType\\":\\"orderb',
  unknownMessage: '{"type":"NOTICE","subType":"WEATHER","data":"fair"}',
  /** A whole book whose best bid has the size -1. */
  impossibleFrame(state, at) {
    const data = JSON.parse(pushData(state, at)) as { bids: [string, string][] };
    data.bids[0]![1] = '-1';
    return { market: state.market.id, data: JSON.stringify(data) };
  },
  watchedId: ({ id }) => id,
  credentials: (seed) => ({
    apiKey: hexOf(`venuea-key:${seed}`, 64),
    apiSecret: hexOf(`venuea-secret:${seed}`, 64),
  }),
  open: (markets, stamp) => new SimulatedA(markets, stamp),
};

class SimulatedA implements SimulatedVenue<FrameA> {
  private readonly markets: SimulatedMarkets;
  private readonly stamp: (ms: number) => number;
  /** The push of a market that its next one overtakes. */
  private readonly held = new Map<string, FrameA>();

  constructor(markets: SimulatedMarkets, stamp: (ms: number) => number) {
    this.markets = markets;
    this.stamp = stamp;
  }

  on(event: SimMarketEvent, isHeard: boolean): FrameA[] {
    const { id } = event.state.market;
    // Delivery is at most once: what is held when trading stops is never sent.
    if (event.kind === 'stopped') this.held.delete(id);
    return event.kind === 'updated' && isHeard ? this.push(event.state, event.at) : [];
  }

  private push(state: SimMarketState, at: number): FrameA[] {
    const { id } = state.market;
    const frame: FrameA = { market: id, data: pushData(state, this.stamp(at)) };
    const overtaken = this.held.get(id);
    if (overtaken) {
      this.held.delete(id);
      return [frame, overtaken];
    }
    if (mix(numberOf(id), state.updates) % OVERTAKEN_ONE_IN !== 0) return [frame];
    this.held.set(id, frame);
    return [];
  }

  /** Nothing is cached here: a new subscriber waits for the next push, or asks REST. */
  initial(): FrameA[] {
    return [];
  }

  rest(request: RestRequest): RestAnswer | null {
    return restA(request, this.markets, this.stamp);
  }
}
