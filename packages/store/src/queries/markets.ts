// The catalogue: newest metadata of each market. Values come as stored (times in microseconds, amounts in 1e-6); the API
// shapes them, since a page of markets is small.

import type { MarketStatus, Micros, StoredRow, Venue } from '@ladderlog/core';
import type { Query, QueryParams } from '../store.ts';
import { Conditions, at, micros, storedColumns } from './sql.ts';

/** A row as these queries give it. */
export type MarketRecord = StoredRow<'markets'> & {
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

const COLUMNS = `${storedColumns('markets', 'm')}, ${micros('m.sort_at')} AS sort_at`;

/** An end that nobody told: what was seen ended had ended by then, everything else goes on. */
const END = `coalesce(m.closes_at, m.resolved_at, if(m.status IN ('closed', 'resolved', 'voided'), m.observed_at, NULL))`;

/** Newest first; unique sort key (sort_at, market). Ask for limit + 1 to learn whether there is more. */
export function marketsPage(request: MarketsRequest): Query {
  const { generation, venue, limit, after } = request;
  const where = new Conditions({ generation, venue, limit })
    .add('m.generation = {generation:UInt32}')
    .add('m.venue = {venue:String}')
    .when('asset', request.asset, 'm.asset = {asset:String}')
    .when('window', request.window, 'm.window = {window:String}')
    .when('status', request.status, 'm.status = {status:String}')
    .when('series', request.series, 'm.series_id = {series:String}')
    .when('event', request.event, 'm.event_id = {event:String}')
    .when('to', request.to, `m.sort_at < ${at('to')}`)
    .when('from', request.from, `ifNull(${END} >= ${at('from')}, true)`);
  if (after) where.add(`(m.sort_at, m.market) < ${AFTER}`, afterParams(after));
  return {
    sql: `SELECT ${COLUMNS}
FROM markets AS m FINAL
WHERE ${where.texts.join('\n  AND ')}
ORDER BY m.sort_at DESC, m.market DESC
LIMIT {limit:UInt32}`,
    params: where.params,
  };
}

type After = NonNullable<MarketsRequest['after']>;
const AFTER = `(${at('after_sort')}, {after_market:String})`;
const afterParams = ({ sortAt, market }: After): QueryParams => ({
  after_sort: sortAt,
  after_market: market,
});

export type UncataloguedRequest = Pick<
  MarketsRequest,
  'generation' | 'venue' | 'from' | 'to' | 'after' | 'limit'
> & {
  /** Only native ids that begin so. */
  readonly prefix?: string;
};

/** Markets whose books were watched and whose metadata never was seen, in the order of marketsPage: by when they were first. */
export function uncataloguedPage(request: UncataloguedRequest): Query {
  const { generation, venue, limit, after } = request;
  const where = new Conditions({ generation, venue, limit })
    .add('c.generation = {generation:UInt32} AND c.venue = {venue:String}')
    .add(`c.dataset = 'books' AND c.market != ''`)
    .add(
      'c.market NOT IN (SELECT market FROM markets WHERE generation = {generation:UInt32} AND venue = {venue:String})',
    )
    .when('prefix', request.prefix, 'startsWith(c.market, {prefix:String})');
  const having = new Conditions({})
    .when('to', request.to, `first_at < ${at('to')}`)
    .when('from', request.from, `max(c.at) >= ${at('from')}`);
  if (after) having.add(`(first_at, c.market) < ${AFTER}`, afterParams(after));
  return {
    sql: `SELECT market, ${micros('first_at')} AS sort_at FROM (
  SELECT c.market AS market, min(c.since) AS first_at
  FROM coverage AS c
  WHERE ${where.texts.join('\n    AND ')}
  GROUP BY c.market${having.texts.length === 0 ? '' : `\n  HAVING ${having.texts.join(' AND ')}`}
)
ORDER BY first_at DESC, market DESC
LIMIT {limit:UInt32}`,
    params: { ...where.params, ...having.params },
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

/**
 * Every market, for a memory of them, without the venue's own object, which is large; `since` leaves out those that had closed
 * before and had no book since.
 */
export function marketRows(request: { readonly generation: number; readonly since?: Micros }): Query {
  return {
    sql: `SELECT ${COLUMNS.replace('m.native AS native', "'' AS native")}
FROM markets AS m FINAL
WHERE m.generation = {generation:UInt32} AND (coalesce(m.closes_at, m.observed_at) >= ${at('since')}
  OR (m.venue, m.market) GLOBAL IN (SELECT venue, market FROM latest_books WHERE generation = {generation:UInt32} AND observed_at >= ${at('since')}))
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
