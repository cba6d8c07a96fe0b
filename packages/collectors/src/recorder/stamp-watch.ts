// Watches whether this process stamps in time. One for all venues of a recorder: what holds up the loop holds up all of them.
// Every reading of a session's clock is judged before it is used, since after a stop the sockets may speak before any timer.

import { uptime } from 'node:os';

import type { Micros } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { Clocks } from './session-clock.ts';
import { SuspendClock } from './suspend-clock.ts';
import { StampJudge } from './stamp-judge.ts';

/** The recorder was held up, by the monotonic clock of these clocks. The stamp that showed it is that of `noticedAt`. */
export type Stall = { readonly since: number; readonly noticedAt: number; readonly detail: string };

/** Whoever stamps: told before the stamp that shows the stall is used. */
export type Stamping = {
  stall(stall: Stall): void;
  /** After a tick in time. `rested`: the loop had nothing to do for a while. True when all of it has caught up. */
  catchUp(rested: boolean): boolean;
  /** Of the stall that is over. */
  readonly lateFrames: number;
};

export type StampStatus = {
  /** The largest delay of a stamp lately. */
  readonly delayMs: number;
  readonly stalledSince: Micros | null;
  readonly stalls: number;
  readonly lateFrames: number;
};

export type StampWatchOptions = {
  readonly limitMs: number;
  readonly clocks: Clocks;
  readonly logger: Logger;
  /** How long the loop has waited for input, in all, milliseconds. */
  readonly idle?: () => number;
  /** Time since the machine was started, suspends included, milliseconds. */
  readonly sinceBoot?: () => number;
};

/** The largest delay is told of this and of the last stretch. */
const LATELY_MS = 10_000;

export class StampWatch {
  /** What sessions must stamp with. */
  readonly clocks: Clocks;
  private readonly options: StampWatchOptions;
  private readonly wakeful: SuspendClock;
  private readonly idle: () => number;
  private readonly judge: StampJudge;
  private readonly members = new Set<Stamping>();
  private ticker: NodeJS.Timeout | null = null;
  private marking = false;
  /** When the clock was last read. */
  private readAt = 0;
  private stalled: Stall | null = null;
  private stalls = 0;
  private lateFrames = 0;
  private lately = { since: 0, largest: 0, before: 0 };

  constructor(options: StampWatchOptions) {
    this.options = options;
    this.idle = options.idle ?? (() => performance.nodeTiming.idleTime);
    this.wakeful = new SuspendClock(options.clocks, options.sinceBoot ?? (() => uptime() * 1_000));
    this.judge = new StampJudge(options.limitMs, this.reading(this.wakeful.now()));
    this.clocks = {
      wall: options.clocks.wall,
      monotonic: () => this.look(),
      stampDelay: () => this.lastDelay(),
    };
  }

  get limitMs(): number {
    return this.judge.limitMs;
  }

  /** Gives what ends it. */
  join(member: Stamping): () => void {
    this.members.add(member);
    return () => this.members.delete(member);
  }

  start(): void {
    this.judge.turned(this.reading(this.wakeful.now()));
    this.ticker ??= setInterval(() => this.tick(), this.judge.tickMs).unref();
  }

  stop(): void {
    if (this.ticker) clearInterval(this.ticker);
    this.ticker = null;
  }

  /**
   * Messages of a connection have become older than usual by more than the limit. While our own loop is on time, that is the
   * venue's or the network's doing; when it has no rest, it is ours.
   */
  agesRose(): void {
    const now = this.look();
    if (this.stalled || !this.judge.isSaturated(now)) return;
    this.stall(now, 'the recorder cannot keep up: messages wait to be read');
  }

  tick(): void {
    const now = this.judged();
    const rested = this.judge.ticked(this.reading(now));
    if (!this.stalled) return;
    let done = true;
    for (const member of this.members) done = member.catchUp(rested) && done;
    if (done) this.end(this.stalled, now);
  }

  status(): StampStatus {
    const { stalled, stalls, lateFrames } = this;
    this.judged();
    this.note(0);
    return {
      delayMs: Math.max(this.lately.largest, this.lately.before),
      stalledSince: stalled && this.wallOf(stalled.since),
      stalls,
      lateFrames,
    };
  }

  /** The time now; that of a stop that is over is noticed here. */
  private look(): number {
    if (!this.marking) {
      this.marking = true;
      setImmediate(() => {
        this.marking = false;
        this.judge.turned(this.reading(this.judged()));
      });
    }
    return this.judged();
  }

  private judged(): number {
    const now = (this.readAt = this.wakeful.now());
    if (this.judge.isSurelyInTime(now)) return now;
    const reading = this.reading(now);
    if (this.judge.isLate(reading)) {
      const slept = this.wakeful.takeSlept();
      const heldMs = Math.round(now - this.judge.turnedAt);
      const what = slept > 0 ? 'the machine was suspended' : 'the recorder did not run';
      this.stall(now, `${what} for ${heldMs} ms`);
    }
    return now;
  }

  private stall(now: number, detail: string): void {
    const since = this.judge.turnedAt;
    const stall = { since, noticedAt: now, detail };
    this.note(this.judge.delay(this.reading(now)));
    // From here on the clock is read again by those who are told.
    this.judge.turned(this.reading(now));
    this.stalls++;
    this.stalled ??= stall;
    this.options.logger.warn(
      { event: 'recorder.stalled', forMs: Math.round(now - since), limitMs: this.limitMs },
      `${detail}; what came meanwhile is in a gap`,
    );
    for (const member of this.members) member.stall(stall);
  }

  private end({ since }: Stall, now: number): void {
    this.stalled = null;
    let frames = 0;
    for (const member of this.members) frames += member.lateFrames;
    this.lateFrames += frames;
    this.options.logger.warn(
      { event: 'recorder.drained', forMs: Math.round(now - since), lateFrames: frames },
      'what had piled up is read; stamps are in time again',
    );
  }

  private reading(now: number): { readonly now: number; readonly idle: number } {
    return { now, idle: this.idle() };
  }

  /** Of the stamp that was made last. */
  private lastDelay(): Micros {
    const delay = this.judge.delay(this.reading(this.readAt));
    this.note(delay);
    return Math.round(delay * MICROS_PER_MS);
  }

  private note(delayMs: number): void {
    const { lately, readAt: now } = this;
    if (now - lately.since > LATELY_MS)
      this.lately = {
        since: now,
        largest: 0,
        before: now - lately.since > 2 * LATELY_MS ? 0 : lately.largest,
      };
    if (delayMs > this.lately.largest) this.lately.largest = delayMs;
  }

  private wallOf(monotonic: number): Micros {
    return this.clocks.wall() - Math.round((this.wakeful.now() - monotonic) * MICROS_PER_MS);
  }
}
