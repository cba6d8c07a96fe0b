// What a partial rebuild keeps: the rows of positions before its beginning. Tables of every row are copied from the served
// generation; tables of newest rows have forgotten what they held then, and are made from those; tables of merged rows are
// projected from the log again, which has few such events.

import type { Position, Projection } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Copy, CopyPiece } from '@ladderlog/store';
import { copyMonths, copyPiece, copyPieces, createRowEncoder, hasHistory } from '@ladderlog/store';

import { readBefore } from '../ranges/log-bounds.ts';
import type { Places } from '../ranges/places.ts';
import { createRangeProjector } from '../ranges/range-projection.ts';
import { nameOfRange, tokenOf } from '../ranges/tokens.ts';

/** A row of a book is kilobytes. Between pieces the projector of the served tables gets its turn. */
const PIECE_ROWS = 100_000;
const ASKED = { name: 'rebuild-copy', deadlineMs: 10 * 60_000 } as const;
const PIECE_SETTINGS = {
  max_threads: 1,
  max_block_size: 1_024,
  // From 10 MiB on the engine writes every column to a file of its own, which takes 330 MiB instead of 50.
  min_insert_block_size_bytes: 8 * 1024 * 1024,
} as const;

export type CopyOptions = Omit<Places, 'cursors'> & {
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
  const { store, source, target, before, signal } = options;
  if (newestBy && !hasHistory(table))
    throw new LadderlogError('NOT_SUPPORTED_HERE', `${table} cannot be rebuilt from the middle of the log`);
  const copy: Copy = { table, source, target, before };
  for await (const piece of piecesOf(options, copy)) {
    await store.exec(copyPiece(copy, piece), { ...ASKED, settings: PIECE_SETTINGS });
    signal.throwIfAborted();
  }
}

async function* piecesOf(
  { store, pieceRows = PIECE_ROWS }: CopyOptions,
  copy: Copy,
): AsyncGenerator<CopyPiece> {
  for (const { month } of await store.query<{ month: number }>(copyMonths(copy), ASKED))
    for (const range of await store.query<Omit<CopyPiece, 'month'>>(
      copyPieces(copy, month, pieceRows),
      ASKED,
    ))
      yield { month, ...range };
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
    const name = nameOfRange({ key: { topic, partition }, range });
    for (const [at, encoder] of encoders.entries()) {
      if (encoder.rows === 0) continue;
      const token = `copy:${tokenOf(projections[at]!, target, name)}`;
      await store.insertRowBinary(encoder.table, encoder.columns, encoder.take(), { token });
    }
  }
  signal.throwIfAborted();
}
