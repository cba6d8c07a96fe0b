// The holes of a recording, as the engine asks about them: is this moment inside one? Known before the run begins, because a gap
// is often recorded after it began; they are used to refuse, never shown to a strategy early.

import type { GapRow, Interval } from '../capture/coverage.ts';
import type { Micros } from '../kernel/time.ts';

export class Holes {
  private readonly byMarket = new Map<string, Map<string, Interval[]>>();

  constructor(gaps: readonly GapRow[]) {
    for (const gap of gaps) {
      if (gap.dataset !== 'books') continue;
      const outcomes = this.byMarket.get(gap.market) ?? new Map<string, Interval[]>();
      this.byMarket.set(gap.market, outcomes);
      const list = outcomes.get(gap.outcome) ?? [];
      outcomes.set(gap.outcome, list);
      list.push({ from: gap.from_at, to: gap.to_at ?? Infinity });
    }
    for (const outcomes of this.byMarket.values())
      for (const [outcome, list] of outcomes) outcomes.set(outcome, union(list));
  }

  /** Strictly inside: both edges of a gap are observed moments. */
  has(market: string, outcome: string, at: Micros): boolean {
    const outcomes = this.byMarket.get(market);
    if (!outcomes) return false;
    return contains(outcomes.get(outcome), at) || contains(outcomes.get(''), at);
  }
}

/** Touching gaps stay apart: the moment between them was observed. */
function union(list: readonly Interval[]): Interval[] {
  const merged: { from: Micros; to: Micros }[] = [];
  for (const { from, to } of [...list].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = merged.at(-1);
    if (last && from < last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

function contains(list: readonly Interval[] | undefined, at: Micros): boolean {
  if (!list) return false;
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]!.from < at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at < list[low - 1]!.to;
}
