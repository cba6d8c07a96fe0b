// Books by polling (venue B without a key): the plan says which book is next, the rate says when, and what gets no answer in
// time is in a gap.

import type { Capture, Session } from '@ladderlog/core';
import { sameLadders } from '@ladderlog/core';

import type { Ask, VenueDriver } from './driver.ts';
import type { Outbox } from './outbox.ts';
import { PollPlan } from './poll-plan.ts';
import { pause } from '../venue/rest.ts';
import type { SessionClock } from './session-clock.ts';

export type PollerOptions = {
  readonly poll: NonNullable<VenueDriver['poll']>;
  readonly capture: Capture;
  readonly outbox: Outbox;
  readonly ask: Ask;
  /** The session that polls now; a clock jump changes it. */
  readonly current: () => { readonly session: Session; readonly clock: SessionClock };
};

const OUTCOME = 'yes';
const IN_FLIGHT = 8;

export class Poller {
  private readonly options: PollerOptions;
  private readonly plan: PollPlan;

  constructor(options: PollerOptions) {
    this.options = options;
    this.plan = new PollPlan(options.poll.limits);
  }

  set(markets: Iterable<string>): void {
    const { session, clock } = this.options.current();
    const wanted = [...markets];
    for (const market of wanted) session.watch(market, OUTCOME, clock.now());
    this.plan.set(wanted, performance.now());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { outbox } = this.options;
    const inFlight = new Set<Promise<void>>();
    while (!signal.aborted) {
      this.openStarved();
      if (outbox.blocked) {
        const { session, clock } = this.options.current();
        outbox.push(
          session.broke('log_unavailable', clock.now(), 'the log does not accept and the buffer is full', {
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
    const { capture, outbox, poll } = this.options;
    const { session, clock } = this.options.current();
    for (const { market, cause, detail } of this.plan.starved(performance.now(), poll.staleMs)) {
      const track = capture.tracks.get('books', market, OUTCOME);
      if (!track?.started || track.gap) continue;
      outbox.push(
        session.broke(cause, clock.now(), detail, { scope: 'venue', market, from: track.lastEvidence }),
      );
    }
  }

  private async pollOne(market: string): Promise<void> {
    const before = this.options.capture.tracks.get('books', market, OUTCOME)?.lastLadders ?? null;
    const answer = await this.options.ask(this.options.poll.request(market));
    const nowMs = performance.now();
    if (!answer.ok) {
      this.plan.failed(market, nowMs, answer.cause, answer.detail);
      return;
    }
    const book = answer.findings.find((finding) => finding.type === 'book' && finding.market === market);
    if (book?.type !== 'book') this.plan.failed(market, nowMs, 'venue_error', 'the answer held no book');
    else this.plan.succeeded(market, nowMs, !sameLadders(book, before));
  }
}
