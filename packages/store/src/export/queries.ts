// The text of what an export reads. `b` is the table.

import type { CoverageRow, Micros, Position, Venue } from '@ladderlog/core';
import { rowsBefore } from '../queries/log-rows.ts';
import { Conditions, at, micros, storedColumns } from '../queries/sql.ts';
import type { Query, QueryParams, Settings } from '../store.ts';
import type { ExportDataset } from './columns.ts';
import { EXPORT_TABLES, GAP_COLUMNS } from './columns.ts';

/** What an export is about: a condition on the table and what is bound in it. */
export type Selection = { readonly where: string; readonly params: QueryParams };

export type Range = { readonly from: Micros; readonly to: Micros };

export type DayRequest = {
  readonly dataset: ExportDataset;
  readonly selection: Selection;
  readonly range: Range;
};

export const EXPORT_SETTINGS: Settings = {
  date_time_output_format: 'iso',
  // A row of full ladders is kilobytes, and one block per part is held while parts are merged in order.
  max_block_size: 1_024,
  max_threads: 1,
  max_memory_usage: 2_147_483_648,
  output_format_parquet_row_group_size: 20_000,
  output_format_parquet_parallel_encoding: 0,
  output_format_parquet_compression_method: 'zstd',
  output_format_parquet_string_as_string: 1,
};
export const EXPORT_DEADLINE_MS = 3_600_000;

/** `before`: only rows of these places in the log. */
export function selectionOf(request: {
  readonly generation: number;
  readonly range: Range;
  readonly venue: Venue | undefined;
  readonly markets: readonly string[] | undefined;
  readonly before?: readonly Position[] | undefined;
}): Selection {
  const { generation, range, venue, markets, before } = request;
  const { texts, params } = new Conditions({ generation, ...range })
    .add('b.generation = {generation:UInt32}')
    .when('venue', venue, 'b.venue = {venue:String}')
    .when('markets', markets, 'b.market IN {markets:Array(String)}');
  return { where: [...texts, ...(before ? [rowsBefore(before, 'b.')] : [])].join(' AND '), params };
}

const IN_RANGE = `b.observed_at >= ${at('from')} AND b.observed_at < ${at('to')}`;

/** Answers `day` (UTC), its `rows`, and the times of its `first` and `last`. */
export const daysQuery = (dataset: ExportDataset, { where, params }: Selection): Query => ({
  sql: `SELECT toString(toDate(b.observed_at, 'UTC')) AS day, count() AS rows,
  ${micros('min(b.observed_at)')} AS first, ${micros('max(b.observed_at)')} AS last
FROM ${EXPORT_TABLES[dataset].table} AS b WHERE ${where} AND ${IN_RANGE} GROUP BY day ORDER BY day`,
  params,
});

const ofDay = (request: DayRequest, narrowing: Selection, columns: string, after: string): Query => ({
  sql: `SELECT ${columns}
FROM ${EXPORT_TABLES[request.dataset].table} AS b WHERE ${request.selection.where} AND ${IN_RANGE}${narrowing.where}
${after}`,
  params: { ...request.selection.params, ...request.range, ...narrowing.params },
});

const ALL: Selection = { where: '', params: {} };

/** The rows of a day, in the order of the file. */
export function rowsQuery(request: DayRequest, narrowing = ALL, limit: number | null = null): Query {
  const { columns, order } = EXPORT_TABLES[request.dataset];
  const by = order.map((name) => `b.${name}`).join(', ');
  return ofDay(request, narrowing, columns, `ORDER BY ${by}${limit === null ? '' : ` LIMIT ${limit}`}`);
}

export type Track = {
  readonly venue: Venue;
  readonly market: string;
  readonly track: string;
  readonly rows: number;
};

/** Answers Tracks: each outcome (or metric) of each market with its rows, in the order of the file. */
export function tracksQuery(request: DayRequest): Query {
  const { track } = EXPORT_TABLES[request.dataset];
  return ofDay(
    request,
    ALL,
    `b.venue AS venue, b.market AS market, ${track === null ? "''" : `b.${track}`} AS track, count() AS rows`,
    'GROUP BY venue, market, track ORDER BY venue, market, track',
  );
}

/** Answers the time `at` and the `offset` of the row that ends a page of so many. */
export const pageEndQuery = (request: DayRequest, narrowing: Selection, pageRows: number): Query =>
  ofDay(
    request,
    narrowing,
    `${micros('b.observed_at')} AS at, b.offset AS offset`,
    `ORDER BY b.observed_at, b.offset LIMIT 1 OFFSET ${pageRows - 1}`,
  );

export const someMarkets = (venue: Venue, markets: readonly string[]): Selection => ({
  where: ' AND b.venue = {page_venue:String} AND b.market IN {page_markets:Array(String)}',
  params: { page_venue: venue, page_markets: markets },
});

/** One track, from the row after `after` on. */
export function oneTrack(
  dataset: ExportDataset,
  { venue, market, track }: Track,
  after: { readonly at: Micros; readonly offset: number } | null,
): Selection {
  const { track: column } = EXPORT_TABLES[dataset];
  const where = ` AND b.venue = {page_venue:String} AND b.market = {page_market:String}${column === null ? '' : ` AND b.${column} = {page_track:String}`}`;
  const params = {
    page_venue: venue,
    page_market: market,
    ...(column === null ? {} : { page_track: track }),
  };
  if (after === null) return { where, params };
  return {
    where: `${where} AND b.observed_at >= ${at('page_at')} AND (b.observed_at, b.offset) > (${at('page_at')}, {page_offset:UInt64})`,
    params: { ...params, page_at: after.at, page_offset: after.offset },
  };
}

/** The gaps that touch the range. */
export const gapsQuery = (selection: Selection): Query =>
  ofGaps(selection, GAP_COLUMNS, ' ORDER BY b.venue, b.market, b.from_at, b.gap_id');

/** Answers how many `rows` gapsQuery has now, and when the `first` and the `last` of them began. */
export const gapCountQuery = (selection: Selection): Query =>
  ofGaps(
    selection,
    `count() AS rows, ${micros('min(b.from_at)')} AS first, ${micros('max(b.from_at)')} AS last`,
  );

const ofGaps = ({ where, params }: Selection, columns: string, order = ''): Query => ({
  sql: `SELECT ${columns} FROM gaps AS b FINAL
WHERE ${where} AND b.from_at < ${at('to')} AND (b.to_at IS NULL OR b.to_at > ${at('from')})${order}`,
  params,
});

export type WatchedRow = CoverageRow & { readonly venue: Venue; readonly market: string };

/** Answers WatchedRows: which sessions watched the books of which market. */
export const watchedQuery = ({ where, params }: Selection): Query => ({
  sql: `SELECT ${storedColumns('coverage', 'b')}
FROM coverage AS b FINAL WHERE ${where} AND b.dataset = 'books' AND b.kind IN ('started', 'beat', 'stopped')
ORDER BY venue, market`,
  params,
});

/** Answers GapRows: every gap of those books, also outside the range. */
export const bookGapsQuery = ({ where, params }: Selection): Query => ({
  sql: `SELECT ${storedColumns('gaps', 'b')} FROM gaps AS b FINAL WHERE ${where} AND b.dataset = 'books'`,
  params,
});
