// Recorded data as files: one per dataset and UTC day, sorted by market and time, gaps as a table beside them (never hidden), and
// a manifest written last. A directory without manifest.json is not a finished export.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Micros, Position, Venue } from '@ladderlog/core';
import { LadderlogError, toIso } from '@ladderlog/core';
import type { Query, Store } from '../store.ts';
import type { ExportDataset, ExportFormat } from './columns.ts';
import { EXPORT_DATASETS, EXPORT_SCHEMA_VERSION } from './columns.ts';
import { requireEmpty, writeWhole } from './files.ts';
import type { ExportManifest, ExportedFile, Found } from './manifest.ts';
import { coverageSummary, timesOf } from './manifest.ts';
import { textPages } from './pages.ts';
import type { Range, Selection } from './queries.ts';
import {
  EXPORT_DEADLINE_MS,
  EXPORT_SETTINGS,
  daysQuery,
  gapCountQuery,
  gapsQuery,
  rowsQuery,
  selectionOf,
} from './queries.ts';

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

type Day = Found & { readonly day: string; readonly dataset: ExportDataset };

const ENGINE_FORMAT = { parquet: 'Parquet', csv: 'CSVWithNames', ndjson: 'JSONEachRow' } as const;

/** Gaps come and go slowly: if they still differ after so many readings, something is wrong. */
const GAP_READINGS = 10;

export async function exportData(
  store: Store,
  request: ExportRequest,
  onProgress: (progress: ExportProgress) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ExportManifest> {
  const { directory, from, to, venue, markets, before } = request;
  if (!(from < to)) throw new LadderlogError('BAD_ARGUMENT', 'an export needs a start before its end');
  await requireEmpty(directory);
  const generation = request.generation ?? (await store.generation());
  const whole = { generation, range: { from, to }, venue, markets };
  // Rows are counted first and read later, so the same ones must be meant.
  const selection = selectionOf({ ...whole, before });
  const all = selectionOf(whole);
  const days = await daysOf(store, request.datasets ?? EXPORT_DATASETS, selection);
  const rows = days.reduce((sum, day) => sum + day.rows, 0);
  const report = (file: string, written: number, done: number): void =>
    onProgress({ file, rows: written, totalRows: rows, files: done, totalFiles: days.length + 1 });
  const files = await writeDays(store, request, days, selection, report, signal);
  const gaps = await writeGaps(store, request, all, signal);
  files.push(gaps);
  report(gaps.path, rows, files.length);
  const manifest: ExportManifest = {
    ladderlog: request.version ?? null,
    schema_version: EXPORT_SCHEMA_VERSION,
    format: request.format,
    generation,
    from: toIso(from),
    to: toIso(to),
    venue: venue ?? null,
    markets: markets ?? null,
    units:
      'prices and sizes in units of the venue (1 = one contract or one dollar); times in UTC, observed_at by our clock',
    files,
    rows,
    coverage: await coverageSummary(store, request, all),
    gaps: gaps.rows,
  };
  await writeFile(join(directory, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function daysOf(
  store: Store,
  datasets: readonly ExportDataset[],
  selection: Selection,
): Promise<Day[]> {
  const asked = { name: 'export.days', deadlineMs: EXPORT_DEADLINE_MS };
  const days: Day[] = [];
  for (const dataset of datasets)
    for (const day of await store.query<Omit<Day, 'dataset'>>(daysQuery(dataset, selection), asked))
      days.push({ dataset, ...day });
  return days;
}

async function writeDays(
  store: Store,
  request: ExportRequest,
  days: readonly Day[],
  selection: Selection,
  report: (file: string, rows: number, files: number) => void,
  signal: AbortSignal,
): Promise<ExportedFile[]> {
  const files: ExportedFile[] = [];
  let rows = 0;
  for (const day of days) {
    signal.throwIfAborted();
    const path = `${day.dataset}/${day.day}.${request.format}`;
    const reportRows = (written: number): void => report(path, rows + written, files.length);
    reportRows(0);
    const bytes = bytesOf(store, request, day, selection, reportRows);
    const written = await writeWhole(request.directory, path, bytes, signal);
    rows += day.rows;
    files.push({ path, dataset: day.dataset, day: day.day, ...timesOf(day), ...written });
  }
  return files;
}

async function* bytesOf(
  store: Store,
  { format, from, to }: ExportRequest,
  { dataset, day }: Day,
  selection: Selection,
  report: (written: number) => void,
): AsyncGenerator<Uint8Array> {
  const begin = Date.parse(`${day}T00:00:00Z`) * 1_000;
  const range: Range = { from: Math.max(begin, from), to: Math.min(begin + 86_400_000_000, to) };
  const wanted = { dataset, selection, range };
  if (format === 'parquet') yield* await answer(store, rowsQuery(wanted), format);
  else yield* textPages(store, { ...wanted, format }, report);
}

const answer = (store: Store, query: Query, format: ExportFormat): Promise<AsyncIterable<Uint8Array>> =>
  store.queryStream(query, ENGINE_FORMAT[format], {
    name: 'export',
    deadlineMs: EXPORT_DEADLINE_MS,
    settings: EXPORT_SETTINGS,
  });

async function writeGaps(
  store: Store,
  { directory, format }: ExportRequest,
  selection: Selection,
  signal: AbortSignal,
): Promise<ExportedFile> {
  const asked = { name: 'export.gaps', deadlineMs: EXPORT_DEADLINE_MS };
  const count = async (): Promise<Found> => (await store.query<Found>(gapCountQuery(selection), asked))[0]!;
  const path = `gaps.${format}`;
  let before = await count();
  for (let reading = 0; reading < GAP_READINGS; reading++) {
    const source = await answer(store, gapsQuery(selection), format);
    const written = await writeWhole(directory, path, source, signal);
    const after = await count();
    // A gap has no one position in the log, but gaps only ever become more: as many before as after means just these.
    if (after.rows === before.rows)
      return { path, dataset: 'gaps', day: null, ...timesOf(before), ...written };
    before = after;
  }
  throw new LadderlogError('STORE_BUSY', 'gaps were added faster than they could be written: try again', {
    retryable: true,
  });
}
