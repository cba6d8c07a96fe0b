// How old a venue's messages are when they are received: our clock minus the time that the venue states. It says how far away the
// venue is and how far its clock is off; it is no delay of ours.

import type { Micros } from '../kernel/time.ts';

/** The newest so many count. */
const KEPT = 256;
const SPAN: Micros = 60_000_000;

export class MessageAges {
  private readonly ages = new Float64Array(KEPT);
  private readonly times = new Float64Array(KEPT);
  private next = 0;

  add(observedAt: Micros, sourceTs: Micros): void {
    const at = this.next++ % KEPT;
    this.ages[at] = observedAt - sourceTs;
    this.times[at] = observedAt;
  }

  /** The median of the minute before `now`; null where there was none. */
  median(now: Micros): Micros | null {
    const count = Math.min(this.next, KEPT);
    const newest: Micros[] = [];
    for (let at = 0; at < count; at++) if (this.times[at]! > now - SPAN) newest.push(this.ages[at]!);
    newest.sort((a, b) => a - b);
    return newest[newest.length >> 1] ?? null;
  }
}
