// Reading recorded books. Rows are chosen from narrow columns first, in the order of the primary key and with a limit, and only
// the chosen ones read their ladders. All functions are text from values; `params` are bound by the engine.

import type { LadderShape, MarketIdentity, Micros, Venue } from '@ladderlog/core';
import type { Query, QueryParams } from '../store.ts';
import { identityParams, recordColumns } from './record-columns.ts';
import { at, micros, storedColumns } from './sql.ts';

/** The place after which a page begins: unique and totally ordered within a market. */
export type Keyset = { readonly observedAt: Micros; readonly offset: number };

export type BookSelection = {
  readonly generation: number;
  readonly venue: Venue;
  readonly market: string;
  /** Outcomes to read; with them a page costs the same however long the history is. Null: whatever was recorded. */
  readonly outcomes: readonly string[] | null;
  /** For the identity fields of each record; null when the catalogue does not know the market. */
  readonly identity: MarketIdentity | null;
  readonly shape: LadderShape;
};

export type SnapshotsRequest = BookSelection & {
  /** Half-open. */
  readonly from: Micros;
  readonly to: Micros;
  readonly after: Keyset | null;
  readonly limit: number;
};

const MARKET = 'generation = {generation:UInt32} AND venue = {venue:String} AND market = {market:String}';

const baseParams = (request: BookSelection): QueryParams => ({
  ...identityParams(request.identity),
  generation: request.generation,
  venue: request.venue,
  market: request.market,
});

/** One narrow subquery an outcome, so that each is read in key order and stops at its limit. */
function perOutcome(
  outcomes: readonly string[] | null,
  narrow: (condition: string) => string,
): { readonly sql: string; readonly params: QueryParams } {
  if (outcomes === null || outcomes.length === 0) return { sql: narrow(''), params: {} };
  const params = Object.fromEntries(outcomes.map((outcome, at) => [`outcome_${at}`, outcome]));
  const sql = outcomes
    .map((_, at) => narrow(` AND outcome = {outcome_${at}:String}`))
    .map((one) => (outcomes.length > 1 ? `(${one})` : one))
    .join('\nUNION ALL\n');
  return { sql, params };
}

const chosen = (request: BookSelection, range: string, narrow: string, order: string): string =>
  `SELECT
  ${recordColumns(request.venue, request.shape)}
FROM book_snapshots AS b
WHERE b.generation = {generation:UInt32} AND b.venue = {venue:String} AND b.market = {market:String}${range}
  AND (b.outcome, b.observed_at, b.offset) IN (${narrow})
ORDER BY ${order}`;

/** Oldest first. Ask for limit + 1 to learn whether there is more. */
export function snapshotsPage(request: SnapshotsRequest): Query {
  const keyset =
    request.after === null ? '' : ` AND (observed_at, offset) > (${at('after_at')}, {after_offset:UInt64})`;
  const range = `observed_at >= ${at('from')} AND observed_at < ${at('to')}`;
  const narrow = perOutcome(
    request.outcomes,
    (condition) =>
      `SELECT outcome, observed_at, offset FROM book_snapshots WHERE ${MARKET}${condition} AND ${range}${keyset} ORDER BY observed_at, offset LIMIT {limit:UInt32}`,
  );
  return {
    sql: chosen(
      request,
      ` AND b.observed_at >= ${at('from')} AND b.observed_at < ${at('to')}`,
      `SELECT outcome, observed_at, offset FROM (\n${narrow.sql}\n) ORDER BY observed_at, offset LIMIT {limit:UInt32}`,
      'b.observed_at, b.offset',
    ),
    params: {
      ...baseParams(request),
      ...narrow.params,
      // Rows before the keyset cannot match: starting at it lets the index skip them.
      from: Math.max(request.from, request.after?.observedAt ?? request.from),
      to: request.to,
      limit: request.limit,
      ...(request.after === null
        ? {}
        : { after_at: request.after.observedAt, after_offset: request.after.offset }),
    },
  };
}

/** The place after which a sampled page begins: the interval by its start, and the outcome in it. */
export type SampledKeyset = { readonly bucketAt: Micros; readonly outcome: string };

/**
 * The last observation inside each interval and range, an outcome; an interval without one is absent. Buckets are aligned to
 * the epoch. Ordered by bucket, then outcome: neither moves while the bucket that is still running gets newer observations.
 */
export function sampledSnapshotsPage(
  request: Omit<SnapshotsRequest, 'after'> & {
    readonly after: SampledKeyset | null;
    readonly interval: Micros;
  },
): Query {
  const { after } = request;
  const some = request.outcomes !== null && request.outcomes.length > 0;
  const outcome = some ? ' AND outcome IN {outcomes:Array(String)}' : '';
  const bucketOf = (column: string): string => `intDiv(${micros(column)}, {interval:Int64})`;
  const bucket = bucketOf('observed_at');
  const keyset =
    after === null ? '' : `\n  AND (${bucket}, outcome) > ({after_bucket:Int64}, {after_outcome:String})`;
  const range = `observed_at >= ${at('from')} AND observed_at < ${at('to')}`;
  // Where the page can end at the latest: reading the key in order stops after so many buckets, the aggregation would not.
  const buckets = perOutcome(
    request.outcomes,
    (condition) =>
      `SELECT ${bucket} AS bucket FROM book_snapshots WHERE ${MARKET}${condition} AND ${range} ORDER BY observed_at, offset LIMIT 1 BY bucket LIMIT {limit:UInt32} + 1`,
  );
  const end = `(SELECT fromUnixTimestamp64Micro((max(bucket) + 1) * {interval:Int64}, 'UTC') FROM (\n${buckets.sql}\n))`;
  const narrow = `SELECT outcome, last.1, last.2 FROM (
  SELECT outcome, ${bucket} AS bucket, max((observed_at, offset)) AS last FROM book_snapshots
  WHERE ${MARKET}${outcome} AND ${range} AND observed_at < ${end}${keyset}
  GROUP BY outcome, bucket
  ORDER BY bucket, outcome LIMIT {limit:UInt32})`;
  return {
    sql: chosen(
      request,
      ` AND b.observed_at >= ${at('from')} AND b.observed_at < ${at('to')}`,
      narrow,
      `${bucketOf('b.observed_at')}, b.outcome`,
    ),
    params: {
      ...baseParams(request),
      ...buckets.params,
      ...(some ? { outcomes: request.outcomes } : {}),
      from: Math.max(request.from, after?.bucketAt ?? request.from),
      to: request.to,
      limit: request.limit,
      interval: request.interval,
      ...(after === null
        ? {}
        : { after_bucket: Math.floor(after.bucketAt / request.interval), after_outcome: after.outcome }),
    },
  };
}

/** Of each outcome the last observation at or before the instant, and not before `since`. */
export function snapshotsAt(
  request: BookSelection & { readonly at: Micros; readonly since?: Micros },
): Query {
  const range = `observed_at <= ${at('at')} AND observed_at >= ${at('since')}`;
  const all = request.outcomes === null || request.outcomes.length === 0;
  const narrow = perOutcome(
    request.outcomes,
    (condition) =>
      `SELECT outcome, observed_at, offset FROM book_snapshots WHERE ${MARKET}${condition} AND ${range} ORDER BY observed_at DESC, offset DESC LIMIT 1${all ? ' BY outcome' : ''}`,
  );
  return {
    sql: chosen(
      request,
      ` AND b.observed_at <= ${at('at')} AND b.observed_at >= ${at('since')}`,
      narrow.sql,
      'b.outcome',
    ),
    params: { ...baseParams(request), ...narrow.params, at: request.at, since: request.since ?? 0 },
  };
}

/**
 * Newest books as stored (LatestRow), times in microseconds: to fill a memory. Of one market, or of all; `since` leaves out
 * markets that have been quiet since then. A market comes with all its outcomes, however quiet one of them is.
 */
export function latestRows(request: {
  readonly generation: number;
  readonly venue: Venue;
  readonly market?: string;
  readonly since?: Micros;
}): Query {
  return {
    sql: `SELECT ${storedColumns('latest_books', 'b')}
FROM latest_books AS b FINAL
WHERE b.generation = {generation:UInt32} AND b.venue = {venue:String} AND ${oneOrRecent('b.market', request.market)}
ORDER BY b.market, b.outcome`,
    params: { ...request, since: request.since ?? 0 },
  };
}

/** The one market, or those of the venue that had a book since then. */
export const oneOrRecent = (column: string, market: string | undefined): string =>
  market === undefined
    ? `${column} GLOBAL IN (SELECT market FROM latest_books WHERE generation = {generation:UInt32} AND venue = {venue:String} AND observed_at >= ${at('since')})`
    : `${column} = {market:String}`;
