// When to ask for which book next, under a quota. No fixed tick: a book that changed is asked for sooner, one that did not
// later, and what the quota cannot serve waits its turn, oldest first. Pure: time is an argument.

import type { PollLimits } from '@ladderlog/core';

type Entry = {
  intervalMs: number;
  dueMs: number;
  succeededMs: number;
  failure: { cause: 'quota' | 'venue_error'; detail: string } | null;
};

export class PollPlan {
  private readonly limits: PollLimits;
  private readonly entries = new Map<string, Entry>();

  constructor(limits: PollLimits) {
    this.limits = limits;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Markets to poll from now on; others are forgotten. */
  set(markets: Iterable<string>, nowMs: number): void {
    const wanted = new Set(markets);
    for (const market of this.entries.keys()) if (!wanted.has(market)) this.entries.delete(market);
    for (const market of wanted) {
      if (!this.entries.has(market))
        this.entries.set(market, {
          intervalMs: this.limits.startMs,
          dueMs: nowMs,
          succeededMs: nowMs,
          failure: null,
        });
    }
  }

  /** The market most overdue, or how long until one is due. */
  next(nowMs: number): { readonly market: string } | { readonly waitMs: number } {
    let first: string | null = null;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const [market, entry] of this.entries) {
      if (entry.dueMs < dueMs) {
        first = market;
        dueMs = entry.dueMs;
      }
    }
    if (first === null) return { waitMs: 1_000 };
    return dueMs <= nowMs ? { market: first } : { waitMs: Math.min(1_000, dueMs - nowMs) };
  }

  /** Asked for: not again before it is answered, or a minute passes. */
  asked(market: string, nowMs: number): void {
    const entry = this.entries.get(market);
    if (entry) entry.dueMs = nowMs + 60_000;
  }

  succeeded(market: string, nowMs: number, changed: boolean): void {
    const entry = this.entries.get(market);
    if (!entry) return;
    const { minMs, maxMs } = this.limits;
    entry.intervalMs = changed
      ? Math.max(minMs, entry.intervalMs / 2)
      : Math.min(maxMs, entry.intervalMs * 1.5);
    entry.dueMs = nowMs + entry.intervalMs;
    entry.succeededMs = nowMs;
    entry.failure = null;
  }

  failed(market: string, nowMs: number, cause: 'quota' | 'venue_error', detail: string): void {
    const entry = this.entries.get(market);
    if (!entry) return;
    entry.dueMs = nowMs + Math.min(this.limits.maxMs, entry.intervalMs);
    entry.failure = { cause, detail };
  }

  /** Markets without a book for longer than the limit, and why: what was not refused was starved by the quota. */
  starved(
    nowMs: number,
    limitMs: number,
  ): { readonly market: string; readonly cause: 'quota' | 'venue_error'; readonly detail: string }[] {
    const found: { market: string; cause: 'quota' | 'venue_error'; detail: string }[] = [];
    for (const [market, { succeededMs, failure }] of this.entries) {
      if (nowMs - succeededMs > limitMs)
        found.push({
          market,
          ...(failure ?? { cause: 'quota' as const, detail: 'no call left for this market' }),
        });
    }
    return found;
  }
}
