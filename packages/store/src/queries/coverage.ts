// What was watched and what was missed. Rows go to coverageOf (core), which computes the covered intervals.

import type { CoverageRow, Dataset, GapRow, Micros, Venue } from '@ladderlog/core';
import type { Query } from '../store.ts';

export type { CoverageRow, GapRow };

export type TrackRequest = {
  readonly generation: number;
  readonly venue: Venue;
  readonly market: string;
  readonly dataset: Dataset;
};

const MICROS = (column: string): string => `toUnixTimestamp64Micro(${column})`;
const AT = (name: string): string => `fromUnixTimestamp64Micro({${name}:Int64}, 'UTC')`;

/** Sessions that watched the market (or, under an empty market, the whole venue). Small: beats collapse. */
export function coverageRows(request: TrackRequest): Query {
  return {
    sql: `SELECT c.outcome AS outcome, c.session AS session, c.kind AS kind, ${MICROS('c.since')} AS since, ${MICROS('c.at')} AS at
FROM coverage AS c FINAL
WHERE c.generation = {generation:UInt32} AND c.venue = {venue:String} AND c.market IN ({market:String}, '')
  AND c.dataset = {dataset:String} AND c.kind IN ('started', 'beat', 'stopped')
ORDER BY at, session, kind`,
    params: { ...request },
  };
}

const GAP_COLUMNS = `p.gap_id AS gap_id, p.venue AS venue, p.market AS market, p.outcome AS outcome, p.dataset AS dataset,
  p.cause AS cause, p.scope AS scope, ${MICROS('p.from_at')} AS from_at, ${MICROS('p.to_at')} AS to_at,
  p.last_before_session AS last_before_session, ${MICROS('p.last_before_at')} AS last_before_at,
  p.first_after_session AS first_after_session, ${MICROS('p.first_after_at')} AS first_after_at, p.detail AS detail`;

/** Every gap of the market: coverageOf needs those outside the range too, since their ends say when sessions resumed. */
export function gapRows(request: TrackRequest): Query {
  return {
    sql: `SELECT ${GAP_COLUMNS}
FROM gaps AS p FINAL
WHERE p.generation = {generation:UInt32} AND p.venue = {venue:String} AND p.market IN ({market:String}, '')
  AND p.dataset = {dataset:String}
ORDER BY from_at, gap_id`,
    params: { ...request },
  };
}

export type GapsRequest = {
  readonly generation: number;
  readonly venue?: Venue;
  readonly market?: string;
  readonly dataset?: Dataset;
  /** Gaps that touch this half-open range. */
  readonly from: Micros;
  readonly to: Micros;
  readonly venues?: readonly Venue[];
  readonly after: { readonly fromAt: Micros; readonly gapId: string } | null;
  readonly limit: number;
};

/** Oldest first, unique sort key (from_at, gap_id). */
export function gapsPage(request: GapsRequest): Query {
  const conditions = [
    'p.generation = {generation:UInt32}',
    `p.from_at < ${AT('to')}`,
    `(p.to_at IS NULL OR p.to_at > ${AT('from')})`,
  ];
  const params: Record<string, unknown> = {
    generation: request.generation,
    from: request.from,
    to: request.to,
    limit: request.limit,
  };
  const filter = (name: string, value: unknown, condition: string): void => {
    if (value === undefined) return;
    conditions.push(condition);
    params[name] = value;
  };
  filter('venue', request.venue, 'p.venue = {venue:String}');
  filter('venues', request.venues, 'p.venue IN {venues:Array(String)}');
  filter('market', request.market, 'p.market = {market:String}');
  filter('dataset', request.dataset, 'p.dataset = {dataset:String}');
  if (request.after !== null) {
    conditions.push(`(p.from_at, p.gap_id) > (${AT('after_from')}, {after_gap:String})`);
    params['after_from'] = request.after.fromAt;
    params['after_gap'] = request.after.gapId;
  }
  return {
    sql: `SELECT ${GAP_COLUMNS}
FROM gaps AS p FINAL
WHERE ${conditions.join('\n  AND ')}
ORDER BY p.from_at, p.gap_id
LIMIT {limit:UInt32}`,
    params,
  };
}

/** A gap that is open now for this market and dataset, newest first. */
export function openGaps(request: TrackRequest): Query {
  return {
    sql: `SELECT ${GAP_COLUMNS}
FROM gaps AS p FINAL
WHERE p.generation = {generation:UInt32} AND p.venue = {venue:String} AND p.market IN ({market:String}, '')
  AND p.dataset = {dataset:String} AND p.to_at IS NULL
ORDER BY from_at DESC, gap_id`,
    params: { ...request },
  };
}

export type OverviewRow = {
  readonly venue: Venue;
  readonly asset: string | null;
  readonly window: string | null;
  readonly dataset: Dataset;
  /** First and newest observation. */
  readonly since: Micros;
  readonly until: Micros;
  readonly markets: number;
  readonly observations: number;
  readonly provenances: readonly string[];
};

/** Since when data is there, per venue, asset, window and dataset. */
export function overview(request: { readonly generation: number }): Query {
  const part = (dataset: Dataset, table: string): string =>
    `SELECT venue, market, '${dataset}' AS dataset, min(observed_at) AS since, max(observed_at) AS until, count() AS observations, groupUniqArray(provenance) AS provenances
  FROM ${table} WHERE generation = {generation:UInt32} GROUP BY venue, market`;
  return {
    sql: `SELECT d.venue AS venue, m.asset AS asset, m.window AS window, d.dataset AS dataset,
  ${MICROS('min(d.since)')} AS since, ${MICROS('max(d.until)')} AS until, uniqExact(d.market) AS markets,
  sum(d.observations) AS observations, arraySort(arrayDistinct(arrayFlatten(groupArray(d.provenances)))) AS provenances
FROM (
  ${part('catalogue', 'market_history')}
  UNION ALL
  ${part('books', 'book_snapshots')}
  UNION ALL
  ${part('samples', 'metric_samples')}
) AS d
LEFT JOIN (SELECT venue, market, asset, window FROM markets FINAL WHERE generation = {generation:UInt32}) AS m
  ON d.venue = m.venue AND d.market = m.market
GROUP BY venue, asset, window, dataset
ORDER BY venue, asset, window, dataset`,
    params: { generation: request.generation },
  };
}
