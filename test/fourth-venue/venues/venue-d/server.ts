// Venue D as a server: plain JSON over HTTP, no socket, no authentication.

import type { Micros } from '../../kernel/time.ts';
import { parseIso } from '../../kernel/time.ts';
import type { Query } from '../serving/query.ts';
import type { VenueServerPart } from '../serving/server.ts';
import { asJson } from '../serving/server.ts';

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

/** What `GET /matches` asks for: matches of a league, by the time of their end. */
export function isAskedFor(query: Query, league: string | null, endsAt: Micros | null): boolean {
  const wanted = query.get('league');
  const from = parseIso(query.get('ends_from') ?? '');
  const until = parseIso(query.get('ends_until') ?? '');
  return (
    (wanted === null || wanted === league) &&
    (from === null || endsAt === null || endsAt >= from) &&
    (until === null || endsAt === null || endsAt < until)
  );
}
