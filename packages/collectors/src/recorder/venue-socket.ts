// One WebSocket of a venue, for ever: connect, subscribe, stamp each message before anything else, hand it to the session,
// notice when it breaks or falls silent, write the gap, wait with jitter, connect again. What is said on it is the venue's dialogue.

import type { Finding, GapCause, Micros, Session, SocketDialogue, Target } from '@ladderlog/core';
import { MICROS_PER_MS, backoffMs } from '@ladderlog/core';
import { WebSocket } from 'ws';

import { Asks, awaitedBooks } from './asks.ts';
import { Batch } from './batch.ts';
import { CatchingUp } from './catching-up.ts';
import type { Loss } from './losses.ts';
import { lossOf, lostBooks } from './losses.ts';
import { pause } from '../venue/pause.ts';
import { SendQueue } from './send-queue.ts';
import { SessionClock } from './session-clock.ts';
import type { VenueSocketOptions } from './socket-options.ts';
import { SOCKET_OPTIONS } from './socket-options.ts';
import { AgeRise } from './stamp-judge.ts';
import { trades } from './targets.ts';

/** Books that are lost together are asked for together. */
const RESYNC_DELAY_MS = 200;

/** What hits all that this process records. */
const COLLECTOR_CAUSES: ReadonlySet<GapCause> = new Set([
  'log_unavailable',
  'clock_jump',
  'recorder_stalled',
]);

export class VenueSocket {
  private readonly dialogue: SocketDialogue;
  private readonly options: VenueSocketOptions;
  private readonly targets = new Map<string, Target>();
  private socket: WebSocket | null = null;
  session: Session | null = null;
  clock: SessionClock;
  private readonly queue: SendQueue;
  private readonly resyncs = new Batch<Target>(RESYNC_DELAY_MS, (targets) => this.askFor(targets));
  private readonly asks = new Asks();
  private openedAt = 0;
  private loss: Loss | null = null;
  /** When limits were last looked at. */
  private lookedAt = 0;
  private rise: AgeRise;
  /** After a stall of this process. */
  readonly catchingUp: CatchingUp;

  constructor(dialogue: SocketDialogue, options: VenueSocketOptions) {
    this.dialogue = dialogue;
    this.options = options;
    this.clock = new SessionClock(options.clocks);
    this.rise = new AgeRise(options.stamps.limitMs);
    this.catchingUp = new CatchingUp({
      limitMs: options.stamps.limitMs,
      current: () => (this.socket && this.session ? { session: this.session, clock: this.clock } : null),
      ping: (text) => this.open && (this.socket?.ping(text), true),
      push: (events) => options.outbox.push(events),
      resync: (markets) => this.resync(markets),
      abandon: (cause, detail) => this.abandon(cause, detail),
    });
    this.queue = new SendQueue(dialogue.minSendGapMs, (text) => this.deliver(text));
  }

  get open(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  get size(): number {
    return this.targets.size;
  }

  has(market: string): boolean {
    return this.targets.has(market);
  }

  add(targets: readonly Target[]): void {
    const fresh = targets.filter(({ market }) => !this.targets.has(market));
    for (const target of fresh) this.targets.set(target.market, target);
    if (fresh.length === 0 || !this.open) return;
    this.watch(fresh);
    this.queue.push(this.dialogue.add(fresh));
  }

  /** Watching ends on purpose. */
  remove(markets: readonly string[], reason: string): void {
    const gone: Target[] = [];
    for (const market of markets) {
      const target = this.targets.get(market);
      if (!target) continue;
      this.targets.delete(market);
      gone.push(target);
      this.stop(market, reason);
    }
    if (gone.length > 0 && this.open) this.queue.push(this.dialogue.remove(gone));
  }

  /** The book of a market cannot be trusted: ask for it again (together with others, a moment later). */
  resync(markets: Iterable<string>): void {
    for (const market of markets) {
      const target = this.targets.get(market);
      if (target) this.resyncs.add(market, target);
    }
  }

  private askFor(targets: readonly Target[]): void {
    if (!this.open) return;
    for (const { market } of targets) this.asks.ask(market, this.clock.now());
    this.queue.push(this.dialogue.resync(targets));
  }

  /** Closes the socket; what it watched is in a gap of this cause until the next connection sends the books. */
  abandon(cause: GapCause, detail: string): void {
    this.loss ??= { cause, detail };
    this.socket?.terminate();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { outbox, backoff } = this.options;
    let attempt = 0;
    while (!signal.aborted) {
      await Promise.race([outbox.unblocked(), pause(60_000, signal)]);
      if (signal.aborted || outbox.blocked) continue;
      const openedForMs = await this.connectOnce(signal);
      attempt = openedForMs > 30_000 ? 0 : attempt + 1;
      if (attempt > 0) await pause(backoffMs(attempt - 1, Math.random(), backoff), signal);
    }
  }

  /** One connection, from first to last; returns how long it was open. */
  private async connectOnce(signal: AbortSignal): Promise<number> {
    const { options, dialogue } = this;
    this.clock = new SessionClock(options.clocks);
    const session = options.capture.openSession(options.newSessionId());
    this.session = session;
    this.loss = null;
    this.rise = new AgeRise(options.stamps.limitMs);
    const { url, headers } = dialogue.endpoint();
    const socket = new WebSocket(url, { ...SOCKET_OPTIONS, headers });
    this.socket = socket;
    let openedMs = 0;
    const timers: NodeJS.Timeout[] = [];
    const stop = (): void => {
      socket.close(1000);
      timers.push(setTimeout(() => socket.terminate(), 2_000));
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.on('open', () => {
      openedMs = performance.now();
      timers.push(...this.begin(session));
    });
    socket.on('message', (data: Buffer) => this.receive(session, data));
    socket.on('ping', () => session.noteActivity(this.clock.now()));
    socket.on('pong', (data: Buffer) => {
      session.noteActivity(this.clock.now());
      this.catchingUp.hear(data.toString());
    });
    const about = { event: 'stream.error', stream: options.nameInLogs, session: session.id };
    socket.on('error', (error) => options.logger.warn(about, error.message));
    const code = await new Promise<number>((resolve) => socket.once('close', resolve));
    signal.removeEventListener('abort', stop);
    for (const timer of timers) clearTimeout(timer);
    this.queue.clear();
    this.socket = null;
    if (signal.aborted)
      options.outbox.push([...session.beat(), ...session.stop(this.clock.now(), 'shutdown')]);
    else this.writeGaps(session, code, openedMs > 0);
    options.capture.closeSession(session);
    return openedMs === 0 ? 0 : performance.now() - openedMs;
  }

  /** The socket is open: subscribes, and starts the timers that this connection needs. */
  private begin(session: Session): NodeJS.Timeout[] {
    const { dialogue } = this;
    const { timing, beatMs, outbox } = this.options;
    this.openedAt = this.lookedAt = this.clock.now();
    this.asks.begin();
    session.noteActivity(this.openedAt);
    dialogue.onOpen?.();
    const targets = [...this.targets.values()];
    this.watch(targets);
    this.queue.push(dialogue.hello(targets));
    return [
      setInterval(() => this.checkLimits(), Math.min(1_000, beatMs, timing.silenceMs / 3)),
      setInterval(() => outbox.push(session.beat()), beatMs),
      setInterval(() => this.keepAlive(), dialogue.keepAlive.everyMs),
      setTimeout(
        () => this.abandon('disconnected', 'planned reconnect before the venue closes the connection'),
        timing.lifeMs,
      ),
    ];
  }

  private receive(session: Session, data: Buffer): void {
    const { dialogue, options } = this;
    // Still unread when the connection was given up: inside its gap.
    if (this.loss) return;
    const observedAt = this.clock.now();
    session.noteStampDelay(this.clock.stampDelay());
    const text = data.toString('utf8');
    const answers = dialogue.onText?.(text) ?? [];
    const { settings } = dialogue;
    const frame = { channel: 'ws', direction: 'in' as const, text, observedAt, settings };
    const { events, findings } = session.frame(frame, data);
    options.outbox.push(events);
    this.queue.push(answers);
    this.react(findings, observedAt);
    if (options.outbox.blocked)
      this.abandon('log_unavailable', 'the log does not accept and the buffer is full');
  }

  /** The connection ended without our wish: what it watched is in a gap. */
  private writeGaps(session: Session, code: number, wasOpen: boolean): void {
    const { nameInLogs, outbox, logger } = this.options;
    const at = this.clock.now();
    // A close frame is the venue speaking: it was there until now. Anything else ended at the last sign of life.
    if (code !== 1006) session.noteActivity(at);
    const ended = wasOpen ? `socket closed with ${code}` : 'could not connect';
    const { cause, detail } = this.loss ?? { cause: 'disconnected', detail: ended };
    const scope = COLLECTOR_CAUSES.has(cause) ? 'collector' : 'connection';
    const gaps = session.openGaps(cause, at, detail, { scope });
    outbox.push(gaps);
    logger.warn(
      { event: 'stream.closed', stream: nameInLogs, session: session.id, code, cause, gaps: gaps.length },
      detail,
    );
  }

  private watch(targets: readonly Target[]): void {
    for (const { market, outcomes } of targets)
      for (const outcome of outcomes) this.session?.watch(market, outcome, this.clock.now());
  }

  private react(findings: readonly Finding[], observedAt: Micros): void {
    const { ages, stamps } = this.options;
    if (!this.session?.isLate && this.rise.hear(findings, observedAt, ages)) stamps.agesRose();
    for (const finding of findings)
      // A book that crossed our unsubscribing: an observation, and no promise of more.
      if (finding.type === 'book' && !this.has(finding.market)) this.stop(finding.market, 'unsubscribed');
    const lost = lostBooks(findings, this.options.capture.adapter.capture.sequenced);
    if (lost === 'all')
      this.abandon('rejected_frame', 'a frame could not be read; reconnecting for fresh books');
    else this.resync(lost);
    this.options.onFindings(findings);
  }

  private stop(market: string, reason: string): void {
    if (this.session) this.options.outbox.push(this.session.stop(this.clock.now(), reason, market));
  }

  private checkLimits(): void {
    const { session, lookedAt } = this;
    if (!session) return;
    const now = this.clock.now();
    const { clockJumpMs, timing, outbox } = this.options;
    const connection = { drift: this.clock.drift(), lastActivity: session.lastActivity, lookedAt, now };
    const loss = lossOf(connection, { clockJumpMs, silenceMs: timing.silenceMs });
    this.lookedAt = now;
    if (loss) return this.abandon(loss.cause, loss.detail);
    const before = lookedAt - timing.firstBookMs * MICROS_PER_MS;
    outbox.push(session.openOverdueGaps(before, now));
    this.askAgain(session.id, now, before);
  }

  /**
   * A book that was asked for and did not come: the answer may have been lost as well, or this socket be deaf to the market.
   * A reconnect costs the other books a gap, so it is for a market that trades now.
   */
  private askAgain(session: string, now: number, before: number): void {
    const { tracks, known } = this.options.capture;
    const awaited = awaitedBooks(tracks.all(), session, this.openedAt);
    const isTrading = (market: string): boolean => trades(known.get(market), now);
    const { again, inVain } = this.asks.review(awaited, before, now, isTrading);
    if (inVain) this.abandon('disconnected', 'reconnecting for a book that was asked for in vain');
    else this.resync(again);
  }

  private keepAlive(): void {
    if (!this.open) return;
    if (this.dialogue.keepAlive.text === null) this.socket?.ping();
    else this.queue.push([this.dialogue.keepAlive.text]);
  }

  /** What was sent is on the tape. */
  private deliver(text: string): boolean {
    const { socket, session } = this;
    if (!socket || !session || !this.open) return false;
    const { settings } = this.dialogue;
    const observedAt = this.clock.now();
    const frame = { channel: 'ws', direction: 'out' as const, text, observedAt, settings };
    this.options.outbox.push(session.frame(frame, Buffer.from(text)).events);
    socket.send(text);
    return true;
  }
}
