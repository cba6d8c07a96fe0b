// A REST call as a value: the shell joins it to the source's base address, signs it where the venue wants that, and stamps the
// answer with `channel`.

import { queryString } from './channel.ts';

export type VenueRequest = {
  /** Which base address, and the first part of the channel: `rest`, `gamma`, `clob`. */
  readonly source: string;
  readonly method: 'GET' | 'POST';
  /** Path below the base address, with its query. */
  readonly path: string;
  readonly body: string | null;
  /** The channel of the answer's frame. */
  readonly channel: string;
};

export function get(
  source: string,
  path: string,
  params: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): VenueRequest {
  const query = queryString(params);
  const full = query === '' ? path : `${path}?${query}`;
  return { source, method: 'GET', path: full, body: null, channel: `${source}:${full}` };
}
