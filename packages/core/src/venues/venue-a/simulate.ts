// Simulated venue A: which markets it lists, and whole books as pushes.

import { hexOf, mix, numberOf } from '../serving/seeded.ts';
import type { VenueSimulatePart } from '../serving/simulate.ts';
import { upDownIdentity, upDownSeries } from '../serving/up-down-market.ts';
import type { FrameA } from './server-socket.ts';
import { negativeSize, pushFrame } from './simulate-frames.ts';
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
  impossibleFrame: negativeSize,
  watchedId: ({ id }) => id,
  credentials: (seed) => ({
    apiKey: hexOf(`venuea-key:${seed}`, 64),
    apiSecret: hexOf(`venuea-secret:${seed}`, 64),
  }),
  open(markets) {
    /** By market the push that its next one overtakes. */
    const held = new Map<string, FrameA>();
    return {
      on({ kind, state, at }, isHeard) {
        const { id } = state.market;
        // Delivery is at most once: what is held when trading stops is never sent.
        if (kind === 'stopped') held.delete(id);
        if (kind !== 'updated' || !isHeard) return [];
        const frame = pushFrame(state, markets.stamp(at));
        const overtaken = held.get(id);
        held.delete(id);
        if (overtaken) return [frame, overtaken];
        if (mix(numberOf(id), state.updates) % OVERTAKEN_ONE_IN !== 0) return [frame];
        held.set(id, frame);
        return [];
      },
      // Nothing is cached here: a new subscriber waits for the next push, or asks REST.
      initial: () => [],
      rest: (request) => restA(request, markets),
    };
  },
};
