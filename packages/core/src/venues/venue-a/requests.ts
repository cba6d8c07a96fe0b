// What to send and ask on venue A. Pure: text, paths and the strings to sign; the shell makes the HMAC.

import type { VenueRequest } from '../../capture/collect.ts';
import { queryString } from '../shared/channel.ts';
import { get } from '../shared/request.ts';

/** Every call weighs 200 of 12,000 a minute and address. */
export const CALLS_PER_MINUTE = 60;
export const API_KEY_HEADER = 'X-MBX-APIKEY';
const RECV_WINDOW_MS = 30_000;

/** The client pings; the venue drops it after a minute without. At most five messages a second. */
export const PING_INTERVAL_MS = 30_000;
export const MESSAGES_PER_SECOND = 5;

export const bookTopic = (market: string): string => `web3_prediction_orderbook_${market}`;

export const subscribeMessage = (topic: string): string =>
  JSON.stringify({ command: 'SUBSCRIBE', value: topic });
export const unsubscribeMessage = (topic: string): string =>
  JSON.stringify({ command: 'UNSUBSCRIBE', value: topic });

/**
 * Query of a socket, its parameters sorted by name. Exactly this text is signed (HMAC-SHA256, hex). `random` is at most 32
 * characters of the caller's choice.
 */
export const socketQuery = (options: {
  readonly topics: readonly string[];
  readonly random: string;
  readonly timestampMs: number;
}): string =>
  queryString({
    random: options.random.slice(0, 32),
    recvWindow: RECV_WINDOW_MS,
    timestamp: options.timestampMs,
    topic: options.topics.length === 0 ? null : options.topics.join('|'),
  });

/** Query of a REST call with its timestamp, in the order it will be sent. Exactly this text is signed. */
export function restQuery(path: string, timestampMs: number): string {
  const [, own = ''] = path.split('?', 2);
  const added = queryString({ recvWindow: RECV_WINDOW_MS, timestamp: timestampMs });
  return own === '' ? added : `${own}&${added}`;
}

export const signedQuery = (query: string, signature: string): string => `${query}&signature=${signature}`;

/** The path of a signed call: its own path with the signed query. */
export const signedPath = (path: string, query: string, signature: string): string =>
  `${path.split('?', 1)[0]}?${signedQuery(query, signature)}`;

export const TOPICS_PER_PAGE = 100;

/** A page of the short-dated topics, next to end first. */
export const topicsRequest = (offset: number): VenueRequest =>
  get('rest', '/market/list', {
    l1Category: 'crypto',
    l2Category: 'up-down',
    sortBy: 'END_DATE',
    orderBy: 'ASC',
    offset,
    limit: TOPICS_PER_PAGE,
  });

export const topicRequest = (marketTopicId: string): VenueRequest =>
  get('rest', '/market/detail', { marketTopicId });

/** All three parameters are required. */
export const bookRequest = (market: string, tokenId: string): VenueRequest =>
  get('rest', '/order-book', { vendor: 'predict_fun', marketId: market, tokenId });

export const lastTradeRequest = (market: string): VenueRequest =>
  get('rest', '/order-book/last-trade-price', { marketId: market });
