// A list that fetches its next page when it is needed: iterate over records, or over pages.

import { LadderlogGapError } from './errors.ts';
import type { Params, Transport } from './transport.ts';
import type { Coverage, Gap, Pagination } from './types.ts';

export type Page<T> = {
  readonly data: readonly T[];
  readonly pagination: Pagination;
  readonly meta: { readonly request_id: string; readonly timestamp: string; readonly coverage?: Coverage };
};

/** What to do about time that was not recorded: warn once per list, throw before the first record, nothing, or your own. */
export type OnGap = 'warn' | 'throw' | 'ignore' | ((gaps: readonly Gap[]) => void);

export type Paged<T> = AsyncIterable<T> & {
  pages(): AsyncIterable<Page<T>>;
  /** All records in memory; think before you call it. */
  toArray(): Promise<T[]>;
};

export function paged<T>(
  transport: Transport,
  path: string,
  params: Params,
  onGap: OnGap,
  warn: (message: string) => void,
): Paged<T> {
  async function* pages(): AsyncGenerator<Page<T>> {
    let cursor: string | null = null;
    do {
      const page: Page<T> = await transport<Page<T>>(path, cursor === null ? params : { ...params, cursor });
      // Coverage is that of the whole range, so the first page says it all.
      if (cursor === null) report(page.meta.coverage?.gaps ?? [], onGap, warn);
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

function report(gaps: readonly Gap[], onGap: OnGap, warn: (message: string) => void): void {
  if (gaps.length === 0 || onGap === 'ignore') return;
  if (onGap === 'throw') throw new LadderlogGapError(gaps);
  if (onGap === 'warn') warn(new LadderlogGapError(gaps).message);
  else onGap(gaps);
}
