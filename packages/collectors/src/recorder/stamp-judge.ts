// Was this stamp made in time? Pure: readings of the clocks are given to it.
//
// The delay of a stamp is the time since the event loop last came round, less the time that it waited for input since: a message
// cannot have lain unread for longer. (The waiting is counted up to the length of a tick: a loop that waits is woken by the tick,
// so a longer wait is a process that was stopped while it waited.)

import type { Finding, MessageAges, Micros } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';

/** Milliseconds. `idle`: how long the loop has waited for input, in all. */
export type Reading = { readonly now: number; readonly idle: number };

/** A loop that waited for less than this share of a tick is taken to be busy without a rest. */
const RESTING_SHARE = 0.05;

export class StampJudge {
  readonly limitMs: number;
  readonly tickMs: number;
  private turn: Reading;
  private tick: Reading;
  private restedAt: number;

  constructor(limitMs: number, start: Reading) {
    this.limitMs = limitMs;
    this.tickMs = Math.min(100, limitMs / 8);
    this.turn = this.tick = start;
    this.restedAt = start.now;
  }

  /** The last moment at which the loop came round. */
  get turnedAt(): number {
    return this.turn.now;
  }

  /** No stamp made now can be late: the cheap answer to the usual case. */
  isSurelyInTime(now: number): boolean {
    return now - this.turn.now <= this.limitMs;
  }

  delay({ now, idle }: Reading): number {
    const waited = Math.min(this.tickMs, idle - this.turn.idle);
    return Math.max(0, now - this.turn.now - waited);
  }

  isLate(reading: Reading): boolean {
    return this.delay(reading) > this.limitMs;
  }

  /** The loop comes round. */
  turned(reading: Reading): void {
    this.turn = reading;
  }

  /** The same, and a tick is over. True when the loop had nothing to do for a part of it: all sockets were read empty. */
  ticked(reading: Reading): boolean {
    const elapsed = reading.now - this.tick.now;
    const waited = Math.min(this.tickMs, reading.idle - this.tick.idle);
    this.turn = this.tick = reading;
    const rested = waited >= Math.min(elapsed, this.tickMs) * RESTING_SHARE;
    if (rested) this.restedAt = reading.now;
    return rested;
  }

  /** The loop comes round, and has not once had nothing to do for longer than the limit. */
  isSaturated(now: number): boolean {
    return now - this.restedAt > this.limitMs;
  }
}

/** How long a baseline of message ages is kept, in two halves. */
const BASELINE_MS = 30_000;

/**
 * How old the messages of one connection are when they are stamped. When they are older than usual by more than the limit, on
 * one book after another, something holds them up: the venue, the network, or we ourselves.
 */
export class AgeRise {
  private readonly limit: Micros;
  private since = 0;
  /** The least age of the stretch before this one, and of this one. */
  private before = Infinity;
  private least = Infinity;
  private readonly seen = new Set<string>();
  private readonly risen = new Set<string>();

  constructor(limitMs: number) {
    this.limit = limitMs * MICROS_PER_MS;
  }

  /** What a frame said. Only changes count: a whole book may have the time of a change long ago. */
  hear(findings: readonly Finding[], observedAt: Micros, ages: MessageAges): boolean {
    let rose = false;
    for (const finding of findings) {
      if (finding.type !== 'book' || finding.sourceTs === null) continue;
      ages.add(observedAt, finding.sourceTs);
      if (finding.kind === 'delta') rose = this.add(finding.market, observedAt, finding.sourceTs);
    }
    return rose;
  }

  /** True while the ages of at least two books (or of the only one) have risen, and none has come in time since. */
  add(book: string, observedAt: Micros, sourceTs: Micros): boolean {
    const age = observedAt - sourceTs;
    if (observedAt - this.since > BASELINE_MS * MICROS_PER_MS) {
      this.since = observedAt;
      this.before = this.least;
      this.least = Infinity;
      this.seen.clear();
    }
    this.seen.add(book);
    const usual = Math.min(this.before, this.least);
    this.least = Math.min(this.least, age);
    if (usual === Infinity || age - usual <= this.limit) this.risen.clear();
    else this.risen.add(book);
    return this.risen.size >= Math.min(2, this.seen.size) && this.risen.size > 0;
  }
}
