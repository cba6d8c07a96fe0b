// How the engine merges rows of one key (SimpleAggregateFunction min and max), for batches and for verification. Null is no
// value, not the smallest one.

import type { TableName, TableRow } from '../tables.ts';

type Cell = string | number | null;

/** One row of two that have the same key: of each column the latest value, or the earliest where that is said. */
export const mergeRows =
  <T extends TableName>({ earliest }: { readonly earliest: readonly (keyof TableRow<T>)[] }) =>
  (a: TableRow<T>, b: TableRow<T>): TableRow<T> => {
    const merged: TableRow<T> = { ...a };
    const cells = merged as Record<keyof TableRow<T>, Cell>;
    for (const column of Object.keys(a) as (keyof TableRow<T>)[]) {
      const [ours, theirs] = [a[column] as Cell, b[column] as Cell];
      if (ours === null) cells[column] = theirs;
      else if (theirs !== null && compare(theirs, ours) > 0 !== earliest.includes(column))
        cells[column] = theirs;
    }
    return merged;
  };

/** Of columns that are never given bytes. */
export const keyOf = (...cells: readonly (string | number | Uint8Array)[]): string => cells.join('\n');

/** Text as ClickHouse orders it: by UTF-8 bytes, which is by code point, not by UTF-16 unit. */
export function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b);
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) {
      // The second half of a pair alone says nothing: compare from where the pair began.
      const start = at > 0 && isHigh(a.charCodeAt(at - 1)) ? at - 1 : at;
      return a.codePointAt(start)! - b.codePointAt(start)!;
    }
  }
  return a.length - b.length;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
