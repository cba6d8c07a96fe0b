// Books by polling: the plan says which book is next, the rate says when, and what gets no answer in
// time is in a gap.

import type { Capture, CollectPlan, Session, Target, Track } from '@ladderlog/core';
import { sameLadders } from '@ladderlog/core';

import type { Outbox } from './outbox.ts';
import { PollPlan } from './poll-plan.ts';
import type { Ask } from '../venue/rest.ts';
import { pause } from '../venue/pause.ts';
import type { SessionClock } from './session-clock.ts';

export type PollerOptions = {
  readonly poll: NonNullable<CollectPlan['poll']>;
  /** A book older than this is in a gap. */
  readonly staleMs: number;
  readonly capture: Capture;
  readonly outbox: Outbox;
  readonly ask: Ask;
  /** The session that polls now; a clock jump changes it. */
  readonly current: () => { readonly session: Session; readonly clock: SessionClock };
};

const IN_FLIGHT = 8;

export class Poller {
  private readonly options: PollerOptions;
  private readonly plan: PollPlan;
  private outcomes: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(options: PollerOptions) {
    this.options = options;
    this.plan = new PollPlan(options.poll.limits);
  }

  /** What to poll from now on. */
  set(targets: readonly Target[]): void {
    const { session, clock } = this.options.current();
    this.outcomes = new Map(targets.map(({ market, outcomes }) => [market, outcomes]));
    for (const { market, outcomes } of targets)
      for (const outcome of outcomes) session.watch(market, outcome, clock.now());
    this.plan.set(this.outcomes.keys(), performance.now());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { outbox } = this.options;
    const inFlight = new Set<Promise<void>>();
    while (!signal.aborted) {
      this.openStarved();
      if (outbox.blocked) {
        const { session, clock } = this.options.current();
        outbox.push(
          session.openGaps('log_unavailable', clock.now(), 'the log does not accept and the buffer is full', {
            scope: 'collector',
          }),
        );
        await Promise.race([outbox.unblocked(), pause(60_000, signal)]);
        continue;
      }
      const next = this.plan.next(performance.now());
      if ('waitMs' in next || inFlight.size >= IN_FLIGHT) {
        await Promise.race([pause('waitMs' in next ? next.waitMs : 1_000, signal), ...inFlight]);
        continue;
      }
      this.plan.asked(next.market, performance.now());
      const task = this.pollOne(next.market)
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
        })
        .finally(() => inFlight.delete(task));
      inFlight.add(task);
    }
    await Promise.allSettled(inFlight);
  }

  private openStarved(): void {
    const { outbox, staleMs } = this.options;
    const { session, clock } = this.options.current();
    for (const { market, cause, detail } of this.plan.starved(performance.now(), staleMs)) {
      const covered = this.tracks(market).filter(({ started, gap }) => started && !gap);
      if (covered.length === 0) continue;
      const from = Math.min(...covered.map(({ lastEvidence }) => lastEvidence));
      outbox.push(session.openGaps(cause, clock.now(), detail, { scope: 'venue', market, from }));
    }
  }

  private tracks(market: string): Track[] {
    const { tracks } = this.options.capture;
    return (this.outcomes.get(market) ?? []).flatMap((outcome) => tracks.get('books', market, outcome) ?? []);
  }

  private async pollOne(market: string): Promise<void> {
    const before = new Map(this.tracks(market).map(({ outcome, lastBook }) => [outcome, lastBook]));
    const answer = await this.options.ask(this.options.poll.request(market));
    const nowMs = performance.now();
    if (!answer.ok) {
      this.plan.failed(market, nowMs, answer.cause, answer.detail);
      return;
    }
    const books = answer.findings.filter((finding) => finding.type === 'book' && finding.market === market);
    if (books.length === 0) this.plan.failed(market, nowMs, 'venue_error', 'the answer held no book');
    else
      this.plan.succeeded(
        market,
        nowMs,
        books.some((book) => book.type === 'book' && !sameLadders(book, before.get(book.outcome) ?? null)),
      );
  }
}
