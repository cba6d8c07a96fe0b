// One side of a book while it is being built from changes: parallel arrays, best first, found by binary search. An
// observation copies the arrays once; no work is done per level otherwise. The text of a level is remembered only where the
// side's format does not reproduce it.

import type { Micro, TextFormat } from '../kernel/decimal.ts';
import { formatMicro } from '../kernel/decimal.ts';
import type { TextException } from '../events/events.ts';

type Text = { readonly price: string; readonly size: string };

export type SideLevel = { readonly price: Micro; readonly size: Micro; readonly text: Text | null };

export class Side {
  readonly name: 'bid' | 'ask';
  /** 1: low prices are best (asks); −1: high prices are best (bids). */
  private readonly direction: 1 | -1;
  prices: Micro[] = [];
  sizes: Micro[] = [];
  /** Aligned with the prices; null while no level needs one, which is the rule. */
  private texts: (Text | null)[] | null = null;

  constructor(name: 'bid' | 'ask') {
    this.name = name;
    this.direction = name === 'ask' ? 1 : -1;
  }

  /** First index of the price, or −1 − (index where it would be inserted). */
  private find(price: Micro): number {
    const { prices, direction } = this;
    let low = 0;
    let high = prices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((prices[middle]! - price) * direction < 0) low = middle + 1;
      else high = middle;
    }
    return low < prices.length && prices[low] === price ? low : -1 - low;
  }

  /** How many levels have the price at this index: more than one only where a venue sent duplicates. */
  private run(at: number): number {
    const { prices } = this;
    let end = at + 1;
    while (end < prices.length && prices[end] === prices[at]) end++;
    return end - at;
  }

  /** Size at the price, 0 where there is none; levels a venue sent twice count together. */
  sizeAt(price: Micro): Micro {
    const at = this.find(price);
    if (at < 0) return 0;
    let size = this.sizes[at]!;
    for (let next = at + this.run(at) - 1; next > at; next--) size += this.sizes[next]!;
    return size;
  }

  /**
   * Sets the level, and makes one of duplicates; size 0 removes it. `text` is the level's native text where the format would
   * not give it.
   */
  set(price: Micro, size: Micro, text: Text | null = null): void {
    const found = this.find(price);
    const at = found < 0 ? -1 - found : found;
    const before = found < 0 ? 0 : this.run(at);
    if (text && !this.texts) this.texts = this.prices.map(() => null);
    if (size === 0) {
      if (before > 0) {
        this.prices.splice(at, before);
        this.sizes.splice(at, before);
        this.texts?.splice(at, before);
      }
    } else if (before === 1) {
      this.sizes[at] = size;
      if (this.texts) this.texts[at] = text;
    } else {
      this.prices.splice(at, before, price);
      this.sizes.splice(at, before, size);
      this.texts?.splice(at, before, text);
    }
  }

  /**
   * Takes a whole side in any order. Duplicate prices and zero sizes are kept as they came (the row checks flag them); the
   * sort is stable, so the venue's order among equals stays.
   */
  replace(levels: readonly SideLevel[]): void {
    const { direction } = this;
    let ordered = levels;
    for (let at = 1; at < levels.length; at++) {
      if ((levels[at]!.price - levels[at - 1]!.price) * direction < 0) {
        ordered = [...levels].sort((a, b) => (a.price - b.price) * direction);
        break;
      }
    }
    this.prices = ordered.map((level) => level.price);
    this.sizes = ordered.map((level) => level.size);
    this.texts = ordered.some((level) => level.text) ? ordered.map((level) => level.text) : null;
  }

  clear(): void {
    this.prices = [];
    this.sizes = [];
    this.texts = null;
  }

  /** Adds this side's exceptions, by level. */
  exceptions(into: TextException[]): void {
    if (!this.texts) return;
    for (const [level, text] of this.texts.entries())
      if (text) into.push({ side: this.name, level, price: text.price, size: text.size });
  }
}

/** The text to remember for a level: null where both formats reproduce it. */
export function exceptionText(
  price: string,
  nativePrice: Micro,
  size: string,
  sizeValue: Micro,
  priceFormat: TextFormat,
  sizeFormat: TextFormat,
): Text | null {
  return formatMicro(nativePrice, priceFormat) === price && formatMicro(sizeValue, sizeFormat) === size
    ? null
    : { price, size };
}
