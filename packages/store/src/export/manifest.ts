// What an export says about itself.

import type { GapRow, Micros, Venue } from '@ladderlog/core';
import { coverageOf, toIso } from '@ladderlog/core';
import type { Store } from '../store.ts';
import type { ExportDataset, ExportFormat } from './columns.ts';
import type { Range, Selection, WatchedRow } from './queries.ts';
import { EXPORT_DEADLINE_MS, bookGapsQuery, watchedQuery } from './queries.ts';

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

/** Rows of a file, and the times of the first and the last of them. */
export type Found = { readonly rows: number; readonly first: Micros; readonly last: Micros };

export const timesOf = ({ rows, first, last }: Found): Pick<ExportedFile, 'rows' | 'from' | 'to'> => ({
  rows,
  from: rows === 0 ? null : toIso(first),
  to: rows === 0 ? null : toIso(last),
});

export async function coverageSummary(
  store: Store,
  range: Range,
  selection: Selection,
): Promise<ExportManifest['coverage']> {
  const asked = { name: 'export.coverage', deadlineMs: EXPORT_DEADLINE_MS };
  const rows = await store.query<WatchedRow>(watchedQuery(selection), asked);
  const gaps = await store.query<GapRow>(bookGapsQuery(selection), asked);
  const keyOf = ({ venue, market }: WatchedRow | GapRow): string => `${venue}\n${market}`;
  const gapsBy = Map.groupBy(gaps, keyOf);
  return [...Map.groupBy(rows, keyOf)]
    .map(([key, ofMarket]) => {
      const { venue, market } = ofMarket[0]!;
      const found = coverageOf(ofMarket, gapsBy.get(key) ?? [], range);
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
