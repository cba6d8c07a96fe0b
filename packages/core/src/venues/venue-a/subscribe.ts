// What to send and ask on venue A. Pure: text, paths and the strings to sign; the shell makes the HMAC.

import { queryString } from '../shared/channel.ts';
import type { VenueRequest } from '../shared/request.ts';
import { get } from '../shared/request.ts';

/** Every call weighs 200 of 12,000 a minute and address. */
export const CALLS_PER_MINUTE = 60;
export const API_KEY_HEADER = 'X-MBX-APIKEY';
const RECV_WINDOW_MS = 30_000;

/** The client pings; the venue drops it after a minute without. At most five messages a second. */
export const PING_INTERVAL_MS = 30_000;
export const MESSAGES_PER_SECOND = 5;

export const bookStream = (market: string): string => `web3_prediction_orderbook_${market}`;

export const subscribeMessage = (topic: string): string =>
  JSON.stringify({ command: 'SUBSCRIBE', value: topic });
export const unsubscribeMessage = (topic: string): string =>
  JSON.stringify({ command: 'UNSUBSCRIBE', value: topic });

export type Unsigned = {
  /** Exactly this text is signed (HMAC-SHA256, hex) and sent; the signature is appended to it. */
  readonly payload: string;
};

/** Query of a socket, its parameters sorted by name. `random` is at most 32 characters of the caller's choice. */
export function socketQuery(options: {
  readonly topics: readonly string[];
  readonly random: string;
  readonly timestampMs: number;
  readonly recvWindowMs?: number;
}): Unsigned {
  return {
    payload: sortedQuery({
      random: options.random.slice(0, 32),
      recvWindow: options.recvWindowMs ?? RECV_WINDOW_MS,
      timestamp: options.timestampMs,
      ...(options.topics.length === 0 ? {} : { topic: options.topics.join('|') }),
    }),
  };
}

/** Query of a REST call with its timestamp, in the order it will be sent. */
export const restQuery = (
  request: VenueRequest,
  timestampMs: number,
  recvWindowMs = RECV_WINDOW_MS,
): Unsigned => {
  const at = request.path.indexOf('?');
  const own = at < 0 ? '' : request.path.slice(at + 1);
  const added = queryString({ recvWindow: recvWindowMs, timestamp: timestampMs });
  return { payload: own === '' ? added : `${own}&${added}` };
};

export const signedQuery = ({ payload }: Unsigned, signature: string): string =>
  `${payload}&signature=${signature}`;

/** The path of a signed call: the request's own path with its signed query. */
export const signedPath = (request: VenueRequest, query: string): string =>
  `${request.path.split('?')[0]}?${query}`;

function sortedQuery(params: Readonly<Record<string, string | number>>): string {
  const names = Object.keys(params).sort();
  return queryString(Object.fromEntries(names.map((name) => [name, params[name]])));
}

export const TOPICS_PER_PAGE = 100;

export const topicsRequest = (
  options: {
    readonly offset?: number;
    readonly limit?: number;
    readonly sortBy?: 'RECOMMENDED' | 'VOLUME' | 'PARTICIPANTS' | 'CREATED_TIME' | 'END_DATE';
    readonly orderBy?: 'ASC' | 'DESC';
    readonly l1Category?: string;
    readonly l2Category?: string;
  } = {},
): VenueRequest =>
  get('rest', '/market/list', {
    l1Category: options.l1Category ?? 'crypto',
    l2Category: options.l2Category ?? 'up-down',
    sortBy: options.sortBy ?? 'END_DATE',
    orderBy: options.orderBy ?? 'ASC',
    offset: options.offset ?? 0,
    limit: options.limit ?? TOPICS_PER_PAGE,
  });

export const topicRequest = (marketTopicId: string): VenueRequest =>
  get('rest', '/market/detail', { marketTopicId });

/** All three parameters are required. */
export const bookRequest = (market: string, tokenId: string): VenueRequest =>
  get('rest', '/order-book', { vendor: 'predict_fun', marketId: market, tokenId });

export const lastTradeRequest = (market: string): VenueRequest =>
  get('rest', '/order-book/last-trade-price', { marketId: market });
