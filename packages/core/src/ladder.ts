// One side of a book while it is being built from changes: parallel arrays, best first, found by binary search. An
// observation copies the arrays once; no work is done per level otherwise. The text of a level is remembered only where the
// side's format does not reproduce it.

import type { Micro, TextFormat } from './decimal.ts';
import { formatMicro } from './decimal.ts';
import type { TextException } from './events.ts';

type Text = { readonly price: string; readonly size: string };

export class Side {
  readonly name: 'bid' | 'ask';
  /** 1: low prices are best (asks); −1: high prices are best (bids). */
  private readonly direction: 1 | -1;
  prices: Micro[] = [];
  sizes: Micro[] = [];
  private texts: Map<Micro, Text> | null = null;

  constructor(name: 'bid' | 'ask') {
    this.name = name;
    this.direction = name === 'ask' ? 1 : -1;
  }

  /** Index of the price, or −1 − (index where it would be inserted). */
  private find(price: Micro): number {
    const { prices, direction } = this;
    let low = 0;
    let high = prices.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = (prices[middle]! - price) * direction;
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1 - low;
  }

  sizeAt(price: Micro): Micro {
    const at = this.find(price);
    return at < 0 ? 0 : this.sizes[at]!;
  }

  /** Sets the level; size 0 removes it. `text` is the level's native text where the format would not give it. */
  set(price: Micro, size: Micro, text: Text | null = null): void {
    const at = this.find(price);
    if (size === 0) {
      if (at >= 0) {
        this.prices.splice(at, 1);
        this.sizes.splice(at, 1);
      }
      this.texts?.delete(price);
      return;
    }
    if (at >= 0) this.sizes[at] = size;
    else {
      this.prices.splice(-1 - at, 0, price);
      this.sizes.splice(-1 - at, 0, size);
    }
    if (text) (this.texts ??= new Map()).set(price, text);
    else this.texts?.delete(price);
  }

  /**
   * Takes a whole side in any order. Duplicate prices and zero sizes are kept as they came (the row checks flag them); the
   * sort is stable, so the venue's order among equals stays.
   */
  replace(levels: readonly { readonly price: Micro; readonly size: Micro; readonly text: Text | null }[]): void {
    const { direction } = this;
    let ordered = levels;
    for (let at = 1; at < levels.length; at++) {
      if ((levels[at]!.price - levels[at - 1]!.price) * direction < 0) {
        ordered = [...levels].sort((a, b) => (a.price - b.price) * direction);
        break;
      }
    }
    const count = ordered.length;
    const prices = new Array<Micro>(count);
    const sizes = new Array<Micro>(count);
    this.texts = null;
    for (let at = 0; at < count; at++) {
      const level = ordered[at]!;
      prices[at] = level.price;
      sizes[at] = level.size;
      if (level.text) (this.texts ??= new Map()).set(level.price, level.text);
    }
    this.prices = prices;
    this.sizes = sizes;
  }

  clear(): void {
    this.prices = [];
    this.sizes = [];
    this.texts = null;
  }

  /** Adds this side's exceptions, by level. */
  exceptions(into: TextException[]): void {
    if (!this.texts) return;
    for (const [price, text] of this.texts) {
      const level = this.find(price);
      if (level >= 0) into.push({ side: this.name, level, price: text.price, size: text.size });
    }
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
  return formatMicro(nativePrice, priceFormat) === price && formatMicro(sizeValue, sizeFormat) === size ? null : { price, size };
}
