// Quantiles of clock offsets without keeping them: counts in buckets whose width grows with the value, under one per cent of it.

import type { Micros } from '@ladderlog/core';

const STEPS = 128;

export class OffsetCounts {
  private readonly buckets = new Map<number, number>();
  private total = 0;
  private least = Infinity;
  private most = -Infinity;

  add(offset: Micros): void {
    this.total++;
    if (offset < this.least) this.least = offset;
    if (offset > this.most) this.most = offset;
    const bucket = bucketOf(offset);
    this.buckets.set(bucket, (this.buckets.get(bucket) ?? 0) + 1);
  }

  get count(): number {
    return this.total;
  }

  /** Microseconds; null when nothing was counted. The ends are exact, the rest to within one per cent. */
  quantile(part: number): Micros | null {
    if (this.total === 0) return null;
    if (part <= 0) return this.least;
    if (part >= 1) return this.most;
    const wanted = Math.ceil(part * this.total);
    let passed = 0;
    for (const bucket of [...this.buckets.keys()].sort((a, b) => a - b)) {
      passed += this.buckets.get(bucket)!;
      if (passed >= wanted) return Math.min(this.most, Math.max(this.least, valueOf(bucket)));
    }
    return this.most;
  }
}

/** Ascending with the value; 128 buckets to each doubling. */
function bucketOf(offset: Micros): number {
  const size = Math.abs(offset);
  const bucket = size < STEPS ? size : STEPS + Math.floor(Math.log2(size / STEPS) * STEPS);
  return offset < 0 ? -bucket : bucket;
}

function valueOf(bucket: number): Micros {
  const size = Math.abs(bucket);
  const value = size < STEPS ? size : Math.round(STEPS * 2 ** ((size - STEPS + 0.5) / STEPS));
  return bucket < 0 ? -value : value;
}
