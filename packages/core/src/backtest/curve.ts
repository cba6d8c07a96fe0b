// Lines of a report in bounded memory: the range is cut into equal buckets, and each keeps the last value seen in it.

import type { Micro } from '../decimal.ts';
import type { Micros } from '../time.ts';

export const CURVE_BUCKETS = 1_000;

export class Curve<Value> {
  private readonly from: Micros;
  private readonly width: number;
  private readonly points = new Map<number, { at: Micros; value: Value }>();

  constructor(from: Micros, to: Micros) {
    this.from = from;
    this.width = Math.max(1, Math.ceil((to - from) / CURVE_BUCKETS));
  }

  add(at: Micros, value: Value): void {
    const bucket = Math.floor((at - this.from) / this.width);
    const point = this.points.get(bucket);
    if (point) {
      point.at = at;
      point.value = value;
    } else this.points.set(bucket, { at, value });
  }

  list(): readonly { readonly at: Micros; readonly value: Value }[] {
    return [...this.points.values()];
  }
}

/** Best prices of one recorded book; null where the side was empty or the book was not known. */
export type Quote = { readonly bid: Micro | null; readonly ask: Micro | null };
