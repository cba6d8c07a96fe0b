import type { VenueAdapter } from '../adapter.ts';
import { VenueCNormalizer } from './normalize.ts';
import { collect } from './collect.ts';
import { settings } from './settings.ts';
import { record } from './record.ts';
import { routes } from './routes.ts';
import { trading } from './trading.ts';
import { replay } from './replay.ts';
import { server } from './server.ts';
import { simulate } from './simulate.ts';

export const venueC: VenueAdapter = {
  venue: 'venuec',
  dialect: 'Polymarket: CLOB market channel, CLOB REST, Gamma',
  settings,
  collect,
  capture: {
    createNormalizer: () => new VenueCNormalizer(),
    // Tick to 1 − tick of the finest grid, 0.0001.
    priceBounds: [100, 999_900],
    sequenced: false,
    streamsSamples: true,
    bookOutcomes: ({ outcomes }) => outcomes.map(({ id }) => id),
  },
  record,
  trading,
  plan: 'explorer',
  routes,
  server,
  replay,
  simulate,
};
