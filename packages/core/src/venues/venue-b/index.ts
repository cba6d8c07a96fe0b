import type { VenueAdapter } from '../adapter.ts';
import { OUTCOME } from './books.ts';
import { VenueBNormalizer } from './normalize.ts';
import { record } from './record.ts';
import { routes } from './routes.ts';
import { trading } from './trading.ts';
import { PRICE_BOUNDS } from './wire.ts';
import { collect } from './collect.ts';
import { settings } from './settings.ts';
import { replay } from './replay.ts';
import { server } from './server.ts';
import { simulate } from './simulate.ts';

export const venueB: VenueAdapter = {
  venue: 'venueb',
  dialect:
    'Kalshi trade API v2: WebSocket snapshot and signed deltas, REST books; fixed point, dollars and cents',
  settings,
  collect,
  capture: {
    createNormalizer: () => new VenueBNormalizer(),
    priceBounds: PRICE_BOUNDS,
    sequenced: true,
    streamsSamples: true,
    bookOutcomes: () => [OUTCOME],
  },
  record,
  trading,
  plan: 'explorer',
  routes,
  server,
  replay,
  simulate,
};
