// A list that fetches its next page when it is needed: iterate over records, or over pages.

import { LadderlogGapError } from './errors.ts';
import type { Params, Transport } from './transport.ts';
import type { Coverage, Gap, Pagination } from './types.ts';

export type Page<T> = {
  readonly data: readonly T[];
  readonly pagination: Pagination;
  readonly meta: { readonly request_id: string; readonly timestamp: string; readonly coverage?: Coverage };
};

/**
 * What to do about time that was not recorded: warn, throw before the records of the page that tells of it, nothing, or your
 * own. Each gap is told of once in a list. `more`: there are gaps beyond these; `gaps()` lists them all.
 */
export type OnGap = 'warn' | 'throw' | 'ignore' | ((gaps: readonly Gap[], more: boolean) => void);

export type Report = (gaps: readonly Gap[], more: boolean) => void;

export type Paged<T> = AsyncIterable<T> & {
  pages(): AsyncIterable<Page<T>>;
  /** All records in memory; think before you call it. */
  toArray(): Promise<T[]>;
};

export function paged<T>(transport: Transport, path: string, params: Params, report: Report): Paged<T> {
  async function* pages(): AsyncGenerator<Page<T>> {
    let cursor: string | null = null;
    const reported = new Set<string>();
    do {
      const page: Page<T> = await transport<Page<T>>(path, cursor === null ? params : { ...params, cursor });
      // Coverage is that of the whole range, but gaps can open or become known while the pages are read.
      const { gaps = [], gaps_truncated: more = false } = page.meta.coverage ?? {};
      const fresh = gaps.filter((gap) => !reported.has(identity(gap)));
      for (const gap of fresh) reported.add(identity(gap));
      report(fresh, more);
      yield page;
      cursor = page.pagination.has_more ? page.pagination.next_cursor : null;
    } while (cursor !== null);
  }
  async function* records(): AsyncGenerator<T> {
    for await (const page of pages()) yield* page.data;
  }
  return {
    [Symbol.asyncIterator]: records,
    pages,
    async toArray() {
      const all: T[] = [];
      for await (const record of records()) all.push(record);
      return all;
    },
  };
}

/** A gap is clipped to the range and closes in time: its end may change, these do not. */
const identity = ({ from, cause, outcome_id }: Gap): string => `${from} ${cause} ${outcome_id}`;

export const reporter =
  (onGap: OnGap, warn: (message: string) => void): Report =>
  (gaps, more) => {
    if (gaps.length === 0 || onGap === 'ignore') return;
    if (onGap === 'throw') throw new LadderlogGapError(gaps, more);
    if (onGap === 'warn') warn(new LadderlogGapError(gaps, more).message);
    else onGap(gaps, more);
  };
