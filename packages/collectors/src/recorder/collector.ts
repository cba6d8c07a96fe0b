// One venue, one loop: keep the catalogue current, watch what should be watched, stop what ended, beat, and after a crash
// begin with the gap. Everything venue-specific is in the venue's plan; everything about meaning is in core.

import type {
  CollectPlan,
  Evidence,
  Finding,
  RestEndpoint,
  Session,
  VenueAdapter,
  VenueEvent,
  VenueRequest,
} from '@ladderlog/core';
import { Capture, LadderlogError, MICROS_PER_MS, MessageAges } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { CollectorStatus } from './collector-status.ts';
import { countBooks, stateOf } from './collector-status.ts';
import { every } from './every.ts';
import type { Outbox } from './outbox.ts';
import { Poller } from './poller.ts';
import { Prober } from './prober.ts';
import { AdaptiveRate } from '../venue/rate.ts';
import type { RestAnswer } from '../venue/rest.ts';
import { Rest, askAll } from '../venue/rest.ts';
import type { Clocks } from './session-clock.ts';
import { SessionClock } from './session-clock.ts';
import type { Stall, Stamping, StampWatch } from './stamp-watch.ts';
import { starvedSamples } from './starved-samples.ts';
import type { Shard } from './targets.ts';
import { VenueSocket } from './venue-socket.ts';
import { WatchList } from './watch-list.ts';

export type CollectorOptions = {
  readonly adapter: VenueAdapter;
  readonly plan: CollectPlan;
  readonly shard: Shard;
  readonly outbox: Outbox;
  /** Those of the watch. */
  readonly clocks: Clocks;
  readonly stamps: StampWatch;
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

export class Collector implements Stamping {
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
  private readonly ages = new MessageAges();

  constructor(options: CollectorOptions) {
    this.options = options;
    const { adapter, plan, shard, outbox, evidence, patienceMs } = options;
    const capture = new Capture({ adapter, collector: options.collector, provenance: 'captured' });
    this.capture = capture;
    this.restClock = new SessionClock(options.clocks);
    this.restSession = capture.openSession(options.newSessionId());
    const current = () => ({ session: this.restSession, clock: this.restClock });
    const { poll } = plan;
    const { staleMs } = plan.timing;
    this.poller = poll
      ? new Poller({ poll, staleMs, capture, outbox, ask: (request) => this.ask(request), current })
      : null;
    this.list = new WatchList({
      plan,
      shard,
      capture,
      outbox,
      poller: this.poller,
      openSocket: (index) => this.openSocket(index),
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
    const { plan } = options;
    const { timing, sample } = plan;
    this.runSignal = signal;
    this.rests = Object.fromEntries(
      Object.entries(plan.endpoints).map(([source, endpoint]) => [
        source,
        this.openRest(source, endpoint, signal),
      ]),
    );
    const loops = [
      this.every(timing.discoverMs, signal, 'discover', () => this.discover()),
      this.every(options.beatMs, signal, 'beat', async () => this.beat()),
      this.every(options.restateMs, signal, 'restate', async () => {
        if (!options.outbox.blocked) this.push(this.capture.restate(this.restSession, this.restClock.now()));
      }),
      ...this.probing(signal),
    ];
    if (sample)
      loops.push(
        this.every(timing.discoverMs, signal, 'sample', () =>
          askAll(sample(this.list.watched()), (request) => this.ask(request)),
        ),
      );
    if (this.poller) loops.push(this.poller.run(signal));
    try {
      await Promise.all(loops);
      await Promise.all(this.running);
    } finally {
      const at = this.restClock.now();
      this.push([...this.restSession.beat('polled'), ...this.restSession.stop(at, 'shutdown')]);
    }
  }

  /** Where the venue's own book can be asked for beside its stream. */
  private probing(signal: AbortSignal): Promise<void>[] {
    const { plan, logger } = this.options;
    const { probe, compareMs } = plan;
    if (!probe) return [];
    const { capture, list } = this;
    const rest = (source: string): Rest => this.rests[source]!;
    const prober = new Prober({ plan: { ...plan, probe }, capture, sockets: list.sockets, rest, logger });
    const everyMs = Math.max(50, Math.min(1_000, plan.timing.quietMs / 4));
    const quiet = this.every(everyMs, signal, 'quiet', async () => {
      await prober.seedMissing();
      await prober.compareTokens();
      await prober.probeQuiet();
    });
    if (compareMs === null) return [quiet];
    return [quiet, this.every(compareMs, signal, 'compare', () => prober.compareInTurn(compareMs, signal))];
  }

  private openRest(source: string, endpoint: RestEndpoint, signal: AbortSignal): Rest {
    const rate = new AdaptiveRate(endpoint, performance.now());
    this.rates.push(rate);
    return new Rest({
      source,
      endpoint,
      rate,
      logger: this.options.logger,
      signal,
      push: (events) => this.push(events),
      outbox: this.options.outbox,
    });
  }

  private every(ms: number, signal: AbortSignal, task: string, run: () => Promise<void>): Promise<void> {
    const { adapter, logger } = this.options;
    return every(ms, signal, { venue: adapter.venue, task, logger }, run);
  }

  private async ask(request: VenueRequest): Promise<RestAnswer> {
    const answer = await this.rests[request.source]!.ask(this.restSession, this.restClock, request);
    this.countFrame();
    if (!answer.ok)
      this.options.logger.debug(
        { event: 'venue.refused', venue: this.options.adapter.venue, status: answer.status },
        answer.detail,
      );
    else this.onFindings(answer.findings);
    return answer;
  }

  private countFrame(): void {
    this.frames++;
    this.lastFrameAt = this.restClock.now();
  }

  private async discover(): Promise<void> {
    const { plan } = this.options;
    const ask = (request: VenueRequest): Promise<RestAnswer> => this.ask(request);
    await askAll(plan.discover(this.restClock.now()), ask);
    this.discovered = true;
    this.list.retarget();
    const waiting = this.list.awaitingResolution();
    if (waiting.length > 0) {
      await askAll(plan.resolve(waiting), ask);
      this.list.retarget();
    }
  }

  private openSocket(index: number): VenueSocket {
    const { options } = this;
    if (!this.runSignal) throw new LadderlogError('INTERNAL', 'a socket before the collector runs');
    const { plan, adapter } = options;
    const socket = new VenueSocket(plan.sockets!.open(), {
      nameInLogs: `${adapter.venue}-${index}`,
      timing: plan.timing,
      capture: this.capture,
      outbox: options.outbox,
      clocks: options.clocks,
      stamps: options.stamps,
      logger: options.logger,
      newSessionId: options.newSessionId,
      beatMs: options.beatMs,
      clockJumpMs: options.clockJumpMs,
      backoff: options.backoff,
      ages: this.ages,
      onFindings: (findings) => {
        this.countFrame();
        this.onFindings(findings);
      },
    });
    const task = socket.run(this.runSignal).finally(() => this.running.delete(task));
    this.running.add(task);
    return socket;
  }

  private onFindings(findings: readonly Finding[]): void {
    for (const finding of findings)
      if (finding.type === 'end') this.list.ended(finding.market, finding.reason);
  }

  private beat(): void {
    this.push(this.restSession.beat('polled'));
    const rests = Object.values(this.rests);
    this.push(starvedSamples(this.options.plan, this.capture, rests, this.restSession, this.restClock.now()));
    this.beatAt = this.restClock.now();
    const driftMs = this.restClock.drift() / MICROS_PER_MS;
    if (Math.abs(driftMs) > this.options.clockJumpMs)
      this.restartRest(`the wall clock moved by ${Math.round(driftMs)} ms`);
  }

  /** Polling goes on under a new session with the new wall clock; what it watched is in a gap across the jump. */
  private restartRest(detail: string): void {
    this.push(this.restSession.openGaps('clock_jump', this.restClock.now(), detail, { scope: 'collector' }));
    this.capture.closeSession(this.restSession);
    this.restClock = new SessionClock(this.options.clocks);
    this.restSession = this.capture.openSession(this.options.newSessionId());
    this.options.logger.warn({ event: 'collector.clock_jump', venue: this.options.adapter.venue }, detail);
  }

  stall(stall: Stall): void {
    const { restSession, restClock } = this;
    const { since, noticedAt, detail } = stall;
    this.push(restSession.stall(restClock.at(since), restClock.at(noticedAt), detail));
    for (const socket of this.list.sockets) socket.catchingUp.begin(stall);
  }

  catchUp(rested: boolean): boolean {
    // The loop comes round again: what is asked for from now on is answered in time.
    if (this.restSession.isLate) this.push(this.restSession.catchUp(this.restClock.now()).events);
    return this.list.sockets.map((socket) => socket.catchingUp.look(rested)).every(Boolean);
  }

  get lateFrames(): number {
    return this.list.sockets.reduce((sum, socket) => sum + socket.catchingUp.lateFrames, 0);
  }

  status(): CollectorStatus {
    const { sockets } = this.list;
    const books = countBooks(this.capture.tracks.all());
    const age = this.ages.median(this.restClock.now());
    const connected = this.poller !== null || sockets.length === 0 || sockets.some(({ open }) => open);
    return {
      venue: this.options.adapter.venue,
      state: stateOf(this.discovered, connected, books.gapsOpen),
      markets: this.list.watched().length,
      ...books,
      frames: this.frames,
      lastFrameAt: this.lastFrameAt,
      beatAt: this.beatAt,
      readsPerSecond: this.rates[0]?.perSecond ?? null,
      messageAgeMs: age === null ? null : age / MICROS_PER_MS,
    };
  }
}
