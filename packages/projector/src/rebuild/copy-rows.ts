// What a partial rebuild keeps: the rows of positions before its beginning. Tables of every row are copied from the served
// generation; tables of newest rows have forgotten what they held then, and are made from those; tables of merged rows are
// projected from the log again, which has few such events.

import type { Position, Projection, TableName } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { columnsOf, createRowEncoder, quoteText, rowsBefore } from '@ladderlog/store';

import { readBefore } from '../ranges/log-bounds.ts';
import { createRangeProjector, tokenOf } from '../ranges/range-projection.ts';

/** Which full table a newest-row table can be made from; their columns are the same. */
const HISTORY: Readonly<Partial<Record<TableName, { readonly table: TableName; readonly key: string }>>> = {
  latest_books: { table: 'book_snapshots', key: 'venue, market, outcome' },
  markets: { table: 'market_history', key: 'venue, market' },
};

/** A row of a book is kilobytes. Between pieces the projector of the served tables gets its turn. */
const PIECE_ROWS = 100_000;
const PIECE_MS = 10 * 60_000;
const PIECE_SETTINGS = {
  max_threads: 1,
  max_block_size: 1_024,
  // From 10 MiB on the engine writes every column to a file of its own, which takes 330 MiB instead of 50.
  min_insert_block_size_bytes: 8 * 1024 * 1024,
} as const;

export type CopyOptions = {
  readonly log: EventLog;
  readonly store: Pick<Store, 'exec' | 'query' | 'insertRowBinary'>;
  readonly projections: readonly Projection[];
  readonly source: number;
  readonly target: number;
  /** Exclusive. */
  readonly before: readonly Position[];
  readonly signal: AbortSignal;
  /** Rows copied at once; a market of a month is never parted. */
  readonly pieceRows?: number;
};

/** Not resumable: a target that was not copied whole must be dropped. */
export async function copyRowsBefore(options: CopyOptions): Promise<void> {
  if (options.before.length === 0) return;
  for (const projection of options.projections) if (!projection.merging) await copyTable(options, projection);
  await projectMerged(options);
}

async function copyTable(options: CopyOptions, { table, newestBy }: Projection): Promise<void> {
  const { store, source, target, signal } = options;
  const history = HISTORY[table];
  if (newestBy && !history)
    throw new LadderlogError('NOT_SUPPORTED_HERE', `${table} cannot be rebuilt from the middle of the log`);
  const columns = Object.keys(columnsOf(table))
    .slice(1)
    .map((column) => `\`${column}\``)
    .join(', ');
  const from = history?.table ?? table;
  const rows = `generation = ${source} AND ${rowsBefore(options.before)}`;
  for await (const piece of piecesOf(options, from, rows)) {
    const where = `${rows} AND ${piece}`;
    // Newest of the piece: of several pieces the table keeps the newest itself. Only the chosen rows have their ladders read.
    const chosen = history
      ? ` AND (${history.key}, observed_at, offset) GLOBAL IN (
           SELECT ${history.key}, max((observed_at, offset)).1, max((observed_at, offset)).2 FROM ${from} WHERE ${where} GROUP BY ${history.key})`
      : '';
    await store.exec(
      `INSERT INTO ${table} (generation, ${columns}) SELECT ${target}, ${columns} FROM ${from} WHERE ${where}${chosen}`,
      { name: 'rebuild-copy', deadlineMs: PIECE_MS, settings: PIECE_SETTINGS },
    );
    signal.throwIfAborted();
  }
}

/** Conditions that part the rows: by month, as the tables are, and by ranges of their order in it. */
async function* piecesOf(options: CopyOptions, table: string, rows: string): AsyncGenerator<string> {
  const { store, pieceRows = PIECE_ROWS } = options;
  const asked = { name: 'rebuild-copy', deadlineMs: PIECE_MS };
  const months = await store.query<{ month: number }>(
    `SELECT DISTINCT toYYYYMM(observed_at) AS month FROM ${table} WHERE ${rows} ORDER BY month`,
    asked,
  );
  for (const { month } of months) {
    const ranges = await store.query<{ venue: string; first: string; last: string }>(
      `SELECT venue, min(market) AS first, max(market) AS last FROM (
         SELECT venue, market, intDiv(sum(found) OVER (PARTITION BY venue ORDER BY market) - 1, ${pieceRows}) AS piece FROM (
           SELECT venue, market, count() AS found FROM ${table} WHERE ${rows} AND toYYYYMM(observed_at) = ${month} GROUP BY venue, market))
       GROUP BY venue, piece ORDER BY venue, first`,
      asked,
    );
    for (const { venue, first, last } of ranges)
      yield `toYYYYMM(observed_at) = ${month} AND venue = ${quoteText(venue)} AND market >= ${quoteText(first)} AND market <= ${quoteText(last)}`;
  }
}

async function projectMerged(options: CopyOptions): Promise<void> {
  const { log, store, target, signal } = options;
  const projections = options.projections.filter(({ merging }) => merging !== null);
  const handled = new Set(projections.flatMap(({ handles }) => handles));
  const project = createRangeProjector(projections);
  const encoders = projections.map(({ table }) => createRowEncoder(table, target));
  const { batches } = await readBefore(log, options.before, signal);
  for await (const { topic, partition, records } of batches) {
    const wanted = records.filter(({ type }) => type !== null && handled.has(type));
    if (wanted.length === 0) continue;
    project(topic, partition, wanted, encoders);
    const range = { first: wanted[0]!.offset, last: wanted.at(-1)!.offset };
    for (const [at, encoder] of encoders.entries()) {
      if (encoder.rows === 0) continue;
      const token = `copy:${tokenOf(projections[at]!, target, topic, partition, range)}`;
      await store.insertRowBinary(encoder.table, encoder.columns, encoder.take(), { token });
    }
  }
  signal.throwIfAborted();
}
