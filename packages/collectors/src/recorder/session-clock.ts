// Our clock for one session: the wall clock read once at its start, then the monotonic clock. So observed_at never steps
// back within a session, and a wall clock that is set meanwhile shows as a difference between the two.

import type { Micros } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';

export type Clocks = {
  /** Wall clock, microseconds. */
  readonly wall: () => Micros;
  /** Monotonic clock, milliseconds with fraction. */
  readonly monotonic: () => number;
  /** How late the last reading may be, as a stamp; absent where nobody watches it. */
  readonly stampDelay?: () => Micros;
};

export const systemClocks: Clocks = {
  wall: () => Date.now() * MICROS_PER_MS,
  monotonic: () => performance.now(),
};

export class SessionClock {
  private readonly clocks: Clocks;
  private readonly base: Micros;
  private readonly start: number;

  constructor(clocks: Clocks) {
    this.clocks = clocks;
    this.base = clocks.wall();
    this.start = clocks.monotonic();
  }

  now(): Micros {
    return this.at(this.clocks.monotonic());
  }

  /** The moment that the monotonic clock showed then. */
  at(monotonic: number): Micros {
    return this.base + Math.round((monotonic - this.start) * MICROS_PER_MS);
  }

  /** Of the stamp made last; null where nobody watches it. */
  stampDelay(): Micros | null {
    return this.clocks.stampDelay?.() ?? null;
  }

  /** Microseconds by which the wall clock moved against this session's; slow drift is no jump, the caller has a limit. */
  drift(): number {
    return this.clocks.wall() - this.now();
  }
}
