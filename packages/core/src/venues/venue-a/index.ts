import type { VenueAdapter } from '../adapter.ts';
import { FIRST } from './books.ts';
import { VenueANormalizer } from './normalize.ts';
import { collect } from './collect.ts';
import { settings } from './settings.ts';
import { record } from './record.ts';
import { routes } from './routes.ts';
import { trading } from './trading.ts';
import { replay } from './replay.ts';
import { server } from './server.ts';
import { simulate } from './simulate.ts';

export const venueA: VenueAdapter = {
  venue: 'venuea',
  dialect: 'Binance Wallet Prediction; predict.fun as fallback',
  settings,
  collect,
  capture: {
    createNormalizer: () => new VenueANormalizer(),
    // Strictly between 0 and 1, up to six decimals.
    priceBounds: [1, 999_999],
    sequenced: false,
    streamsSamples: false,
    bookOutcomes: () => [FIRST],
  },
  record,
  trading,
  plan: 'quant',
  routes,
  server,
  replay,
  simulate,
};
