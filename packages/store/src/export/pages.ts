// The rows of one day as text, in pages: chDB hands over an answer whole, and a day must not have to fit into memory. Small
// markets share a page; a large one is walked by its key, so that no page reads what an earlier one did.

import type { Micros, Venue } from '@ladderlog/core';
import type { ExportDataset, ExportFormat } from './columns.ts';
import { EXPORT_TABLES } from './columns.ts';
import type { Query, QueryParams, Settings, Store } from '../store.ts';
import { at } from '../queries/sql.ts';

/** What an export is about: a condition on table `b` and what is bound in it. */
export type Selection = { readonly where: string; readonly params: QueryParams };

export type DayRequest = {
  readonly dataset: ExportDataset;
  readonly selection: Selection;
  readonly range: { readonly from: Micros; readonly to: Micros };
};

export const ENGINE_FORMAT = { parquet: 'Parquet', csv: 'CSVWithNames', ndjson: 'JSONEachRow' } as const;
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
const EXPORT_PAGE_ROWS = 20_000;

export const IN_RANGE = `b.observed_at >= ${at('from')} AND b.observed_at < ${at('to')}`;

export function rowsQuery(
  { dataset, selection, range }: DayRequest,
  narrowing: Selection = { where: '', params: {} },
  limit: number | null = null,
): Query {
  const { table, columns, order } = EXPORT_TABLES[dataset];
  return {
    sql: `SELECT ${columns.join(', ')}
FROM ${table} AS b WHERE ${selection.where} AND ${IN_RANGE}${narrowing.where}
ORDER BY ${order.map((name) => `b.${name}`).join(', ')}${limit === null ? '' : ` LIMIT ${limit}`}`,
    params: { ...selection.params, ...range, ...narrowing.params },
  };
}

type Track = {
  readonly venue: Venue;
  readonly market: string;
  readonly track: string;
  readonly rows: number;
};

export async function* textPages(
  store: Store,
  request: DayRequest & { readonly format: Exclude<ExportFormat, 'parquet'> },
  report: (written: number) => void,
  pageRows = EXPORT_PAGE_ROWS,
): AsyncGenerator<Uint8Array> {
  let written = 0;
  let first = true;
  const page = async (narrowing: Selection, limit: number | null): Promise<Uint8Array> => {
    const format = request.format === 'csv' && !first ? 'CSV' : ENGINE_FORMAT[request.format];
    first = false;
    return store.queryRaw(rowsQuery(request, narrowing, limit), format, {
      name: 'export.page',
      deadlineMs: EXPORT_DEADLINE_MS,
      settings: EXPORT_SETTINGS,
    });
  };
  for (const group of grouped(await tracksOf(store, request), pageRows)) {
    const [one] = group;
    const total = group.reduce((sum, { rows }) => sum + rows, 0);
    if (total <= pageRows) {
      yield await page(
        {
          where: ' AND b.venue = {page_venue:String} AND b.market IN {page_markets:Array(String)}',
          params: { page_venue: one!.venue, page_markets: [...new Set(group.map(({ market }) => market))] },
        },
        null,
      );
      report((written += total));
    } else {
      for (const track of group) {
        for await (const narrowing of windows(store, request, track, pageRows)) {
          yield await page(narrowing, pageRows);
          report(Math.min(written + track.rows, (written += Math.min(pageRows, track.rows))));
        }
      }
    }
  }
}

/** Each outcome (or metric) of each market with its rows, in the order of the file. */
function tracksOf(store: Store, { dataset, selection, range }: DayRequest): Promise<Track[]> {
  const { table, track } = EXPORT_TABLES[dataset];
  return store.query<Track>(
    {
      sql: `SELECT b.venue AS venue, b.market AS market, ${track === null ? "''" : `b.${track}`} AS track, count() AS rows
FROM ${table} AS b WHERE ${selection.where} AND ${IN_RANGE} GROUP BY venue, market, track ORDER BY venue, market, track`,
      params: { ...selection.params, ...range },
    },
    { name: 'export.tracks', deadlineMs: EXPORT_DEADLINE_MS },
  );
}

/** Whole markets of one venue together up to a page; a market larger than a page alone. */
function grouped(tracks: readonly Track[], pageRows: number): Track[][] {
  const groups: Track[][] = [];
  let rows = 0;
  for (const market of Map.groupBy(tracks, ({ venue, market: name }) => `${venue}\n${name}`).values()) {
    const size = market.reduce((sum, track) => sum + track.rows, 0);
    const last = groups.at(-1);
    if (last && last[0]!.venue === market[0]!.venue && rows + size <= pageRows) {
      last.push(...market);
      rows += size;
    } else {
      groups.push([...market]);
      rows = size;
    }
  }
  return groups;
}

/** Where each page of a large track begins. */
async function* windows(
  store: Store,
  { dataset, selection, range }: DayRequest,
  one: Track,
  pageRows: number,
): AsyncGenerator<Selection> {
  const { table, track } = EXPORT_TABLES[dataset];
  const where = ` AND b.venue = {page_venue:String} AND b.market = {page_market:String}${track === null ? '' : ` AND b.${track} = {page_track:String}`}`;
  const params = {
    page_venue: one.venue,
    page_market: one.market,
    ...(track === null ? {} : { page_track: one.track }),
  };
  let narrowing: Selection = { where, params };
  for (let done = 0; done < one.rows; done += pageRows) {
    yield narrowing;
    const [last] = await store.query<{ at: Micros; offset: number }>(
      {
        sql: `SELECT toUnixTimestamp64Micro(b.observed_at) AS at, b.offset AS offset
FROM ${table} AS b WHERE ${selection.where} AND ${IN_RANGE}${narrowing.where}
ORDER BY b.observed_at, b.offset LIMIT 1 OFFSET ${pageRows - 1}`,
        params: { ...selection.params, ...range, ...narrowing.params },
      },
      { name: 'export.window', deadlineMs: EXPORT_DEADLINE_MS },
    );
    if (!last) return;
    narrowing = {
      where: `${where} AND b.observed_at >= ${at('page_at')} AND (b.observed_at, b.offset) > (${at('page_at')}, {page_offset:UInt64})`,
      params: { ...params, page_at: last.at, page_offset: last.offset },
    };
  }
}
