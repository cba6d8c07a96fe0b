// What was watched and what was missed. Rows go to coverageOf (core), which computes the covered intervals.

import type { CoverageRow, Dataset, GapRow, Micros, Venue } from '@ladderlog/core';
import type { Query } from '../store.ts';
import { oneOrRecent } from './snapshots.ts';
import { Conditions, at, micros, storedColumns } from './sql.ts';

export type { CoverageRow, GapRow };

export type TrackRequest = {
  readonly generation: number;
  readonly venue: Venue;
  readonly market: string;
  readonly dataset: Dataset;
};

/** Sessions that watched the market (or, under an empty market, the whole venue). Small: beats collapse. */
export function coverageRows(request: TrackRequest): Query {
  return {
    sql: `SELECT c.outcome AS outcome, c.session AS session, c.kind AS kind, ${micros('c.since')} AS since, ${micros('c.at')} AS at, c.reason AS reason
FROM coverage AS c FINAL
WHERE c.generation = {generation:UInt32} AND c.venue = {venue:String} AND c.market IN ({market:String}, '')
  AND c.dataset = {dataset:String} AND c.kind IN ('started', 'beat', 'stopped')
ORDER BY at, session, kind`,
    params: { ...request },
  };
}

const GAP_COLUMNS = storedColumns('gaps', 'p');

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
  const { generation, from, to, limit, after } = request;
  const where = new Conditions({ generation, from, to, limit })
    .add('p.generation = {generation:UInt32}')
    .add(`p.from_at < ${at('to')}`)
    .add(`(p.to_at IS NULL OR p.to_at > ${at('from')})`)
    .when('venue', request.venue, 'p.venue = {venue:String}')
    .when('venues', request.venues, 'p.venue IN {venues:Array(String)}')
    .when('market', request.market, 'p.market = {market:String}')
    .when('dataset', request.dataset, 'p.dataset = {dataset:String}');
  if (after)
    where.add(`(p.from_at, p.gap_id) > (${at('after_from')}, {after_gap:String})`, {
      after_from: after.fromAt,
      after_gap: after.gapId,
    });
  return {
    sql: `SELECT ${GAP_COLUMNS}
FROM gaps AS p FINAL
WHERE ${where.texts.join('\n  AND ')}
ORDER BY p.from_at, p.gap_id
LIMIT {limit:UInt32}`,
    params: where.params,
  };
}

/** Open gaps as stored, oldest first; of one market, or of all. */
export function openGapRows(request: {
  readonly generation: number;
  readonly venue?: Venue;
  readonly market?: string;
}): Query {
  const one =
    request.market === undefined ? '' : ' AND p.venue = {venue:String} AND p.market = {market:String}';
  return {
    sql: `SELECT ${GAP_COLUMNS}
FROM gaps AS p FINAL
WHERE p.generation = {generation:UInt32} AND p.to_at IS NULL${one}
ORDER BY p.from_at, p.gap_id`,
    params: { ...request },
  };
}

export type LastSeenRow = {
  readonly market: string;
  readonly outcome: string;
  readonly newest_at: Micros;
  /** Watching ended there on purpose. */
  readonly ended: boolean | number;
};

/** When each book was last known to be watched, of the markets of latestRows. The end of a gap shows it too. */
export function lastSeenRows(request: {
  readonly generation: number;
  readonly venue: Venue;
  readonly market?: string;
  readonly since?: Micros;
}): Query {
  const where = (table: string): string =>
    `WHERE ${table}.generation = {generation:UInt32} AND ${table}.venue = {venue:String} AND ${table}.dataset = 'books'
    AND ${oneOrRecent(`${table}.market`, request.market)}`;
  return {
    sql: `SELECT market, outcome, ${micros('max(at)')} AS newest_at, argMax(is_end, (at, is_end)) AS ended
FROM (
  SELECT c.market AS market, c.outcome AS outcome, c.at AS at, c.kind = 'stopped' AS is_end
  FROM coverage AS c
  ${where('c')} AND c.kind IN ('started', 'beat', 'stopped')
  UNION ALL
  SELECT p.market AS market, p.outcome AS outcome, assumeNotNull(p.to_at) AS at, 0 AS is_end
  FROM gaps AS p
  ${where('p')} AND p.to_at IS NOT NULL AND p.first_after_at IS NOT NULL
)
GROUP BY market, outcome`,
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
    `${micros(`min(${first})`)} AS since, ${micros(`max(${last})`)} AS until, count() AS markets, ${provenances} AS provenances`;
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
