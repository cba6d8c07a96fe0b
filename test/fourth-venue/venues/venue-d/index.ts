import type { VenueAdapter } from '../adapter.ts';
import { collect } from './collect.ts';
import { VenueDNormalizer } from './normalize.ts';
import { record } from './record.ts';
import { replay } from './replay.ts';
import { routes } from './routes.ts';
import { server } from './server.ts';
import { settings } from './settings.ts';
import { simulate } from './simulate.ts';
import { trading } from './trading.ts';

export const venueD: VenueAdapter = {
  venue: 'venued',
  dialect: 'made up: matches with three outcomes, polled over REST',
  capture: {
    createNormalizer: () => new VenueDNormalizer(),
    // A tick of 0.005.
    priceBounds: [5_000, 995_000],
    sequenced: false,
    streamsSamples: false,
    bookOutcomes: ({ outcomes }) => outcomes.map(({ id }) => id),
  },
  settings,
  collect,
  record,
  trading,
  plan: 'explorer',
  routes,
  server,
  replay,
  simulate,
};
