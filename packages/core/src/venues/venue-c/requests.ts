// What to send and ask on venue C (Polymarket's dialect). Pure: text and paths only.

import type { VenueRequest } from '../../capture/collect.ts';
import type { Micros } from '../../kernel/time.ts';
import { get } from '../shared/request.ts';
import { upDownSlugs, windowStarts } from '../shared/up-down.ts';

/** The venue drops a client that is quiet; it answers PONG. Neither is JSON. */
export const PING = 'PING';

/** Past 500 tokens on a socket the venue sends no first book for the rest; 200 is what others run on. */
export const TOKENS_PER_SOCKET = 200;

/** First frame on a new socket. The key really is `assets_ids`, and takes token ids. */
export const subscribeMessage = (tokens: readonly string[]): string =>
  JSON.stringify({ assets_ids: tokens, type: 'market', custom_feature_enabled: true, initial_dump: true });

/** Later on the same socket. Not acknowledged; where no book follows, open a new socket. */
export const addTokensMessage = (tokens: readonly string[]): string =>
  JSON.stringify({ assets_ids: tokens, operation: 'subscribe', custom_feature_enabled: true });

export const removeTokensMessage = (tokens: readonly string[]): string =>
  JSON.stringify({ assets_ids: tokens, operation: 'unsubscribe' });

export const bookRequest = (token: string): VenueRequest => get('clob', '/book', { token_id: token });

/** Series of the numbered grid; hours and days are found by slug. */
export const seriesSlug = (asset: string, window: string): string | null =>
  window === '5m' || window === '15m' || window === '4h'
    ? `${asset.toLowerCase()}-up-or-down-${window}`
    : null;

/** Open rounds of a series, next to end first. Short-dated markets are hidden from the plain listing. */
export const seriesRequest = (
  series: string,
  options: { closed?: boolean; limit?: number; offset?: number; ascending?: boolean } = {},
): VenueRequest =>
  get('gamma', '/events', {
    series_slug: series,
    closed: options.closed ?? false,
    order: 'endDate',
    ascending: options.ascending ?? true,
    limit: options.limit ?? 100,
    offset: options.offset,
  });

/** A list call answers nothing for a closed market unless asked for closed ones. */
export const eventBySlugRequest = (slug: string, closed?: boolean): VenueRequest =>
  get('gamma', '/events', { slug, closed });

export const marketsByConditionRequest = (
  conditionIds: readonly string[],
  closed?: boolean,
): VenueRequest => {
  const ids = conditionIds.map((id) => `condition_ids=${encodeURIComponent(id)}`).join('&');
  const path = `/markets?${ids}${closed === undefined ? '' : `&closed=${closed}`}`;
  return { source: 'gamma', method: 'GET', path, body: null, channel: `gamma:${path}` };
};

/** Slugs of every window of these assets that overlaps [from, to); hours and days have two possible names each. */
export function shortDatedSlugs(
  assets: readonly string[],
  windows: readonly string[],
  from: Micros,
  to: Micros,
): string[] {
  return windows.flatMap((window) =>
    windowStarts(window, from, to).flatMap((opensAt) =>
      assets.flatMap((asset) => upDownSlugs(asset, window, opensAt)),
    ),
  );
}
