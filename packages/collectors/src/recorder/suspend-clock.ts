// The monotonic clock stands still while the machine is suspended; the wall clock does not, and neither does the time since the
// machine was started. So a wall clock that has moved ahead of the monotonic one means a suspend when the time since the start
// has moved with it, and a clock that was set when it has not.

import { MICROS_PER_MS } from '@ladderlog/core';

import type { Clocks } from './session-clock.ts';

/** The wall clock must have moved so far before the third clock is looked at, which costs a system call. */
const MOVED_MS = 250;
/** The time since the start may be known to the second only. */
const SLEPT_MS = 1_100;

export class SuspendClock {
  private readonly clocks: Pick<Clocks, 'wall' | 'monotonic'>;
  private readonly sinceBoot: () => number;
  /** Wall clock less monotonic clock when last looked at. */
  private offset: number;
  private readonly booted: number;
  private slept = 0;
  private unsaid = 0;

  constructor(clocks: Pick<Clocks, 'wall' | 'monotonic'>, sinceBoot: () => number) {
    this.clocks = clocks;
    this.sinceBoot = sinceBoot;
    const monotonic = clocks.monotonic();
    this.offset = clocks.wall() / MICROS_PER_MS - monotonic;
    this.booted = sinceBoot() - monotonic;
  }

  /** Milliseconds; goes on while the machine is suspended. */
  now(): number {
    const monotonic = this.clocks.monotonic();
    const offset = this.clocks.wall() / MICROS_PER_MS - monotonic;
    if (Math.abs(offset - this.offset) > MOVED_MS) {
      this.offset = offset;
      const slept = this.sinceBoot() - monotonic - this.booted;
      if (slept - this.slept > SLEPT_MS) {
        this.unsaid += slept - this.slept;
        this.slept = slept;
      }
    }
    return monotonic + this.slept;
  }

  /** How long the machine was suspended since this was last asked. */
  takeSlept(): number {
    const { unsaid } = this;
    this.unsaid = 0;
    return unsaid;
  }
}
