// Recorded books and markets as a replay writes them again.

import type { BookObserved, MarketObserved } from '../../events/events.ts';
import { formatMicro } from '../../kernel/decimal.ts';
import type { Micros } from '../../kernel/time.ts';
import { MICROS_PER_MS } from '../../kernel/time.ts';
import { sourceLevels } from '../../market/source-levels.ts';

export type Pair = [price: string, size: string];

/** Levels in the text they were recorded with, best first. */
export const recordedLevels = (book: BookObserved, side: 'bid' | 'ask'): Pair[] =>
  sourceLevels(book, side, formatMicro);

/** The time a book states, in milliseconds: the venue's, else ours. */
export const statedMs = (book: BookObserved): number =>
  Math.floor((book.sourceTs ?? book.observedAt) / MICROS_PER_MS);

/** The native objects that a market was recorded with. */
export const nativeOf = (market: MarketObserved): Record<string, Record<string, unknown>> =>
  JSON.parse(market.native) as Record<string, Record<string, unknown>>;

/** When the newest of these was recorded. */
export const newestOf = (found: readonly { readonly observedAt: Micros }[]): Micros =>
  Math.max(...found.map(({ observedAt }) => observedAt));
