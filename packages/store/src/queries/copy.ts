// Rows of one generation before some positions, copied into another in pieces.

import type { Position, TableName } from '@ladderlog/core';
import { columnsOf } from '../engine/row-binary.ts';
import { quoteText } from './sql.ts';
import { rowsBefore } from './log-rows.ts';

export type Copy = {
  readonly table: TableName;
  readonly source: number;
  readonly target: number;
  /** Exclusive, one a partition. */
  readonly before: readonly Position[];
};

/** A part of the rows: one month, as the tables are parted, and a range of their order in it. */
export type CopyPiece = {
  readonly month: number;
  readonly venue: string;
  readonly first: string;
  readonly last: string;
};

/**
 * Tables of newest rows have forgotten what they held at the positions: they are made from the table of every row, whose columns
 * are the same.
 */
const HISTORY: Readonly<Partial<Record<TableName, { readonly table: TableName; readonly key: string }>>> = {
  latest_books: { table: 'book_snapshots', key: 'venue, market, outcome' },
  markets: { table: 'market_history', key: 'venue, market' },
};

/** Whether a table that keeps the newest rows only can be made from another. */
export const hasHistory = (table: TableName): boolean => HISTORY[table] !== undefined;

const sourceOf = ({ table }: Copy): TableName => HISTORY[table]?.table ?? table;
const rowsOf = ({ source, before }: Copy): string =>
  `generation = ${Math.trunc(source)} AND ${rowsBefore(before)}`;
const inMonth = (month: number): string => `toYYYYMM(observed_at) = ${Math.trunc(month)}`;

/** Answers `month`. */
export const copyMonths = (copy: Copy): string =>
  `SELECT DISTINCT toYYYYMM(observed_at) AS month FROM ${sourceOf(copy)} WHERE ${rowsOf(copy)} ORDER BY month`;

/** Answers `venue`, `first` and `last` market of pieces of about so many rows; a market is never parted. */
export const copyPieces = (copy: Copy, month: number, pieceRows: number): string =>
  `SELECT venue, min(market) AS first, max(market) AS last FROM (
  SELECT venue, market, intDiv(sum(found) OVER (PARTITION BY venue ORDER BY market) - 1, ${Math.trunc(pieceRows)}) AS piece FROM (
    SELECT venue, market, count() AS found FROM ${sourceOf(copy)} WHERE ${rowsOf(copy)} AND ${inMonth(month)} GROUP BY venue, market))
GROUP BY venue, piece ORDER BY venue, first`;

/** Copies a piece. Of a table of newest rows the newest in the piece: of several pieces it keeps the newest itself. */
export function copyPiece(copy: Copy, { month, venue, first, last }: CopyPiece): string {
  const columns = Object.keys(columnsOf(copy.table))
    .slice(1)
    .map((column) => `\`${column}\``)
    .join(', ');
  const from = sourceOf(copy);
  const where = `${rowsOf(copy)} AND ${inMonth(month)} AND venue = ${quoteText(venue)} AND market >= ${quoteText(first)} AND market <= ${quoteText(last)}`;
  const key = HISTORY[copy.table]?.key;
  // Only the chosen rows have their ladders read.
  const newest = key
    ? ` AND (${key}, observed_at, offset) GLOBAL IN (
  SELECT ${key}, max((observed_at, offset)).1, max((observed_at, offset)).2 FROM ${from} WHERE ${where} GROUP BY ${key})`
    : '';
  return `INSERT INTO ${copy.table} (generation, ${columns}) SELECT ${Math.trunc(copy.target)}, ${columns} FROM ${from} WHERE ${where}${newest}`;
}
