// The row checks of the specification, and the honest name of a book's state. Run on every observation; a failing one is
// kept and flagged, never repaired, never dropped.

import type { Micro } from '../kernel/decimal.ts';
import type { BookState, CheckFlag } from '../events/events.ts';
import { CHECK_FLAGS } from '../events/events.ts';

export type Ladders = {
  readonly bidPrices: readonly Micro[];
  readonly bidSizes: readonly Micro[];
  readonly askPrices: readonly Micro[];
  readonly askSizes: readonly Micro[];
};

export function bookState(book: Ladders): BookState {
  const bid = book.bidPrices[0];
  const ask = book.askPrices[0];
  if (bid === undefined) return ask === undefined ? 'empty' : 'ask_only';
  if (ask === undefined) return 'bid_only';
  return bid >= ask ? 'crossed' : 'two_sided';
}

/** Flags in the order of CHECK_FLAGS, without repeats; `found` are those the normalizer saw on the wire. */
export function checkBook(
  book: Ladders,
  bounds: readonly [Micro, Micro],
  row: { readonly market: string; readonly observedAt: number },
  found: readonly CheckFlag[] = NONE,
): readonly CheckFlag[] {
  let flags: CheckFlag[] | null = null;
  const flag = (name: CheckFlag): void => {
    flags ??= [...found];
    if (!flags.includes(name)) flags.push(name);
  };
  if (row.market === '') flag('missing_id');
  if (!(row.observedAt > 0)) flag('missing_timestamp');
  if (book.bidPrices.length !== book.bidSizes.length || book.askPrices.length !== book.askSizes.length)
    flag('unequal_lengths');
  checkSide(book.bidPrices, book.bidSizes, -1, bounds, flag);
  checkSide(book.askPrices, book.askSizes, 1, bounds, flag);
  if (bookState(book) === 'crossed') flag('crossed');
  return flags === null ? found : CHECK_FLAGS.filter((name) => flags!.includes(name));
}

const NONE: readonly CheckFlag[] = [];

function checkSide(
  prices: readonly Micro[],
  sizes: readonly Micro[],
  direction: 1 | -1,
  bounds: readonly [Micro, Micro],
  flag: (name: CheckFlag) => void,
): void {
  let before: Micro | null = null;
  for (let at = 0; at < prices.length; at++) {
    const price = prices[at]!;
    if (price < bounds[0] || price > bounds[1]) flag('price_out_of_bounds');
    if (before !== null) {
      if (price === before) flag('duplicate_price');
      else if ((price - before) * direction < 0) flag('not_ordered');
    }
    if ((sizes[at] ?? 0) <= 0) flag('size_not_positive');
    before = price;
  }
}

export function sameLadders(a: Ladders, b: Ladders | null): boolean {
  return (
    b !== null &&
    sameNumbers(a.bidPrices, b.bidPrices) &&
    sameNumbers(a.bidSizes, b.bidSizes) &&
    sameNumbers(a.askPrices, b.askPrices) &&
    sameNumbers(a.askSizes, b.askSizes)
  );
}

const sameNumbers = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, at) => value === b[at]);
