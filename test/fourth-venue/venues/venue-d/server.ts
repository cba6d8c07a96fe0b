// Venue D as a server: plain JSON over HTTP, no socket, no authentication.

import { asJson } from '../serving/server.ts';
import type { VenueServerPart } from '../serving/server.ts';

export const server: VenueServerPart = {
  services: [{ name: 'rest', base: '/api' }],
  authParameters: [],
  keepAlive: {},
  refusals: {
    notFound: asJson(404, { error: 'no such thing' }),
    tooMany: asJson(429, { error: 'too many calls' }),
    failed: asJson(500, { error: 'we failed' }),
  },
  open: () => ({ admit: () => ({}) }),
};
