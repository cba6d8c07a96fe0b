// The newest books of a market as bytes that are ready to be sent, and why one of them is not the present one.

import type { BookObserved, LadderShape, MarketIdentity, MarketState, Micros, Placed } from '@ladderlog/core';
import { absenceOf, toIso, toRecord } from '@ladderlog/core';
import type { GapView } from './coverage-view.ts';
import { notCaptured, openGapView } from './coverage-view.ts';

type Written = { readonly identity: MarketIdentity | null; readonly bytes: Buffer };

/** Kept while the book is the newest and the market's metadata stays the same; only with ladders as arrays. */
const written = new WeakMap<Placed<BookObserved>, Written>();

/** The record as JSON. */
export function bookBytes(book: Placed<BookObserved>, { metadata }: MarketState, shape: LadderShape): Buffer {
  const identity = metadata?.event ?? null;
  const write = (): Buffer =>
    Buffer.from(JSON.stringify(toRecord(book.event, book.position, identity, shape)));
  if (shape !== 'arrays') return write();
  const known = written.get(book);
  if (known && known.identity === identity) return known.bytes;
  const bytes = write();
  written.set(book, { identity, bytes });
  return bytes;
}

/** Null: it is the present book. `alive`: see aliveSince. */
export function gapOfBook(
  state: MarketState,
  { outcome, observedAt }: BookObserved,
  alive: Micros,
): GapView | null {
  const absence = absenceOf(state, outcome, alive);
  if (!absence) return null;
  if ('gap' in absence) return openGapView(absence.gap);
  const gap = notCaptured({ from: absence.since, to: null }, 'books', outcome);
  return { ...gap, last_before: toIso(observedAt) };
}
