// The one order of a replay: by time on the chosen clock, then by place in the log (topic, partition, offset). A merge of sorted
// runs; which run an item came from does not matter, so the order depends on the log alone.

import type { Micros, Position } from '@ladderlog/core';

export type Placed = { readonly time: Micros; readonly position: Position };

export function inOrder(left: Placed, right: Placed): number {
  return left.time - right.time || inPlace(left.position, right.position);
}

function inPlace(left: Position, right: Position): number {
  if (left.topic !== right.topic) return left.topic < right.topic ? -1 : 1;
  return left.partition - right.partition || left.offset - right.offset;
}

/** Sorted items with a cursor. */
class Run<T extends Placed> {
  readonly items: readonly T[];
  at = 0;
  constructor(items: readonly T[]) {
    this.items = items;
  }
}

export class Merge<T extends Placed> {
  private runs: Run<T>[] = [];

  /** `items` must be in order. */
  add(items: readonly T[]): void {
    if (items.length > 0) this.runs.push(new Run(items));
  }

  get size(): number {
    let size = 0;
    for (const run of this.runs) size += run.items.length - run.at;
    return size;
  }

  /** Takes up to `limit` items earlier than `before`, in order. */
  take(before: Micros, limit: number): T[] {
    const taken: T[] = [];
    while (taken.length < limit && this.runs.length > 0) {
      const { first, second } = this.heads();
      const bound = second === null ? null : second.items[second.at]!;
      let stopped = false;
      // As long as this run is ahead of the next one, no other needs to be looked at.
      while (first.at < first.items.length && taken.length < limit) {
        const item = first.items[first.at]!;
        if (item.time >= before) {
          stopped = true;
          break;
        }
        if (bound !== null && inOrder(item, bound) > 0) break;
        taken.push(item);
        first.at++;
      }
      if (first.at >= first.items.length) this.runs = this.runs.filter((run) => run !== first);
      if (stopped) break;
    }
    return taken;
  }

  private heads(): { first: Run<T>; second: Run<T> | null } {
    let first = this.runs[0]!;
    let second: Run<T> | null = null;
    for (let at = 1; at < this.runs.length; at++) {
      const run = this.runs[at]!;
      if (inOrder(run.items[run.at]!, first.items[first.at]!) < 0) {
        second = first;
        first = run;
      } else if (second === null || inOrder(run.items[run.at]!, second.items[second.at]!) < 0) second = run;
    }
    return { first, second };
  }
}
