// Recorded data as files: one per dataset and UTC day, sorted by market and time, gaps as a table beside them (never hidden), and
// a manifest written last. A directory without manifest.json is not a finished export.

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CoverageRow, GapRow, Micros, Position, Venue } from '@ladderlog/core';
import { coverageOf, LadderlogError, toIso } from '@ladderlog/core';
import type { ExportDataset, ExportFormat } from './columns.ts';
import { EXPORT_DATASETS, EXPORT_SCHEMA_VERSION, EXPORT_TABLES, GAP_EXPORT } from './columns.ts';
import type { Selection } from './pages.ts';
import {
  IN_RANGE,
  ENGINE_FORMAT,
  EXPORT_DEADLINE_MS,
  EXPORT_SETTINGS,
  rowsQuery,
  textPages,
} from './pages.ts';
import { rowsBefore } from '../queries/log-rows.ts';
import type { Query, Store } from '../store.ts';
import { at } from '../queries/sql.ts';

export type ExportRequest = {
  /** Must be empty or new. */
  readonly directory: string;
  readonly format: ExportFormat;
  readonly datasets?: readonly ExportDataset[];
  readonly venue?: Venue;
  readonly markets?: readonly string[];
  /** Half-open, our clock. */
  readonly from: Micros;
  readonly to: Micros;
  /** Default: the served one. */
  readonly generation?: number;
  /** Up to where the log is in the tables, exclusive, when more is being written meanwhile. */
  readonly before?: readonly Position[];
  /** Written into the manifest. */
  readonly version?: string;
};

export type ExportProgress = {
  readonly file: string;
  readonly rows: number;
  readonly totalRows: number;
  readonly files: number;
  readonly totalFiles: number;
};

export type ExportedFile = {
  readonly path: string;
  readonly dataset: ExportDataset | 'gaps';
  /** UTC day; null for a file over the whole range. */
  readonly day: string | null;
  readonly rows: number;
  /** First and newest observation in it; null when it has no rows. */
  readonly from: string | null;
  readonly to: string | null;
  readonly bytes: number;
  readonly sha256: string;
};

export type ExportManifest = {
  readonly ladderlog: string | null;
  readonly schema_version: number;
  readonly format: ExportFormat;
  readonly generation: number;
  readonly from: string;
  readonly to: string;
  readonly venue: Venue | null;
  readonly markets: readonly string[] | null;
  readonly units: string;
  readonly files: readonly ExportedFile[];
  readonly rows: number;
  /** Of books, for every market that was watched in the range. */
  readonly coverage: readonly {
    readonly venue: Venue;
    readonly market: string;
    readonly covered_ratio: number | null;
    readonly covered: readonly { readonly from: string; readonly to: string }[];
    readonly gaps: number;
  }[];
  readonly gaps: number;
};

type Day = { readonly day: string; readonly rows: number; readonly first: Micros; readonly last: Micros };

export async function exportData(
  store: Store,
  request: ExportRequest,
  onProgress: (progress: ExportProgress) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ExportManifest> {
  if (!(request.from < request.to))
    throw new LadderlogError('BAD_ARGUMENT', 'an export needs a start before its end');
  if ((await entriesOf(request.directory)) > 0)
    throw new LadderlogError('BAD_ARGUMENT', `${request.directory} is not empty; give a new directory`);
  const generation = request.generation ?? (await store.generation());
  const all = selectionOf(request, generation);
  // Rows are counted first and read later, so the same ones must be meant.
  const { before } = request;
  const selection: Selection = before
    ? { ...all, where: `${all.where} AND ${rowsBefore(before, 'b.')}` }
    : all;
  const plan: { dataset: ExportDataset; day: Day }[] = [];
  for (const dataset of request.datasets ?? EXPORT_DATASETS)
    for (const day of await daysOf(store, dataset, selection)) plan.push({ dataset, day });
  const totalRows = plan.reduce((sum, { day }) => sum + day.rows, 0);
  const files: ExportedFile[] = [];
  let rows = 0;
  for (const { dataset, day } of plan) {
    signal.throwIfAborted();
    const path = `${dataset}/${day.day}.${request.format}`;
    const report = (written: number): void =>
      onProgress({
        file: path,
        rows: rows + written,
        totalRows,
        files: files.length,
        totalFiles: plan.length + 1,
      });
    report(0);
    const range = dayRange(day.day, request);
    const query = rowsQuery({ dataset, selection, range });
    const written =
      request.format === 'parquet'
        ? await writeFileFrom(request, path, [await answer(store, query, request.format)], signal)
        : await writeFileFrom(
            request,
            path,
            textPages(store, { dataset, selection, range, format: request.format }, report),
            signal,
          );
    rows += day.rows;
    files.push({
      path,
      dataset,
      day: day.day,
      rows: day.rows,
      from: toIso(day.first),
      to: toIso(day.last),
      ...written,
    });
  }
  const gaps = await writeGaps(store, request, all, signal);
  files.push(gaps);
  onProgress({ file: gaps.path, rows, totalRows, files: files.length, totalFiles: plan.length + 1 });
  const manifest: ExportManifest = {
    ladderlog: request.version ?? null,
    schema_version: EXPORT_SCHEMA_VERSION,
    format: request.format,
    generation,
    from: toIso(request.from),
    to: toIso(request.to),
    venue: request.venue ?? null,
    markets: request.markets ?? null,
    units:
      'prices and sizes in units of the venue (1 = one contract or one dollar); times in UTC, observed_at by our clock',
    files,
    rows,
    coverage: await coverageSummary(store, request, all),
    gaps: gaps.rows,
  };
  await writeFile(join(request.directory, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function entriesOf(directory: string): Promise<number> {
  try {
    return (await readdir(directory)).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw new LadderlogError('BAD_ARGUMENT', `${directory} is no directory; give a new one`, {
      cause: error,
    });
  }
}

function selectionOf(request: ExportRequest, generation: number): Selection {
  const { venue, markets } = request;
  return {
    where: `b.generation = {generation:UInt32}${venue === undefined ? '' : ' AND b.venue = {venue:String}'}${markets === undefined ? '' : ' AND b.market IN {markets:Array(String)}'}`,
    params: {
      generation,
      from: request.from,
      to: request.to,
      ...(venue === undefined ? {} : { venue }),
      ...(markets === undefined ? {} : { markets }),
    },
  };
}

const daysOf = (store: Store, dataset: ExportDataset, { where, params }: Selection): Promise<Day[]> =>
  store.query<Day>(
    {
      sql: `SELECT toString(toDate(b.observed_at, 'UTC')) AS day, count() AS rows,
  toUnixTimestamp64Micro(min(b.observed_at)) AS first, toUnixTimestamp64Micro(max(b.observed_at)) AS last
FROM ${EXPORT_TABLES[dataset].table} AS b WHERE ${where} AND ${IN_RANGE} GROUP BY day ORDER BY day`,
      params,
    },
    { name: 'export.days', deadlineMs: EXPORT_DEADLINE_MS },
  );

function dayRange(day: string, request: ExportRequest): { from: Micros; to: Micros } {
  const begin = Date.parse(`${day}T00:00:00Z`) * 1_000;
  return { from: Math.max(begin, request.from), to: Math.min(begin + 86_400_000_000, request.to) };
}

const answer = (store: Store, query: Query, format: ExportFormat) =>
  store.queryStream(query, ENGINE_FORMAT[format], {
    name: 'export',
    deadlineMs: EXPORT_DEADLINE_MS,
    settings: EXPORT_SETTINGS,
  });

async function writeFileFrom(
  request: ExportRequest,
  path: string,
  sources: Iterable<AsyncIterable<Uint8Array>> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const file = join(request.directory, path);
  const partial = `${file}.partial`;
  await mkdir(join(file, '..'), { recursive: true });
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    if (Symbol.asyncIterator in sources) yield* sources;
    else for (const source of sources) yield* source;
  };
  try {
    await pipeline(bytes, hashing, createWriteStream(partial), { signal });
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await rename(partial, file);
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') };
}

type GapsFound = { readonly rows: number; readonly first: Micros; readonly last: Micros };

async function writeGaps(
  store: Store,
  request: ExportRequest,
  { where, params }: Selection,
  signal: AbortSignal,
): Promise<ExportedFile> {
  const touching = `${where} AND b.from_at < ${at('to')} AND (b.to_at IS NULL OR b.to_at > ${at('from')})`;
  const from = `FROM gaps AS b FINAL WHERE ${touching}`;
  const count = async (): Promise<GapsFound> =>
    (
      await store.query<GapsFound>(
        {
          sql: `SELECT count() AS rows, toUnixTimestamp64Micro(min(b.from_at)) AS first, toUnixTimestamp64Micro(max(b.from_at)) AS last ${from}`,
          params,
        },
        { name: 'export.gaps', deadlineMs: EXPORT_DEADLINE_MS },
      )
    )[0]!;
  const path = `gaps.${request.format}`;
  const query = { sql: `${GAP_EXPORT} ${from} ORDER BY b.venue, b.market, b.from_at, b.gap_id`, params };
  // A gap has no one position in the log, but gaps only ever become more: as many before as after means just these.
  for (let found = await count(); ;) {
    const written = await writeFileFrom(request, path, [await answer(store, query, request.format)], signal);
    const { rows, first, last } = found;
    found = await count();
    if (found.rows !== rows) continue;
    return {
      path,
      dataset: 'gaps',
      day: null,
      rows,
      from: rows === 0 ? null : toIso(first),
      to: rows === 0 ? null : toIso(last),
      ...written,
    };
  }
}

type Track = { readonly venue: Venue; readonly market: string };

async function coverageSummary(
  store: Store,
  request: ExportRequest,
  { where, params }: Selection,
): Promise<ExportManifest['coverage']> {
  const options = { name: 'export.coverage', deadlineMs: EXPORT_DEADLINE_MS };
  const rows = await store.query<CoverageRow & Track>(
    {
      sql: `SELECT b.venue AS venue, b.market AS market, b.outcome AS outcome, b.session AS session, b.kind AS kind,
  toUnixTimestamp64Micro(b.since) AS since, toUnixTimestamp64Micro(b.at) AS at
FROM coverage AS b FINAL WHERE ${where} AND b.dataset = 'books' AND b.kind IN ('started', 'beat', 'stopped')
ORDER BY venue, market`,
      params,
    },
    options,
  );
  const gaps = await store.query<GapRow>(
    {
      sql: `SELECT b.gap_id AS gap_id, b.venue AS venue, b.market AS market, b.outcome AS outcome, b.dataset AS dataset,
  b.cause AS cause, b.scope AS scope, toUnixTimestamp64Micro(b.from_at) AS from_at, toUnixTimestamp64Micro(b.to_at) AS to_at,
  b.last_before_session AS last_before_session, toUnixTimestamp64Micro(b.last_before_at) AS last_before_at,
  b.first_after_session AS first_after_session, toUnixTimestamp64Micro(b.first_after_at) AS first_after_at, b.detail AS detail
FROM gaps AS b FINAL WHERE ${where} AND b.dataset = 'books'`,
      params,
    },
    options,
  );
  const keyOf = ({ venue, market }: Track): string => `${venue}\n${market}`;
  const gapsBy = Map.groupBy(gaps, keyOf);
  return [...Map.groupBy(rows, keyOf).values()]
    .map((ofMarket) => {
      const { venue, market } = ofMarket[0]!;
      const found = coverageOf(ofMarket, gapsBy.get(keyOf({ venue, market })) ?? [], request);
      return {
        venue,
        market,
        covered_ratio: found.covered_ratio,
        covered: found.intervals.map(({ from, to }) => ({ from: toIso(from), to: toIso(to) })),
        gaps: found.gaps.length,
      };
    })
    .filter(({ covered, gaps: count }) => covered.length + count > 0);
}
