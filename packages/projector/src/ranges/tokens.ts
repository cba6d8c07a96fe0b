// The names of inserts: a repeat under the same token adds nothing.

import type { Projection, TableName } from '@ladderlog/core';
import { TABLES, hashText } from '@ladderlog/core';

import type { OffsetRange } from './cursor.ts';
import type { Partition } from './log-bounds.ts';

export type PlacedRange = { readonly key: Partition; readonly range: OffsetRange };

export const nameOfRange = ({ key, range }: PlacedRange): string =>
  `${key.topic}:${key.partition}:${range.first}-${range.last}`;

/** Of ranges of several partitions that are inserted together, whatever order they are given in. */
export const nameOfSet = (ranges: readonly PlacedRange[]): string =>
  `set:${hashText(ranges.map(nameOfRange).toSorted().join(' '))}`;

/**
 * Names exactly these rows: those that a projection makes of a range or a set. Whatever changes what they give is in it, because
 * ClickHouse drops different rows under a reused token and reports success.
 */
export const tokenOf = (projection: Projection, generation: number, ranges: string): string =>
  `${projection.name}:g${generation}:v${projection.version}:${schemaHash(projection.table)}:${ranges}`;

const hashes = new Map<TableName, string>();

export function schemaHash(table: TableName): string {
  let hash = hashes.get(table);
  if (hash === undefined) {
    hash = hashText(JSON.stringify(Object.entries(TABLES[table]))).slice(0, 12);
    hashes.set(table, hash);
  }
  return hash;
}
