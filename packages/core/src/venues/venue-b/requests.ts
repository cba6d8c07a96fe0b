// What to send to venue B and what to ask of it. Pure: the shell adds identity, time and signature.

import type { Primitives, VenueRequest } from '../../capture/collect.ts';
import type { Micros } from '../../kernel/time.ts';
import { MICROS_PER_SECOND } from '../../kernel/time.ts';
import { get } from '../shared/request.ts';

/** Of one page. */
export const MARKETS_PER_PAGE = 1_000;

export type Channel = 'orderbook_delta' | 'trade' | 'ticker' | 'market_lifecycle_v2';

/**
 * `use_yes_price` is always stated: the venue announced that its default will change, and a recording without it could then
 * not be read. Channels without a market filter (market_lifecycle_v2) take an empty list.
 */
export function subscribeCommand(
  id: number,
  channels: readonly Channel[],
  markets: readonly string[],
  useYesPrice = false,
): string {
  const filter = markets.length === 0 ? {} : { market_tickers: markets };
  return JSON.stringify({
    id,
    cmd: 'subscribe',
    params: { channels, ...filter, use_yes_price: useYesPrice },
  });
}

export type SubscriptionAction = 'add_markets' | 'delete_markets' | 'get_snapshot';

export const updateCommand = (
  id: number,
  sid: number,
  action: SubscriptionAction,
  markets: readonly string[],
): string =>
  JSON.stringify({
    id,
    cmd: 'update_subscription',
    params: { sids: [sid], action, market_tickers: markets },
  });

/** What the shell writes beside every socket frame, so that its NO levels can be read for ever. */
export const frameSettings = (useYesPrice: boolean): Readonly<Record<string, string>> => ({
  use_yes_price: String(useYesPrice),
});

/** Depth 0 is the whole book, else the best 1 to 100 levels a side. */
export const bookRequest = (market: string, depth = 0): VenueRequest =>
  get('rest', `/markets/${encodeURIComponent(market)}/orderbook`, { depth: depth === 0 ? null : depth });

export const marketRequest = (market: string): VenueRequest =>
  get('rest', `/markets/${encodeURIComponent(market)}`);

/**
 * The venue refuses some pairs of filters: close times only with `closed` or no status, settlement times only with
 * `settled` or no status.
 */
export type MarketsQuery = {
  readonly series?: string;
  readonly status?: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
  readonly closesFrom?: Micros;
  readonly closesUntil?: Micros;
  readonly settledFrom?: Micros;
  readonly settledUntil?: Micros;
  readonly limit?: number;
  /** Of the page before; null or empty for the first. */
  readonly cursor?: string | null;
};

/** `historical`: markets settled before the venue's cutoff live under another path. */
export const marketsRequest = (query: MarketsQuery, historical = false): VenueRequest =>
  get('rest', historical ? '/historical/markets' : '/markets', {
    limit: query.limit,
    series_ticker: query.series,
    status: query.status,
    min_close_ts: seconds(query.closesFrom),
    max_close_ts: seconds(query.closesUntil),
    min_settled_ts: seconds(query.settledFrom),
    max_settled_ts: seconds(query.settledUntil),
    cursor: query.cursor === '' ? null : query.cursor,
  });

const seconds = (at: Micros | undefined): number | undefined =>
  at === undefined ? undefined : Math.floor(at / MICROS_PER_SECOND);

/** What is signed: timestamp (ms), method and the full path, without its query. */
export const textToSign = (timestampMs: number, method: string, fullPath: string): string =>
  `${timestampMs}${method.toUpperCase()}${fullPath.split('?', 1)[0]}`;

export type Key = { readonly id: string; readonly privateKeyPem: string };

/** Fresh per call. `fullPath` has the path of the base address before it. */
export function signedHeaders(
  key: Key,
  method: string,
  fullPath: string,
  { wallMs, rsaPssSha256Base64 }: Primitives,
): Readonly<Record<string, string>> {
  const timestamp = wallMs();
  return {
    'KALSHI-ACCESS-KEY': key.id,
    'KALSHI-ACCESS-TIMESTAMP': String(timestamp),
    'KALSHI-ACCESS-SIGNATURE': rsaPssSha256Base64(key.privateKeyPem, textToSign(timestamp, method, fullPath)),
  };
}

/** The path of an address, without a slash at its end. */
export const pathOf = (address: string): string =>
  address.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/\/?(?:[?#].*)?$/, '');
