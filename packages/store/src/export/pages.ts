// The rows of one day as text, in pages: chDB hands over an answer whole, and a day must not have to fit into memory. Small
// markets share a page; a large one is walked by its key, so that no page reads what an earlier one did.

import type { Micros } from '@ladderlog/core';
import type { Store } from '../store.ts';
import type { DayRequest, Selection, Track } from './queries.ts';
import {
  EXPORT_DEADLINE_MS,
  EXPORT_SETTINGS,
  oneTrack,
  pageEndQuery,
  rowsQuery,
  someMarkets,
  tracksQuery,
} from './queries.ts';

/** One page is in memory: some 50 MB of long ladders. */
const EXPORT_PAGE_ROWS = 5_000;

export async function* textPages(
  store: Store,
  request: DayRequest & { readonly format: 'csv' | 'ndjson' },
  report: (written: number) => void,
  pageRows = EXPORT_PAGE_ROWS,
): AsyncGenerator<Uint8Array> {
  let written = 0;
  let first = true;
  const page = (narrowing: Selection, limit: number | null): Promise<Uint8Array> => {
    const format = request.format === 'ndjson' ? 'JSONEachRow' : first ? 'CSVWithNames' : 'CSV';
    first = false;
    return store.queryRaw(rowsQuery(request, narrowing, limit), format, {
      name: 'export.page',
      deadlineMs: EXPORT_DEADLINE_MS,
      settings: EXPORT_SETTINGS,
    });
  };
  const tracks = await store.query<Track>(tracksQuery(request), {
    name: 'export.tracks',
    deadlineMs: EXPORT_DEADLINE_MS,
  });
  for (const group of grouped(tracks, pageRows)) {
    const total = group.reduce((sum, { rows }) => sum + rows, 0);
    if (total <= pageRows) {
      const markets = [...new Set(group.map(({ market }) => market))];
      yield await page(someMarkets(group[0]!.venue, markets), null);
      report((written += total));
    } else
      for (const track of group)
        for await (const narrowing of pagesOf(store, request, track, pageRows)) {
          yield await page(narrowing, pageRows);
          report(Math.min(written + track.rows, (written += Math.min(pageRows, track.rows))));
        }
  }
}

/** Whole markets of one venue together up to a page; a market larger than a page alone. */
function grouped(tracks: readonly Track[], pageRows: number): Track[][] {
  const groups: Track[][] = [];
  let rows = 0;
  for (const market of Map.groupBy(tracks, ({ venue, market: name }) => `${venue}\n${name}`).values()) {
    const size = market.reduce((sum, track) => sum + track.rows, 0);
    const last = groups.at(-1);
    if (last && last[0]!.venue === market[0]!.venue && rows + size <= pageRows) {
      last.push(...market);
      rows += size;
    } else {
      groups.push([...market]);
      rows = size;
    }
  }
  return groups;
}

/** Where each page of a large track begins. */
async function* pagesOf(
  store: Store,
  request: DayRequest,
  track: Track,
  pageRows: number,
): AsyncGenerator<Selection> {
  let narrowing = oneTrack(request.dataset, track, null);
  for (let done = 0; done < track.rows; done += pageRows) {
    yield narrowing;
    const [last] = await store.query<{ at: Micros; offset: number }>(
      pageEndQuery(request, narrowing, pageRows),
      { name: 'export.window', deadlineMs: EXPORT_DEADLINE_MS },
    );
    if (!last) return;
    narrowing = oneTrack(request.dataset, track, last);
  }
}
