// When the next item is due: as fast as it goes, or at n times the speed of the recording. Pausing holds the clock; changing the
// speed goes on from the moment reached.

import type { Micros } from '@ladderlog/core';

export type Speed = number | 'max';

/** Milliseconds that only go forward; tests pass their own. */
export type Timer = {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

export const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    }),
};

/** A long wait is cut, so that a new speed is heeded. */
const LONGEST_SLEEP_MS = 250;

export class Pace {
  private readonly timer: Timer;
  private speed: Speed;
  private anchor: { readonly time: Micros; readonly wall: number } | null = null;
  private reached: Micros | null = null;
  private paused: { wake: () => void; readonly until: Promise<void> } | null = null;

  constructor(speed: Speed, timer: Timer = systemTimer) {
    this.speed = speed;
    this.timer = timer;
  }

  get isPaused(): boolean {
    return this.paused !== null;
  }

  get currentSpeed(): Speed {
    return this.speed;
  }

  setSpeed(speed: Speed): void {
    this.speed = speed;
    this.anchor = this.reached === null ? null : { time: this.reached, wall: this.timer.now() };
  }

  pause(): void {
    if (this.paused) return;
    let wake: () => void = () => {};
    const until = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.paused = { wake, until };
  }

  resume(): void {
    const { paused } = this;
    this.paused = null;
    this.setSpeed(this.speed);
    paused?.wake();
  }

  /** The stream jumps: the next item is due at once. */
  jump(): void {
    this.anchor = null;
    this.reached = null;
  }

  /** Resolved when an item of this time is due; null when it is due now. */
  due(time: Micros, signal: AbortSignal): Promise<void> | null {
    if (!this.paused && this.speed === 'max') {
      this.reached = time;
      return null;
    }
    return this.wait(time, signal);
  }

  private async wait(time: Micros, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.paused) {
        await Promise.race([this.paused.until, aborted(signal)]);
        continue;
      }
      if (this.speed === 'max') break;
      this.anchor ??= { time, wall: this.timer.now() };
      const at = this.anchor.wall + (time - this.anchor.time) / 1_000 / this.speed;
      const left = at - this.timer.now();
      if (left <= 0) break;
      await this.timer.sleep(Math.min(left, LONGEST_SLEEP_MS), signal);
      // Where a new speed or a pause goes on from.
      const { anchor, currentSpeed } = this;
      if (!this.isPaused && anchor && currentSpeed !== 'max')
        this.reached = Math.min(time, anchor.time + (this.timer.now() - anchor.wall) * 1_000 * currentSpeed);
    }
    this.reached = time;
  }
}

/** Resolved when it is. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
