// What was watched and what was missed. Rows go to coverageOf (core), which computes the covered intervals.

import type { CoverageRow, Dataset, GapRow, Micros, Venue } from '@ladderlog/core';
import type { Query } from '../store.ts';
import { oneOrRecent } from './snapshots.ts';

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

export type SignRow = {
  readonly market: string;
  readonly outcome: string;
  readonly newest_at: Micros;
  readonly kind: CoverageRow['kind'];
};

/** The newest evidence that each book was watched, or that this ended; of the markets of latestRows. */
export function signRows(request: {
  readonly generation: number;
  readonly venue: Venue;
  readonly market?: string;
  readonly since?: Micros;
}): Query {
  return {
    sql: `SELECT c.market AS market, c.outcome AS outcome, ${MICROS('max(c.at)')} AS newest_at,
  argMax(c.kind, (c.at, c.kind = 'stopped')) AS kind
FROM coverage AS c
WHERE c.generation = {generation:UInt32} AND c.venue = {venue:String} AND ${oneOrRecent('c.market', request.market)}
  AND c.dataset = 'books' AND c.kind IN ('started', 'beat', 'stopped')
GROUP BY c.market, c.outcome`,
    params: { ...request, since: request.since ?? 0 },
  };
}

export type OverviewRow = {
  readonly venue: Venue;
  readonly asset: string | null;
  readonly window: string | null;
  readonly dataset: Dataset;
  readonly since: Micros;
  readonly until: Micros;
  readonly markets: number;
  readonly provenances: readonly string[];
};

/**
 * Since when data is there, per venue, asset, window and dataset. The catalogue: since the first market it tells of, whenever
 * that was learnt. Books and samples: since and until they were watched. Costs as much as there are markets and sessions,
 * however many observations there are.
 */
export function overview(request: { readonly generation: number }): Query {
  const columns = (first: string, last: string, provenances: string): string =>
    `${MICROS(`min(${first})`)} AS since, ${MICROS(`max(${last})`)} AS until, count() AS markets, ${provenances} AS provenances`;
  return {
    sql: `SELECT * FROM (
SELECT m.venue AS venue, m.asset AS asset, m.window AS window, 'catalogue' AS dataset,
  ${columns('least(m.sort_at, m.observed_at)', 'm.observed_at', 'arraySort(groupUniqArray(m.provenance))')}
FROM markets AS m FINAL
WHERE m.generation = {generation:UInt32}
GROUP BY venue, asset, window
UNION ALL
SELECT d.venue AS venue, m.asset AS asset, m.window AS window, d.dataset AS dataset,
  ${columns('d.first_at', 'd.last_at', 'arraySort(groupUniqArrayArray(d.provenances))')}
FROM (
  SELECT c.venue AS venue, c.market AS market, c.dataset AS dataset,
    min(c.since) AS first_at, max(c.at) AS last_at, groupUniqArray(c.provenance) AS provenances
  FROM coverage AS c
  WHERE c.generation = {generation:UInt32} AND c.dataset IN ('books', 'samples') AND c.kind IN ('started', 'beat', 'stopped')
  GROUP BY venue, market, dataset
) AS d
LEFT JOIN (SELECT venue, market, asset, window FROM markets FINAL WHERE generation = {generation:UInt32}) AS m
  ON d.venue = m.venue AND d.market = m.market
GROUP BY venue, asset, window, dataset
)
ORDER BY venue, asset, window, dataset`,
    params: { generation: request.generation },
  };
}
