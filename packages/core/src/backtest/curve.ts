// Lines of a report in bounded memory: time is cut into equal buckets, and each keeps the last value seen in it. When there are
// too many the buckets are doubled, so a line is as fine as its own length allows. The first value is always kept.

import type { Micro } from '../kernel/decimal.ts';
import type { Micros } from '../kernel/time.ts';

const CURVE_POINTS = 1_000;
/** A tenth of a second to begin with. */
const FINEST: Micros = 100_000;

type Point<Value> = { readonly at: Micros; readonly value: Value };

export class Curve<Value> {
  private width = FINEST;
  private first: Point<Value> | null = null;
  private points = new Map<number, Point<Value>>();

  /** Times do not go back. */
  add(at: Micros, value: Value): void {
    this.first ??= { at, value };
    this.points.set(Math.floor(at / this.width), { at, value });
    while (this.points.size > CURVE_POINTS) this.widen();
  }

  private widen(): void {
    this.width *= 2;
    const points = new Map<number, Point<Value>>();
    for (const point of this.points.values()) points.set(Math.floor(point.at / this.width), point);
    this.points = points;
  }

  list(): readonly Point<Value>[] {
    const points = [...this.points.values()];
    const { first } = this;
    return first && points[0]!.at > first.at ? [first, ...points] : points;
  }
}

/** Best prices of one recorded book; null where the side was empty or the book was not known. */
export type Quote = { readonly bid: Micro | null; readonly ask: Micro | null };
