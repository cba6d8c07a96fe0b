// What to send to venue B and what to ask of it. Pure: the shell adds identity, time and signature.

import type { Micros } from '../../time.ts';
import { MICROS_PER_SECOND, parseIso, toIso } from '../../time.ts';
import { queryString } from '../channel.ts';
import { WINDOW_SECONDS, easternOffset, windowStarts } from '../up-down.ts';

export const REST_PREFIX = '/trade-api/v2';
export const SOCKET_PATH = '/trade-api/ws/v2';

/** Most tickers of one batch of order books, and most markets of one page. */
export const TICKERS_PER_BOOKS_CALL = 100;
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

export const unsubscribeCommand = (id: number, sids: readonly number[]): string =>
  JSON.stringify({ id, cmd: 'unsubscribe', params: { sids } });

/** What the shell writes beside every socket frame, so that its NO levels can be read for ever. */
export const frameSettings = (useYesPrice: boolean): Readonly<Record<string, string>> => ({
  use_yes_price: String(useYesPrice),
});

// REST paths, without host and version prefix: what follows `rest:` in the channel of the answer's frame.

/** Depth 0 is the whole book, else the best 1 to 100 levels a side. */
export const orderbookPath = (market: string, depth = 0): string =>
  `/markets/${encodeURIComponent(market)}/orderbook${depth === 0 ? '' : `?depth=${depth}`}`;

export const orderbooksPath = (markets: readonly string[]): string =>
  `/markets/orderbooks?${markets.map((market) => `tickers=${encodeURIComponent(market)}`).join('&')}`;

export const marketPath = (market: string): string => `/markets/${encodeURIComponent(market)}`;

/**
 * The venue refuses some pairs of filters: close times only with `closed` or no status, settlement times only with
 * `settled` or no status.
 */
export type MarketsQuery = {
  readonly series?: string;
  readonly event?: string;
  readonly status?: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
  readonly closesFrom?: Micros;
  readonly closesUntil?: Micros;
  readonly settledFrom?: Micros;
  readonly settledUntil?: Micros;
  readonly limit?: number;
  /** Of the page before; empty for the first. */
  readonly cursor?: string;
};

/** `historical`: markets settled before the venue's cutoff live under another path. */
export function marketsPath(query: MarketsQuery, historical = false): string {
  const text = queryString({
    limit: query.limit,
    series_ticker: query.series,
    event_ticker: query.event,
    status: query.status,
    min_close_ts: seconds(query.closesFrom),
    max_close_ts: seconds(query.closesUntil),
    min_settled_ts: seconds(query.settledFrom),
    max_settled_ts: seconds(query.settledUntil),
    cursor: query.cursor === '' ? null : query.cursor,
  });
  return `${historical ? '/historical/markets' : '/markets'}${text === '' ? '' : `?${text}`}`;
}

const seconds = (at: Micros | undefined): number | undefined =>
  at === undefined ? undefined : Math.floor(at / MICROS_PER_SECOND);

/** The cursor of the next page of a listing; null at its end, or when the body is no listing. */
export function nextCursor(body: unknown): string | null {
  const cursor = (body as { cursor?: unknown } | null)?.cursor;
  return typeof cursor === 'string' && cursor !== '' ? cursor : null;
}

/** What is signed: timestamp (ms), method and the full path, without its query. */
export const textToSign = (timestampMs: number, method: string, fullPath: string): string =>
  `${timestampMs}${method.toUpperCase()}${fullPath.split('?', 1)[0]}`;

// Tickers of short-dated series carry their close in US Eastern time: KXBTC15M-26SEP182130-30 closes at 21:30 there, which
// is 2026-09-19T01:30:00Z. The catalogue's close_time is the truth; these only say what to ask for ahead of it.

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const HOUR = 3_600 * MICROS_PER_SECOND;

export const eventTicker = (series: string, closesAt: Micros): string =>
  `${series}-${easternStamp(closesAt)}`;

/** The one market of a 15-minute event: the event's ticker and the minute of its close. */
export const windowTicker = (series: string, closesAt: Micros): string => {
  const stamp = easternStamp(closesAt);
  return `${series}-${stamp}-${stamp.slice(-2)}`;
};

/**
 * Close time of a ticker with `YYMONDDHHMM`; null when it has none. In the hour that the end of daylight saving repeats, a
 * stamp means two instants: the earlier one is given.
 */
export function closeOf(ticker: string): Micros | null {
  const match = /^[A-Z0-9]+-(\d{2})([A-Z]{3})(\d{2})(\d{2})(\d{2})(?:-|$)/.exec(ticker);
  if (!match) return null;
  const [, year, name, day, hour, minute] = match;
  const month = MONTHS.indexOf(name!) + 1;
  if (month === 0) return null;
  const wall = parseIso(`20${year}-${String(month).padStart(2, '0')}-${day}T${hour}:${minute}:00Z`);
  if (wall === null) return null;
  for (const hours of [4, 5]) {
    const at = wall + hours * HOUR;
    if (offsetAt(at) === -hours * HOUR) return at;
  }
  // The hour that the start of daylight saving skips.
  return null;
}

/** Closes of the windows of this length that overlap [from, to), soonest first. */
export const windowCloses = (window: string, from: Micros, to: Micros): Micros[] =>
  windowStarts(window, from, to).map((start) => start + (WINDOW_SECONDS[window] ?? 0) * MICROS_PER_SECOND);

function easternStamp(at: Micros): string {
  const iso = toIso(at + offsetAt(at));
  return `${iso.slice(2, 4)}${MONTHS[Number(iso.slice(5, 7)) - 1]}${iso.slice(8, 10)}${iso.slice(11, 13)}${iso.slice(14, 16)}`;
}

const offsetAt = (at: Micros): Micros =>
  easternOffset(Math.floor(at / MICROS_PER_SECOND)) * MICROS_PER_SECOND;
