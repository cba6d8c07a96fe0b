// The findings of venue A that are made of a book.

import type { Ladders } from '../../capture/checks.ts';
import { complement } from '../../kernel/decimal.ts';
import type { Micros } from '../../kernel/time.ts';
import type { Finding } from '../../capture/finding.ts';
import type { ComposedBook } from '../shared/wire-levels.ts';
import { measureDrift } from '../shared/wire-levels.ts';

export function observation(
  composed: ComposedBook,
  market: string,
  outcome: string,
  sourceTs: Micros | null,
  nativeIds: Readonly<Record<string, string>>,
): Finding {
  const { exact, ...book } = composed;
  return {
    type: 'book',
    market,
    outcome,
    kind: 'snapshot',
    sourceTs,
    ...book,
    nativeBid: 'bids',
    nativeAsk: 'asks',
    askComplement: false,
    hash: null,
    sequence: null,
    nativeIds,
    flags: exact ? [] : ['inexact'],
  };
}

export const compare = (
  market: string,
  outcome: string,
  sourceTs: Micros | null,
  ours: Ladders,
  theirs: Ladders,
): Finding => ({
  type: 'compare',
  market,
  outcome,
  method: 'rest',
  sourceTs,
  ...measureDrift(ours, theirs),
});

/** The book of the other outcome: a bid at p is an ask at 1 − p. */
export const mirror = (book: Ladders): Ladders => ({
  bidPrices: book.askPrices.map(complement),
  bidSizes: book.askSizes,
  askPrices: book.bidPrices.map(complement),
  askSizes: book.bidSizes,
});
