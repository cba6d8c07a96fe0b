// From a recorded book back to the venue's own text.

import type { Micro, TextFormat } from '../kernel/decimal.ts';
import type { BookObserved } from '../events/events.ts';

/** Source text of each level, native price (not complemented), best first; reverses normalization. */
export function sourceLevels(
  book: BookObserved,
  side: 'bid' | 'ask',
  format: (value: Micro, format: TextFormat) => string,
): [string, string][] {
  const prices = side === 'bid' ? book.bidPrices : book.askPrices;
  const sizes = side === 'bid' ? book.bidSizes : book.askSizes;
  const complemented = side === 'ask' && book.askComplement;
  const levels = prices.map((price, at): [string, string] => [
    format(complemented ? 1_000_000 - price : price, book.priceFormat),
    format(sizes[at]!, book.sizeFormat),
  ]);
  for (const exception of book.exceptions) {
    if (exception.side === side) levels[exception.level] = [exception.price, exception.size];
  }
  return levels;
}
