// The catalogue: newest metadata of each market. Values come as stored (times in microseconds, amounts in 1e-6); the API
// shapes them, since a page of markets is small.

import type { MarketStatus, Micros, TableRow, Venue } from '@ladderlog/core';
import type { Query, QueryParams } from '../store.ts';

/** A row as these queries give it. */
export type MarketRecord = TableRow<'markets'> & {
  /** Sort key of listings, newest first. */
  readonly sort_at: Micros;
};

export type MarketsRequest = {
  readonly generation: number;
  readonly venue: Venue;
  /** Upper case. */
  readonly asset?: string;
  readonly window?: string;
  readonly status?: MarketStatus;
  readonly series?: string;
  readonly event?: string;
  /** Markets whose life (from opening or listing to close) touches this half-open range. */
  readonly from?: Micros;
  readonly to?: Micros;
  readonly after: { readonly sortAt: Micros; readonly market: string } | null;
  readonly limit: number;
};

const TIMES = [
  'observed_at',
  'source_ts',
  'opens_at',
  'closes_at',
  'listed_at',
  'expected_resolution_at',
  'resolved_at',
  'sort_at',
];

const COLUMNS = `m.* EXCEPT (rank) REPLACE (${TIMES.map((name) => `toUnixTimestamp64Micro(m.${name}) AS ${name}`).join(', ')})`;
const AT = (name: string): string => `fromUnixTimestamp64Micro({${name}:Int64}, 'UTC')`;

/** Newest first; unique sort key (sort_at, market). Ask for limit + 1 to learn whether there is more. */
export function marketsPage(request: MarketsRequest): Query {
  const conditions = ['m.generation = {generation:UInt32}', 'm.venue = {venue:String}'];
  const params: Record<string, unknown> = {
    generation: request.generation,
    venue: request.venue,
    limit: request.limit,
  };
  const filter = (name: string, value: unknown, condition: string): void => {
    if (value === undefined) return;
    conditions.push(condition);
    params[name] = value;
  };
  filter('asset', request.asset, 'm.asset = {asset:String}');
  filter('window', request.window, 'm.window = {window:String}');
  filter('status', request.status, 'm.status = {status:String}');
  filter('series', request.series, 'm.series_id = {series:String}');
  filter('event', request.event, 'm.event_id = {event:String}');
  filter('to', request.to, `m.sort_at < ${AT('to')}`);
  // An end that nobody told: what was seen ended had ended by then, everything else goes on.
  const end = `coalesce(m.closes_at, m.resolved_at, if(m.status IN ('closed', 'resolved', 'voided'), m.observed_at, NULL))`;
  filter('from', request.from, `ifNull(${end} >= ${AT('from')}, true)`);
  if (request.after !== null) {
    conditions.push(`(m.sort_at, m.market) < (${AT('after_sort')}, {after_market:String})`);
    params['after_sort'] = request.after.sortAt;
    params['after_market'] = request.after.market;
  }
  return {
    sql: `SELECT ${COLUMNS}
FROM markets AS m FINAL
WHERE ${conditions.join('\n  AND ')}
ORDER BY m.sort_at DESC, m.market DESC
LIMIT {limit:UInt32}`,
    params,
  };
}

export type UncataloguedRequest = Pick<
  MarketsRequest,
  'generation' | 'venue' | 'from' | 'to' | 'after' | 'limit'
> & {
  /** Only native ids that begin so. */
  readonly prefix?: string;
};

/** Markets whose books were watched and whose metadata never was seen, in the order of marketsPage: by when they were first. */
export function uncataloguedPage(request: UncataloguedRequest): Query {
  const having: string[] = [];
  const params: Record<string, unknown> = {
    generation: request.generation,
    venue: request.venue,
    limit: request.limit,
  };
  const filter = (name: string, value: unknown, condition: string, into: string[]): void => {
    if (value === undefined) return;
    into.push(condition);
    params[name] = value;
  };
  const where: string[] = [];
  filter('prefix', request.prefix, 'startsWith(c.market, {prefix:String})', where);
  filter('to', request.to, `first_at < ${AT('to')}`, having);
  filter('from', request.from, `max(c.at) >= ${AT('from')}`, having);
  if (request.after !== null) {
    having.push(`(first_at, c.market) < (${AT('after_sort')}, {after_market:String})`);
    params['after_sort'] = request.after.sortAt;
    params['after_market'] = request.after.market;
  }
  const ours = 'generation = {generation:UInt32} AND venue = {venue:String}';
  return {
    sql: `SELECT market, toUnixTimestamp64Micro(first_at) AS sort_at FROM (
  SELECT c.market AS market, min(c.since) AS first_at
  FROM coverage AS c
  WHERE c.generation = {generation:UInt32} AND c.venue = {venue:String} AND c.dataset = 'books' AND c.market != ''
    AND c.market NOT IN (SELECT market FROM markets WHERE ${ours})${where.map((condition) => `\n    AND ${condition}`).join('')}
  GROUP BY c.market${having.length === 0 ? '' : `\n  HAVING ${having.join(' AND ')}`}
)
ORDER BY first_at DESC, market DESC
LIMIT {limit:UInt32}`,
    params,
  };
}

const one = (condition: string, params: QueryParams): Query => ({
  sql: `SELECT ${COLUMNS}
FROM markets AS m FINAL
WHERE m.generation = {generation:UInt32} AND ${condition}
ORDER BY m.sort_at DESC, m.market DESC
LIMIT 1`,
  params,
});

export const marketById = (request: {
  readonly generation: number;
  readonly venue: Venue;
  readonly market: string;
}): Query => one('m.venue = {venue:String} AND m.market = {market:String}', { ...request });

/** The newest market of that slug: venues reuse a slug at times. */
export const marketBySlug = (request: {
  readonly generation: number;
  readonly venue: Venue;
  readonly slug: string;
}): Query => one('m.venue = {venue:String} AND m.slug = {slug:String}', { ...request });

/** Every market, for a memory of identities; `since` leaves out those that had closed before and had no book since. */
export function marketRows(request: { readonly generation: number; readonly since?: Micros }): Query {
  return {
    sql: `SELECT ${COLUMNS}
FROM markets AS m FINAL
WHERE m.generation = {generation:UInt32} AND (coalesce(m.closes_at, m.observed_at) >= ${AT('since')}
  OR (m.venue, m.market) GLOBAL IN (SELECT venue, market FROM latest_books WHERE generation = {generation:UInt32} AND observed_at >= ${AT('since')}))
ORDER BY m.venue, m.market`,
    params: { generation: request.generation, since: request.since ?? 0 },
  };
}

/** Whether anything at all is known of the market: metadata, a book, a sample or capture. */
export const marketSeen = (request: {
  readonly generation: number;
  readonly venue: Venue;
  readonly market: string;
}): Query => {
  const where =
    'WHERE generation = {generation:UInt32} AND venue = {venue:String} AND market = {market:String}';
  return {
    sql: `SELECT
  (SELECT count() FROM markets ${where}) > 0 AS in_catalogue,
  (SELECT count() FROM latest_books ${where}) > 0 AS has_books,
  (SELECT count() FROM coverage ${where}) > 0 AS was_watched`,
    params: { ...request },
  };
};
