// The store on real recorded books: bytes on disk against gzip of the frames and zstd Parquet, RowBinary against JSON inserts, and
// reads through the store against the same query straight on chDB, all in one run.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { BookObserved, TableName, TableRow } from '@ladderlog/core';
import { formatMicro, PROJECTIONS } from '@ladderlog/core';
import type { ChdbStore, Query } from '@ladderlog/store';
import {
  createRowEncoder,
  latestRows,
  openChdbStore,
  sampledSnapshotsPage,
  snapshotsAt,
  snapshotsPage,
} from '@ladderlog/store';
import { recordedBooks } from '../harness/log-recording.ts';
import { RECORDINGS } from '../harness/recordings.ts';

const BOOKS = Number(
  process.env['LADDERLOG_BENCH_EVENTS'] ?? (process.env['LADDERLOG_FULL'] ? 100_000 : 30_000),
);
const BATCH = 5_000;
const RECORDING = join(RECORDINGS, 'venue-b', 'ws_btc15m_run_20260515T0916.jsonl.gz');

export async function run(): Promise<void> {
  const { source, books } = recordedBooks(BOOKS);
  const levels = books.reduce((sum, book) => sum + book.bidPrices.length + book.askPrices.length, 0);
  console.log(`${books.length} books of ${(levels / books.length).toFixed(0)} levels: ${source}`);
  const path = mkdtempSync(join(tmpdir(), 'ladderlog-bench-store-'));
  const store = await openChdbStore({ path });
  try {
    await store.migrate();
    const rows = books.map((book, offset) => rowOf(book, offset));
    await benchEncoding(rows);
    await benchInserts(store, rows);
    await benchStorage(store, books);
    await benchReads(store, books);
  } finally {
    await store.close();
    rmSync(path, { recursive: true, force: true });
  }
}

type BookRow = TableRow<'book_snapshots'>;

const bookSnapshots = PROJECTIONS.find(({ name }) => name === 'book_snapshots')!;
const rowOf = (book: BookObserved, offset: number): BookRow =>
  bookSnapshots.project(book, { topic: book.venue, partition: 0, offset })[0] as BookRow;

const perSecond = (count: number, ms: number): number => (count / ms) * 1_000;
const rate = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
const say = (name: string, text: string): void => console.log(`${name.padEnd(52)}${text}`);

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function benchEncoding(rows: readonly BookRow[]): Promise<void> {
  const some = rows.slice(0, BATCH);
  let best = Infinity;
  for (let round = 0; round < 5; round++)
    best = Math.min(
      best,
      await timed(() => {
        const encoder = createRowEncoder('book_snapshots', 1);
        for (const row of some) encoder.add(row);
        encoder.take();
      }),
    );
  say('encode rows as RowBinary', rate(perSecond(some.length, best)));
}

async function benchInserts(store: ChdbStore, rows: readonly BookRow[]): Promise<void> {
  await insert(store, 'book_snapshots', rows, 1);
  await insert(store, 'latest_books', [rows.at(-1)!], 1);
  const some = rows.slice(0, BATCH);
  const binary = { ms: Infinity, cpu: Infinity };
  const json = { ms: Infinity, cpu: Infinity };
  const measure = async (into: { ms: number; cpu: number }, work: () => Promise<void>): Promise<void> => {
    const before = process.cpuUsage();
    into.ms = Math.min(into.ms, await timed(work));
    const { user, system } = process.cpuUsage(before);
    into.cpu = Math.min(into.cpu, (user + system) / 1_000);
  };
  for (let round = 0; round < 4; round++) {
    await measure(binary, () => insert(store, 'book_snapshots', some, 100 + round));
    await measure(json, () => insertJson(store, some, 200 + round));
  }
  const [ours, theirs] = [perSecond(some.length, binary.ms), perSecond(some.length, json.ms)];
  say(
    'insert, encoding included',
    `${rate(ours)}   ${(ours / theirs).toFixed(1)} × JSONEachRow (${rate(theirs)})`,
  );
  say('  by processor time', `${(json.cpu / binary.cpu).toFixed(1)} × JSONEachRow`);
}

async function insert(
  store: ChdbStore,
  table: TableName,
  rows: readonly BookRow[],
  generation: number,
): Promise<void> {
  const encoder = createRowEncoder<'book_snapshots'>(table as 'book_snapshots', generation);
  for (let at = 0; at < rows.length; at += BATCH) {
    for (const row of rows.slice(at, at + BATCH)) encoder.add(row);
    await store.insertRowBinary(table, encoder.columns, encoder.take(), {
      token: `bench:${table}:${generation}:${at}`,
    });
  }
}

async function insertJson(store: ChdbStore, rows: readonly BookRow[], generation: number): Promise<void> {
  const session = await store.session();
  try {
    await session.insert({
      table: 'book_snapshots',
      values: rows.map((row) => ({ generation, ...row })),
      format: 'JSONEachRow',
    });
  } finally {
    await session.close();
  }
}

async function benchStorage(store: ChdbStore, books: readonly BookObserved[]): Promise<void> {
  await store.exec('ALTER TABLE book_snapshots DELETE WHERE generation > 1 SETTINGS mutations_sync = 1');
  await store.exec('OPTIMIZE TABLE book_snapshots FINAL', { deadlineMs: 300_000 });
  const [disk] = await store.query<{ bytes: number; rows: number }>(
    "SELECT sum(bytes_on_disk) AS bytes, sum(rows) AS rows FROM system.parts WHERE active AND table = 'book_snapshots' AND database = currentDatabase()",
  );
  const ours = disk!.bytes / disk!.rows;
  say('on disk, full ladders, merged', `${ours.toFixed(1)} bytes an observation`);
  const parquet = await store.queryRaw(
    'SELECT * FROM book_snapshots WHERE generation = 1 ORDER BY venue, market, outcome, observed_at, offset',
    'Parquet',
    { settings: { output_format_parquet_compression_method: 'zstd' }, deadlineMs: 300_000 },
  );
  const against = (name: string, bytes: number, aim: string): void => {
    const theirs = bytes / books.length;
    say(`  against ${name}`, `${(ours / theirs).toFixed(2)} × (${theirs.toFixed(1)} bytes)${aim}`);
  };
  against('zstd Parquet of the same rows', parquet.length, '');
  const deltas = rawFrames(books.length);
  if (deltas) against('gzip of the raw change frames', gzipSync(deltas).length, ', aim ≤ 1.2');
  against('gzip of the same books, whole and compact', gzipSync(fullFrames(books)).length, ', aim ≤ 0.5');
  const columns = await store.query<{ name: string; bytes: number }>(
    "SELECT column AS name, sum(column_bytes_on_disk) AS bytes FROM system.parts_columns WHERE active AND table = 'book_snapshots' AND database = currentDatabase() GROUP BY name ORDER BY bytes DESC LIMIT 6",
  );
  say(
    '  largest columns',
    columns.map(({ name, bytes }) => `${name} ${(bytes / disk!.rows).toFixed(1)}`).join(', '),
  );
}

/** The frames the books came from, as the venue sent them. */
function rawFrames(count: number): Buffer | null {
  if (!existsSync(RECORDING)) return null;
  const frames: string[] = [];
  for (const text of gunzipSync(readFileSync(RECORDING)).toString('utf8').split('\n')) {
    if (text === '' || frames.length >= count) continue;
    const line = JSON.parse(text) as { event_type: string; sequence_number: number; payload_json: unknown };
    if (line.event_type.startsWith('orderbook_'))
      frames.push(
        JSON.stringify({ type: line.event_type, sid: 2, seq: line.sequence_number, msg: line.payload_json }),
      );
  }
  return Buffer.from(frames.join('\n'));
}

const fullFrames = (books: readonly BookObserved[]): Buffer =>
  Buffer.concat(
    books.map((book) => {
      const side = (prices: readonly number[], sizes: readonly number[]) =>
        prices.map((price, at) => [formatMicro(price), formatMicro(sizes[at]!)]);
      return Buffer.from(
        `${JSON.stringify({ market: book.market, ts: book.observedAt, bids: side(book.bidPrices, book.bidSizes), asks: side(book.askPrices, book.askSizes) })}\n`,
      );
    }),
  );

async function benchReads(store: ChdbStore, books: readonly BookObserved[]): Promise<void> {
  const { market, venue } = books[0]!;
  const ofMarket = books.filter((book) => book.market === market);
  const from = ofMarket[0]!.observedAt;
  const to = ofMarket.at(-1)!.observedAt + 1;
  const middle = ofMarket[ofMarket.length >> 1]!;
  const selection = {
    generation: 1,
    venue,
    market,
    outcomes: ['yes'],
    identity: null,
    shape: 'arrays',
  } as const;
  const page = { ...selection, from, to, after: null };
  const last = books.at(-1)!;
  const queries: [string, Query][] = [
    ['latest book', latestRows({ generation: 1, venue: selection.venue, market: last.market })],
    ['book at an instant', snapshotsAt({ ...selection, at: middle.observedAt })],
    ['page of 100', snapshotsPage({ ...page, limit: 100 })],
    [
      'page of 100, from the middle',
      snapshotsPage({ ...page, after: { observedAt: middle.observedAt, offset: 0 }, limit: 100 }),
    ],
    ['page of 1,000', snapshotsPage({ ...page, limit: 1_000 })],
    ['one-minute samples', sampledSnapshotsPage({ ...page, interval: 60_000_000, limit: 1_000 })],
  ];
  const session = await store.session();
  try {
    for (const [name, query] of queries) {
      const rounds = 15;
      const ours: number[] = [];
      const theirs: number[] = [];
      let bytes = 0;
      for (let round = 0; round < rounds; round++) {
        ours.push(
          await timed(async () => {
            bytes = (await store.queryRaw(query, 'JSONEachRow')).length;
          }),
        );
        theirs.push(
          await timed(async () => {
            const { stream } = await session.exec({
              query: `${query.sql}\nFORMAT JSONEachRow`,
              query_params: { ...query.params },
            });
            await buffer(stream);
          }),
        );
      }
      const [a, b] = [median(ours), median(theirs)];
      say(
        name,
        `${a.toFixed(1)} ms for ${(bytes / 1024).toFixed(0)} KiB   ${(a / b).toFixed(2)} × straight on chDB (${b.toFixed(1)} ms)`,
      );
    }
  } finally {
    await session.close();
  }
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
