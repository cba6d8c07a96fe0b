// One venue, one loop: keep the catalogue current, watch what should be watched, stop what ended, beat, and after a crash
// begin with the gap. Everything venue-specific is in the driver; everything about meaning is in core.

import type {
  Evidence,
  Finding,
  MarketFields,
  Micros,
  Session,
  VenueEvent,
  VenueRequest,
} from '@ladderlog/core';
import { Capture, LadderlogError, MICROS_PER_MS } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { RestEndpoint, VenueDriver } from './driver.ts';
import type { Outbox } from './outbox.ts';
import { Poller } from './poller.ts';
import { Prober } from './prober.ts';
import { AdaptiveRate } from './rate.ts';
import type { RestAnswer } from './rest.ts';
import { Rest, pause } from './rest.ts';
import type { Clocks } from './session-clock.ts';
import { SessionClock } from './session-clock.ts';
import type { Target } from './stream.ts';
import { Stream } from './stream.ts';
import { awaitsResolution, chooseTargets } from './targets.ts';

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

export type CollectorStatus = {
  readonly venue: string;
  readonly state: 'starting' | 'capturing' | 'degraded' | 'disconnected';
  readonly markets: number;
  readonly books: number;
  readonly gapsOpen: number;
  readonly gapSince: number | null;
  readonly frames: number;
  readonly lastFrameAt: number | null;
  readonly beatAt: number | null;
  readonly readsPerSecond: number | null;
};

export class Collector {
  private readonly options: CollectorOptions;
  private readonly capture: Capture;
  private readonly streams: Stream[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly poller: Poller | null;
  private restSession: Session;
  private restClock: SessionClock;
  private rests: Readonly<Record<string, Rest>> = {};
  private readonly rates: AdaptiveRate[] = [];
  private readonly pending = new Map<string, Evidence[]>();
  private discovered = false;
  private frames = 0;
  private lastFrameAt: number | null = null;
  private beatAt: number | null = null;

  constructor(options: CollectorOptions) {
    this.options = options;
    const { driver } = options;
    this.capture = new Capture({
      adapter: driver.adapter,
      collector: options.collector,
      provenance: 'captured',
    });
    this.restClock = new SessionClock(options.clocks);
    this.restSession = this.capture.openSession(options.newSessionId());
    this.poller = driver.poll
      ? new Poller({
          poll: driver.poll,
          capture: this.capture,
          outbox: options.outbox,
          ask: (request) => this.ask(request),
          current: () => ({ session: this.restSession, clock: this.restClock }),
        })
      : null;
    const mine = options.evidence;
    for (const item of mine) this.pending.set(item.market, [...(this.pending.get(item.market) ?? []), item]);
    this.push(this.capture.recover(mine, this.restSession.id, this.restClock.now()));
  }

  private push(events: readonly VenueEvent[]): void {
    this.options.outbox.push(events);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { options } = this;
    const { driver, logger } = options;
    this.rests = Object.fromEntries(
      Object.entries(options.endpoints).map(([source, endpoint]) => {
        const rate = new AdaptiveRate(
          { perSecond: endpoint.perSecond, burst: endpoint.burst },
          performance.now(),
        );
        this.rates.push(rate);
        return [
          source,
          new Rest({
            source,
            baseUrl: endpoint.baseUrl,
            rate,
            logger,
            signal,
            push: (events) => this.push(events),
            ...(endpoint.sign ? { sign: endpoint.sign } : {}),
          }),
        ];
      }),
    );
    const loops = [
      this.every(driver.discoverMs, signal, 'discover', () => this.discover()),
      this.every(options.beatMs, signal, 'beat', async () => this.beat()),
      this.every(options.restateMs, signal, 'restate', async () =>
        this.push(this.capture.restate(this.restSession, this.restClock.now())),
      ),
    ];
    if (driver.sample)
      loops.push(
        this.every(driver.discoverMs, signal, 'sample', () =>
          driver.sample!((request) => this.ask(request), this.watched()),
        ),
      );
    if (this.poller) loops.push(this.poller.run(signal));
    const { probe, compareMs } = driver;
    if (probe) {
      const prober = new Prober({
        driver: { ...driver, probe },
        capture: this.capture,
        streams: this.streams,
        rest: (source) => this.rests[source]!,
        logger,
      });
      loops.push(
        this.every(Math.max(50, Math.min(1_000, driver.quietMs / 4)), signal, 'quiet', () =>
          prober.probeQuiet(),
        ),
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

  private async ask(
    request: VenueRequest,
    session = this.restSession,
    clock = this.restClock,
  ): Promise<RestAnswer> {
    const answer = await this.rests[request.source]!.ask(session, clock, request);
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
    const now = this.restClock.now();
    await driver.discover((request) => this.ask(request), now);
    this.discovered = true;
    this.retarget();
    const waiting = [...this.capture.known].filter(([, fields]) =>
      awaitsResolution(fields, this.restClock.now(), this.options.patienceMs),
    );
    if (waiting.length > 0) {
      await driver.resolve((request) => this.ask(request), waiting);
      this.retarget();
    }
  }

  private targets(now: Micros): Target[] {
    const { venue, choice } = this.options.driver;
    return chooseTargets(
      venue,
      this.capture.known,
      now,
      choice,
      (market) => this.capture.tracks.ofMarket(market).size > 0,
    );
  }

  private watched(): (readonly [string, MarketFields])[] {
    const now = this.restClock.now();
    return this.targets(now).map(({ market }) => [market, this.capture.known.get(market)!] as const);
  }

  /** Brings what is watched in line with what should be. */
  private retarget(): void {
    const { driver } = this.options;
    const now = this.restClock.now();
    const targets = this.targets(now);
    const wanted = new Set(targets.map(({ market }) => market));
    if (this.poller) {
      for (const { dataset, market } of this.capture.tracks.all()) {
        if (dataset === 'books' && !wanted.has(market))
          this.push(this.restSession.stop(now, this.whyStopped(market), market));
      }
      this.poller.set(wanted);
    }
    if (driver.stream) {
      for (const stream of this.streams) {
        const gone = [...this.capture.tracks.all()]
          .filter(({ market }) => stream.has(market) && !wanted.has(market))
          .map(({ market }) => market);
        for (const market of new Set(gone)) stream.remove([market], this.whyStopped(market));
      }
      for (const target of targets) {
        if (this.streams.some((stream) => stream.has(target.market))) continue;
        const stream = this.streams.find(({ size }) => size < driver.stream!.perSocket) ?? this.openStream();
        stream.add([target]);
      }
    }
    // Samples of markets that ended, and what a crash left open and is over by now.
    for (const track of this.capture.tracks.all()) {
      if (track.dataset !== 'samples' || wanted.has(track.market) || this.awaited(track.market)) continue;
      const closesAt = this.capture.known.get(track.market)?.closesAt ?? null;
      if (closesAt !== null && closesAt > now) continue;
      this.push(this.restSession.stop(now, this.whyStopped(track.market), track.market));
    }
    if (this.discovered) {
      for (const market of this.pending.keys()) {
        if (wanted.has(market)) continue;
        const closesAt = this.capture.known.get(market)?.closesAt ?? null;
        this.push(
          this.restSession.stop(
            closesAt !== null && closesAt < now ? closesAt : now,
            'ended_while_away',
            market,
          ),
        );
      }
      this.pending.clear();
    }
    for (const [market, fields] of this.capture.known) {
      const over =
        fields.closesAt !== null &&
        fields.closesAt + (this.options.patienceMs + 3_600_000) * MICROS_PER_MS < now;
      if (over && !wanted.has(market)) this.capture.forgetMarket(market);
    }
  }

  private awaited(market: string): boolean {
    const fields = this.capture.known.get(market);
    return fields !== undefined && awaitsResolution(fields, this.restClock.now(), this.options.patienceMs);
  }

  private whyStopped(market: string): string {
    const status = this.capture.known.get(market)?.status;
    return status === 'resolved' || status === 'voided' ? status : 'ended';
  }

  private runSignal: AbortSignal | null = null;

  private openStream(): Stream {
    const { options } = this;
    const { driver } = options;
    const stream = new Stream(driver.stream!.spec(this.streams.length), {
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
    this.streams.push(stream);
    if (!this.runSignal) throw new LadderlogError('INTERNAL', 'a stream before the collector runs');
    const task = stream.run(this.runSignal).finally(() => this.running.delete(task));
    this.running.add(task);
    return stream;
  }

  /** Starts the collector; resolves when the signal aborts and everything is stopped. */
  async start(signal: AbortSignal): Promise<void> {
    this.runSignal = signal;
    await this.run(signal);
  }

  private onFindings(findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (finding.find !== 'end') continue;
      const known = this.capture.known.get(finding.market);
      if (known && known.status !== 'resolved')
        this.capture.known.set(finding.market, {
          ...known,
          status: 'closed',
          closesAt: known.closesAt ?? this.restClock.now(),
        });
      for (const stream of this.streams) stream.remove([finding.market], finding.reason);
    }
  }

  private beat(): void {
    this.push(this.restSession.beat('polled'));
    this.beatAt = this.restClock.now();
    const driftMs = this.restClock.drift() / MICROS_PER_MS;
    if (Math.abs(driftMs) > this.options.clockJumpMs)
      this.restartRest(`the wall clock moved by ${Math.round(driftMs)} ms`);
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
    let gapsOpen = 0;
    let books = 0;
    let gapSince: number | null = null;
    for (const track of this.capture.tracks.all()) {
      if (track.dataset !== 'books') continue;
      books++;
      if (track.gap) {
        gapsOpen++;
        gapSince = Math.min(gapSince ?? track.gap.from, track.gap.from);
      }
    }
    const connected =
      this.poller !== null || this.streams.length === 0 || this.streams.some(({ open }) => open);
    const state = !this.discovered
      ? 'starting'
      : !connected
        ? 'disconnected'
        : gapsOpen > 0
          ? 'degraded'
          : 'capturing';
    return {
      venue: this.options.driver.venue,
      state,
      markets: this.watched().length,
      books,
      gapsOpen,
      gapSince,
      frames: this.frames,
      lastFrameAt: this.lastFrameAt,
      beatAt: this.beatAt,
      readsPerSecond: this.rates[0]?.perSecond ?? null,
    };
  }
}
