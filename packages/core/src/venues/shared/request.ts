// REST calls of a venue as values.

import type { VenueRequest } from '../../capture/collect.ts';
import { queryString } from './channel.ts';

export function get(
  source: string,
  path: string,
  params: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): VenueRequest {
  const query = queryString(params);
  const full = query === '' ? path : `${path}?${query}`;
  return { source, method: 'GET', path: full, body: null, channel: `${source}:${full}` };
}
