// One connection after a stall: a gap on all that it watches, a ping behind what has piled up, and when that is read, its books
// as they stand or the question for fresh ones.

import type { GapCause, Session, VenueEvent } from '@ladderlog/core';

import { Backlog } from './backlog.ts';
import type { SessionClock } from './session-clock.ts';
import type { Stall } from './stamp-watch.ts';

export type CatchingUpOptions = {
  readonly limitMs: number;
  /** The connection that there is now; null: none. */
  readonly current: () => { readonly session: Session; readonly clock: SessionClock } | null;
  /** False when it is not open. */
  readonly ping: (text: string) => boolean;
  readonly push: (events: readonly VenueEvent[]) => void;
  readonly resync: (markets: readonly string[]) => void;
  readonly abandon: (cause: GapCause, detail: string) => void;
  /** Milliseconds; of the process unless told otherwise. */
  readonly monotonic?: () => number;
};

export class CatchingUp {
  private readonly options: CatchingUpOptions;
  private readonly backlog: Backlog;
  private readonly now: () => number;
  /** Of the last stall. */
  lateFrames = 0;

  constructor(options: CatchingUpOptions) {
    this.options = options;
    this.backlog = new Backlog(options.limitMs);
    this.now = options.monotonic ?? (() => performance.now());
  }

  begin({ since, noticedAt, detail }: Stall): void {
    const current = this.options.current();
    this.lateFrames = 0;
    if (!current) return;
    const { session, clock } = current;
    this.options.push(session.stall(clock.at(since), clock.at(noticedAt), detail));
    this.ask();
  }

  private ask(): boolean {
    return this.options.ping(this.backlog.begin(this.now()));
  }

  /** A pong came. */
  hear(text: string): void {
    this.backlog.answer(text, this.now());
    if (this.backlog.isRead(false)) this.look(false);
  }

  /** True when nothing that piled up is left to read. */
  look(rested: boolean): boolean {
    const { backlog, options } = this;
    const current = options.current();
    if (!current?.session.isLate) return true;
    if (backlog.isGone(this.now())) {
      options.abandon('recorder_stalled', 'no sign that what had piled up is read; reconnecting');
      return true;
    }
    if (!backlog.isRead(rested)) return backlog.isAnswered && !this.ask();
    const { events, unknown, lateFrames } = current.session.catchUp(current.clock.now());
    this.lateFrames = lateFrames;
    options.push(events);
    options.resync(unknown);
    return true;
  }
}
