// One venue, one loop: keep the catalogue current, watch what should be watched, stop what ended, beat, and after a crash
// begin with the gap. Everything venue-specific is in the driver; everything about meaning is in core.

import type { Evidence, Finding, Session, VenueEvent, VenueRequest } from '@ladderlog/core';
import { Capture, LadderlogError, MICROS_PER_MS } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { CollectorStatus } from './collector-status.ts';
import { countBooks, stateOf } from './collector-status.ts';
import type { RestEndpoint, VenueDriver } from './driver.ts';
import type { Outbox } from './outbox.ts';
import { Poller } from './poller.ts';
import { Prober } from './prober.ts';
import { AdaptiveRate } from '../venue/rate.ts';
import type { RestAnswer } from '../venue/rest.ts';
import { Rest, pause } from '../venue/rest.ts';
import type { Clocks } from './session-clock.ts';
import { SessionClock } from './session-clock.ts';
import { Stream } from './stream.ts';
import { WatchList } from './watch-list.ts';

export type CollectorOptions = {
  readonly driver: VenueDriver;
  readonly endpoints: Readonly<Record<string, RestEndpoint>>;
  readonly outbox: Outbox;
  readonly clocks: Clocks;
  readonly logger: Logger;
  readonly collector: string;
  /** What the log says was watched when it ended. */
  readonly evidence: readonly Evidence[];
  readonly newSessionId: () => string;
  readonly beatMs: number;
  readonly restateMs: number;
  readonly clockJumpMs: number;
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /** How long to go on asking for a resolution. */
  readonly patienceMs: number;
};

/** Rounds of samples that may fail before they are in a gap. */
const SAMPLES_MISSED = 3;

export class Collector {
  private readonly options: CollectorOptions;
  private readonly capture: Capture;
  private readonly running = new Set<Promise<void>>();
  private readonly poller: Poller | null;
  private readonly list: WatchList;
  private restSession: Session;
  private restClock: SessionClock;
  private rests: Readonly<Record<string, Rest>> = {};
  private readonly rates: AdaptiveRate[] = [];
  private runSignal: AbortSignal | null = null;
  private discovered = false;
  private frames = 0;
  private lastFrameAt: number | null = null;
  private beatAt: number | null = null;

  constructor(options: CollectorOptions) {
    this.options = options;
    const { driver, outbox, evidence, patienceMs } = options;
    const capture = new Capture({
      adapter: driver.adapter,
      collector: options.collector,
      provenance: 'captured',
    });
    this.capture = capture;
    this.restClock = new SessionClock(options.clocks);
    this.restSession = capture.openSession(options.newSessionId());
    const current = () => ({ session: this.restSession, clock: this.restClock });
    this.poller = driver.poll
      ? new Poller({ poll: driver.poll, capture, outbox, ask: (request) => this.ask(request), current })
      : null;
    this.list = new WatchList({
      driver,
      capture,
      outbox,
      poller: this.poller,
      openStream: (shard) => this.openStream(shard),
      current,
      evidence,
      patienceMs,
    });
    this.push(capture.recover(evidence, this.restSession.id, this.restClock.now()));
  }

  private push(events: readonly VenueEvent[]): void {
    this.options.outbox.push(events);
  }

  /** Resolves when the signal aborts and everything is stopped. */
  async run(signal: AbortSignal): Promise<void> {
    const { options } = this;
    const { driver, logger } = options;
    this.runSignal = signal;
    this.rests = Object.fromEntries(
      Object.entries(options.endpoints).map(([source, endpoint]) => [
        source,
        this.openRest(source, endpoint, signal),
      ]),
    );
    const loops = [
      this.every(driver.discoverMs, signal, 'discover', () => this.discover()),
      this.every(options.beatMs, signal, 'beat', async () => this.beat()),
      this.every(options.restateMs, signal, 'restate', async () => {
        if (!options.outbox.blocked) this.push(this.capture.restate(this.restSession, this.restClock.now()));
      }),
    ];
    if (driver.sample)
      loops.push(
        this.every(driver.discoverMs, signal, 'sample', () =>
          driver.sample!((request) => this.ask(request), this.list.watched()),
        ),
      );
    if (this.poller) loops.push(this.poller.run(signal));
    const { probe, compareMs } = driver;
    if (probe) {
      const prober = new Prober({
        driver: { ...driver, probe },
        capture: this.capture,
        streams: this.list.streams,
        rest: (source) => this.rests[source]!,
        logger,
      });
      loops.push(
        this.every(Math.max(50, Math.min(1_000, driver.quietMs / 4)), signal, 'quiet', async () => {
          await prober.seedMissing();
          await prober.compareTokens();
          await prober.probeQuiet();
        }),
      );
      if (compareMs !== null)
        loops.push(this.every(compareMs, signal, 'compare', () => prober.compareInTurn(compareMs, signal)));
    }
    try {
      await Promise.all(loops);
      await Promise.all(this.running);
    } finally {
      const at = this.restClock.now();
      this.push([...this.restSession.beat('polled'), ...this.restSession.stop(at, 'shutdown')]);
    }
  }

  private openRest(source: string, endpoint: RestEndpoint, signal: AbortSignal): Rest {
    const { baseUrl, perSecond, burst, sign } = endpoint;
    const rate = new AdaptiveRate({ perSecond, burst }, performance.now());
    this.rates.push(rate);
    return new Rest({
      source,
      baseUrl,
      rate,
      logger: this.options.logger,
      signal,
      push: (events) => this.push(events),
      outbox: this.options.outbox,
      ...(sign ? { sign } : {}),
    });
  }

  /** Runs a task now and then again, a while after it ended. What a venue does never ends the loop; a fault of ours does. */
  private async every(
    ms: number,
    signal: AbortSignal,
    name: string,
    task: () => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await task();
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof LadderlogError)) throw error;
        this.options.logger.warn(
          { event: 'collector.task_failed', venue: this.options.driver.venue, task: name, code: error.code },
          error.message,
        );
      }
      await pause(ms, signal);
    }
  }

  private async ask(request: VenueRequest): Promise<RestAnswer> {
    const answer = await this.rests[request.source]!.ask(this.restSession, this.restClock, request);
    this.saw();
    if (!answer.ok)
      this.options.logger.debug(
        { event: 'venue.refused', venue: this.options.driver.venue, status: answer.status },
        answer.detail,
      );
    else this.onFindings(answer.findings);
    return answer;
  }

  private saw(): void {
    this.frames++;
    this.lastFrameAt = this.restClock.now();
  }

  private async discover(): Promise<void> {
    const { driver } = this.options;
    await driver.discover((request) => this.ask(request), this.restClock.now());
    this.discovered = true;
    this.list.retarget();
    const waiting = this.list.awaitingResolution();
    if (waiting.length > 0) {
      await driver.resolve((request) => this.ask(request), waiting);
      this.list.retarget();
    }
  }

  private openStream(shard: number): Stream {
    const { options } = this;
    if (!this.runSignal) throw new LadderlogError('INTERNAL', 'a stream before the collector runs');
    const stream = new Stream(options.driver.stream!.spec(shard), {
      capture: this.capture,
      outbox: options.outbox,
      clocks: options.clocks,
      logger: options.logger,
      newSessionId: options.newSessionId,
      beatMs: options.beatMs,
      clockJumpMs: options.clockJumpMs,
      backoff: options.backoff,
      onFindings: (findings) => this.onFindings(findings),
      onFrame: () => this.saw(),
    });
    const task = stream.run(this.runSignal).finally(() => this.running.delete(task));
    this.running.add(task);
    return stream;
  }

  private onFindings(findings: readonly Finding[]): void {
    for (const finding of findings)
      if (finding.type === 'end') this.list.ended(finding.market, finding.reason);
  }

  private beat(): void {
    this.push(this.restSession.beat('polled'));
    this.openStarvedSamples();
    this.beatAt = this.restClock.now();
    const driftMs = this.restClock.drift() / MICROS_PER_MS;
    if (Math.abs(driftMs) > this.options.clockJumpMs)
      this.restartRest(`the wall clock moved by ${Math.round(driftMs)} ms`);
  }

  /** Samples by REST come with every discovery. While it gives nothing, quiet is no news. */
  private openStarvedSamples(): void {
    const { driver } = this.options;
    const refusal = Object.values(this.rests).find((rest) => rest.refusal)?.refusal;
    if (!driver.sample || !refusal) return;
    const { cause, detail } = refusal;
    const now = this.restClock.now();
    for (const { dataset, session, market, lastEvidence, gap } of this.capture.tracks.all()) {
      if (dataset !== 'samples' || session !== this.restSession.id || gap) continue;
      if (now - lastEvidence > SAMPLES_MISSED * driver.discoverMs * MICROS_PER_MS)
        this.push(this.restSession.broke(cause, now, detail, { scope: 'venue', market, from: lastEvidence }));
    }
  }

  /** Polling goes on under a new session with the new wall clock; what it watched is in a gap across the jump. */
  private restartRest(detail: string): void {
    this.push(this.restSession.broke('clock_jump', this.restClock.now(), detail, { scope: 'collector' }));
    this.capture.closeSession(this.restSession);
    this.restClock = new SessionClock(this.options.clocks);
    this.restSession = this.capture.openSession(this.options.newSessionId());
    this.options.logger.warn({ event: 'collector.clock_jump', venue: this.options.driver.venue }, detail);
  }

  status(): CollectorStatus {
    const { streams } = this.list;
    const books = countBooks(this.capture.tracks.all());
    const connected = this.poller !== null || streams.length === 0 || streams.some(({ open }) => open);
    return {
      venue: this.options.driver.venue,
      state: stateOf(this.discovered, connected, books.gapsOpen),
      markets: this.list.watched().length,
      ...books,
      frames: this.frames,
      lastFrameAt: this.lastFrameAt,
      beatAt: this.beatAt,
      readsPerSecond: this.rates[0]?.perSecond ?? null,
    };
  }
}
