import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LadderEvent } from '@ladderlog/core';
import type { ChdbStore, ExportFormat, ExportManifest, ExportProgress, Store } from '@ladderlog/store';
import { exportData, openChdbStore } from '@ladderlog/store';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { textPages } from '../../src/export/pages.ts';
import { T0, book, insertEvents, sample } from '../book-rows.ts';

const root = mkdtempSync(join(tmpdir(), 'ladderlog-export-'));
const DAY = 86_400_000_000;
let store: ChdbStore;

const envelope = {
  venue: 'venueb',
  market: 'a',
  sourceTs: null,
  session: 's',
  ordinal: 0,
  provenance: 'captured',
} as const;
const track = { dataset: 'books', outcome: 'yes', collector: 'test' } as const;
const events: LadderEvent[] = [
  { ...envelope, ...track, type: 'CaptureStarted', observedAt: T0 },
  // Out of order on purpose: files are sorted by market and time.
  ...[3, 1, 2].map((second) => book({ market: 'b', observedAt: T0 + second * 1_000_000 })),
  ...[5, 4].map((second) =>
    book({ market: 'a', observedAt: T0 + second * 1_000_000, nativeIds: { x: '"q", 1' } }),
  ),
  book({ market: 'a', observedAt: T0 + DAY, bidPrices: [], bidSizes: [] }),
  {
    ...envelope,
    type: 'GapClosed',
    observedAt: T0 + 20_000_000,
    gapId: 'g1',
    dataset: 'books',
    outcome: 'yes',
    cause: 'disconnected',
    scope: 'connection',
    from: T0 + 10_000_000,
    to: T0 + 20_000_000,
    lastBefore: null,
    firstAfter: null,
    late: [],
  },
  { ...envelope, ...track, type: 'CaptureBeat', observedAt: T0 + 40_000_000, stampDelay: null },
  sample({
    ...envelope,
    observedAt: T0 + 1,
  }),
];

beforeAll(async () => {
  store = await openChdbStore({ path: join(root, 'store') });
  await store.migrate();
  await insertEvents(store, events);
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const range = { from: T0, to: T0 + 2 * DAY };
const directory = (name: string): string => join(root, name);

describe.each(['parquet', 'csv', 'ndjson'] as const)('%s', (format: ExportFormat) => {
  const progress: ExportProgress[] = [];
  let manifest: ExportManifest;
  beforeAll(async () => {
    manifest = await exportData(store, { directory: directory(format), format, ...range }, (step) =>
      progress.push(step),
    );
  });

  test('whole days, sums that fit the bytes, and a manifest that says so', () => {
    expect(manifest.files.map(({ path, rows }) => [path, rows])).toEqual([
      [`books/2026-11-15.${format}`, 5],
      [`books/2026-11-16.${format}`, 1],
      [`samples/2026-11-15.${format}`, 1],
      [`gaps.${format}`, 1],
    ]);
    for (const file of manifest.files) {
      const bytes = readFileSync(join(directory(format), file.path));
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
        file.bytes,
        file.sha256,
      ]);
    }
    expect(JSON.parse(readFileSync(join(directory(format), 'manifest.json'), 'utf8'))).toEqual(manifest);
    expect(manifest).toMatchObject({ rows: 7, gaps: 1, schema_version: 1, from: '2026-11-15T00:00:00.000Z' });
    expect(manifest.files[0]).toMatchObject({
      from: '2026-11-15T00:00:01.000Z',
      to: '2026-11-15T00:00:05.000Z',
    });
  });

  test('coverage and gaps are in it', () => {
    expect(manifest.coverage).toEqual([
      {
        venue: 'venueb',
        market: 'a',
        covered_ratio: 30_000_000 / (2 * DAY),
        covered: [
          { from: '2026-11-15T00:00:00.000Z', to: '2026-11-15T00:00:10.000Z' },
          { from: '2026-11-15T00:00:20.000Z', to: '2026-11-15T00:00:40.000Z' },
        ],
        gaps: 1,
      },
    ]);
  });

  test('progress ends at the end', () => {
    expect(progress.at(-1)).toMatchObject({ rows: 7, totalRows: 7, files: 4, totalFiles: 4 });
  });
});

test('rows are sorted by market and time and hold the numbers', async () => {
  const lines = readFileSync(join(directory('ndjson'), 'books/2026-11-15.ndjson'), 'utf8')
    .trimEnd()
    .split('\n');
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows.map((row) => [row['market'], row['observed_at']])).toEqual([
    ['a', '2026-11-15T00:00:04.000000Z'],
    ['a', '2026-11-15T00:00:05.000000Z'],
    ['b', '2026-11-15T00:00:01.000000Z'],
    ['b', '2026-11-15T00:00:02.000000Z'],
    ['b', '2026-11-15T00:00:03.000000Z'],
  ]);
  expect(rows[0]).toMatchObject({
    best_bid: 0.53,
    bid_sizes: [212.5, 1],
    native_ids: { x: '"q", 1' },
    offset: 5,
  });
});

test.each([1, 2, 3, 100])('pages of %i rows give the same file', async (pageRows) => {
  for (const format of ['csv', 'ndjson'] as const) {
    const pages = textPages(
      store,
      {
        dataset: 'books',
        selection: { where: 'b.generation = {generation:UInt32}', params: { generation: 1 } },
        range: { from: T0, to: T0 + DAY },
        format,
      },
      () => undefined,
      pageRows,
    );
    expect(
      (
        await buffer(Readable.from(pages, { objectMode: true }).map((page: Uint8Array) => Buffer.from(page)))
      ).toString(),
    ).toBe(readFileSync(join(directory(format), `books/2026-11-15.${format}`), 'utf8'));
  }
});

test('one market, one venue, part of a day', async () => {
  const manifest = await exportData(store, {
    directory: directory('part'),
    format: 'ndjson',
    datasets: ['books'],
    venue: 'venueb',
    markets: ['b'],
    from: T0 + 2_000_000,
    to: T0 + 3_000_000,
  });
  expect(manifest.files.map(({ path, rows }) => [path, rows])).toEqual([
    ['books/2026-11-15.ndjson', 1],
    ['gaps.ndjson', 0],
  ]);
});

test('only a new or empty directory is written to', async () => {
  mkdirSync(directory('mine'));
  writeFileSync(join(directory('mine'), 'notes.txt'), 'mine');
  for (const name of ['csv', 'mine', 'mine/notes.txt'])
    await expect(
      exportData(store, { directory: directory(name), format: 'csv', ...range }),
    ).rejects.toMatchObject({ code: 'BAD_ARGUMENT' });
  expect(readdirSync(directory('mine'))).toEqual(['notes.txt']);
  mkdirSync(directory('empty'));
  await exportData(store, { directory: directory('empty'), format: 'csv', ...range });
});

/** A store in which something happens after the first query of this name. */
const whileAsked = (name: string, happen: () => Promise<void>): Store => {
  let happened = false;
  return {
    ...store,
    async query<T>(...[query, options]: Parameters<Store['query']>): Promise<T[]> {
      const answer = await store.query<T>(query, options);
      if (options?.name === name && !happened) {
        happened = true;
        await happen();
      }
      return answer;
    },
  };
};

test('the manifest is of its files, also while rows and gaps are being written', async () => {
  // Rows of other tests must stay as they are: a day of its own.
  const day = T0 + 10 * DAY;
  const at = (second: number) => day + second * 1_000_000;
  const closed = events.find((event) => event.type === 'GapClosed')!;
  const gap = (gapId: string, second: number): LadderEvent => {
    const [from, to] = [at(second), at(second + 1)];
    return { ...closed, gapId, market: 'late', from, to, observedAt: to };
  };
  await insertEvents(store, [book({ market: 'late', observedAt: at(1) }), gap('late-1', 1)], 100);
  const before = [{ topic: 'venueb', partition: 0, offset: 102 }];
  const writing = whileAsked('export.days', () =>
    insertEvents(store, [book({ market: 'late', observedAt: at(2) })], 102),
  );
  const writingGaps = whileAsked('export.gaps', () => insertEvents(store, [gap('late-2', 2)], 103));
  for (const [name, busy, rows, gaps] of [
    ['rows', writing, 1, 1],
    ['gaps', writingGaps, 1, 2],
  ] as const) {
    const manifest = await exportData(busy, {
      directory: directory(`while-${name}`),
      format: 'ndjson',
      datasets: ['books'],
      from: day,
      to: day + DAY,
      before,
    });
    expect(manifest).toMatchObject({ rows, gaps });
    for (const file of manifest.files) {
      const lines = readFileSync(join(directory(`while-${name}`), file.path), 'utf8').split('\n');
      expect([file.path, lines.length - 1]).toEqual([file.path, file.rows]);
    }
  }
});

test('gaps that never stop being added end an export, which says so', async () => {
  let more = 0;
  const growing: Store = {
    ...store,
    async query<T>(...[query, options]: Parameters<Store['query']>): Promise<T[]> {
      const answer = await store.query<T>(query, options);
      return options?.name === 'export.gaps' ? [{ rows: ++more, first: T0, last: T0 } as T] : answer;
    },
  };
  const request = {
    directory: directory('growing'),
    format: 'ndjson',
    datasets: ['books'],
    ...range,
  } as const;
  await expect(exportData(growing, request)).rejects.toMatchObject({ code: 'STORE_BUSY', retryable: true });
  expect(existsSync(join(request.directory, 'manifest.json'))).toBe(false);
});

test.each(['parquet', 'ndjson'] as const)('%s: an export that is ended writes no more', async (format) => {
  const stop = new AbortController();
  const request = { directory: directory(`ended-${format}`), format, ...range };
  const exporting = exportData(store, request, () => stop.abort(), stop.signal);
  await expect(exporting).rejects.toMatchObject({ name: 'AbortError' });
  const left = existsSync(request.directory) ? readdirSync(request.directory, { recursive: true }) : [];
  expect(left.filter((name) => /\.(ndjson|parquet|json|partial)$/.test(String(name)))).toEqual([]);
});

// Needs a Python with pandas + pyarrow, polars and duckdb: LADDERLOG_PYTHON, or a virtual environment in .cache/python.
const python =
  process.env['LADDERLOG_PYTHON'] ??
  new URL('../../../../.cache/python/bin/python', import.meta.url).pathname;
const has = (library: string): boolean =>
  existsSync(python) && spawnSync(python, ['-c', `import ${library}`]).status === 0;

describe.each([
  [
    'pandas',
    'import pandas; d = pandas.read_parquet(f); rows = len(d); first = d.iloc[0]; out = [rows, first.market, float(first.best_bid), list(map(float, first.bid_sizes)), first.observed_at.isoformat()]',
  ],
  [
    'polars',
    'import polars; d = polars.read_parquet(f); first = d.row(0, named=True); out = [d.height, first["market"], first["best_bid"], first["bid_sizes"], first["observed_at"].isoformat()]',
  ],
  [
    'duckdb',
    'import duckdb; d = duckdb.sql(f"SELECT count(*) OVER (), market, best_bid, bid_sizes, epoch_us(observed_at) FROM \'{f}\'").fetchall()[0]; import datetime; out = [d[0], d[1], d[2], d[3], datetime.datetime.fromtimestamp(d[4] / 1e6, datetime.timezone.utc).isoformat()]',
  ],
])('%s reads the Parquet files', (library, script) => {
  test.skipIf(!has(library))('rows, numbers, lists and times', () => {
    const file = join(directory('parquet'), 'books/2026-11-15.parquet');
    const code = `import json\nf = ${JSON.stringify(file)}\n${script}\nprint(json.dumps(out))`;
    const output = execFileSync(python, ['-c', code], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual([5, 'a', 0.53, [212.5, 1], '2026-11-15T00:00:04+00:00']);
  });
});
