// One WebSocket of a venue, for ever: connect, subscribe, stamp each message before anything else, hand it to the session,
// notice when it breaks or falls silent, write the gap, wait with jitter, connect again. What is said on it is the venue's dialogue.

import type {
  Capture,
  Finding,
  GapCause,
  Session,
  SocketDialogue,
  Target,
  VenueEvent,
  VenueTiming,
} from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';

import { Asks } from './asks.ts';
import { backoffMs } from '../venue/backoff.ts';
import { MAX_FRAME_BYTES } from './encodable.ts';
import type { Outbox } from './outbox.ts';
import { pause } from '../venue/rest.ts';
import type { Clocks } from './session-clock.ts';
import { SessionClock } from './session-clock.ts';
import { trades } from './targets.ts';

type Break = { readonly cause: GapCause; readonly detail: string };

export type VenueSocketOptions = {
  /** In log lines. */
  readonly name: string;
  readonly timing: Pick<VenueTiming, 'silenceMs' | 'lifeMs' | 'firstBookMs'>;
  readonly capture: Capture;
  readonly outbox: Outbox;
  readonly clocks: Clocks;
  readonly logger: Logger;
  readonly newSessionId: () => string;
  readonly beatMs: number;
  readonly clockJumpMs: number;
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  readonly onFindings: (findings: readonly Finding[]) => void;
  readonly onFrame: () => void;
};

export class VenueSocket {
  private readonly dialogue: SocketDialogue;
  private readonly options: VenueSocketOptions;
  private readonly targets = new Map<string, Target>();
  private socket: WebSocket | null = null;
  session: Session | null = null;
  clock: SessionClock;
  private sendQueue: string[] = [];
  private sendTimer: NodeJS.Timeout | null = null;
  private lastSentMs = 0;
  private resyncPending = new Map<string, Target>();
  private resyncTimer: NodeJS.Timeout | null = null;
  private readonly asks = new Asks();
  private openedAt = 0;
  private breakCause: Break | null = null;
  /** When limits were last looked at. */
  private lookedAt = 0;

  constructor(dialogue: SocketDialogue, options: VenueSocketOptions) {
    this.dialogue = dialogue;
    this.options = options;
    this.clock = new SessionClock(options.clocks);
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
    this.send(this.dialogue.add(fresh));
  }

  /** Watching ends on purpose. */
  remove(markets: readonly string[], reason: string): void {
    const gone: Target[] = [];
    for (const market of markets) {
      const target = this.targets.get(market);
      if (!target) continue;
      this.targets.delete(market);
      gone.push(target);
      if (this.session) this.options.outbox.push(this.session.stop(this.clock.now(), reason, market));
    }
    if (gone.length > 0 && this.open) this.send(this.dialogue.remove(gone));
  }

  /** The book of a market cannot be trusted: ask for it again (together with others, a moment later). */
  resync(markets: Iterable<string>): void {
    for (const market of markets) {
      const target = this.targets.get(market);
      if (target) this.resyncPending.set(market, target);
    }
    if (this.resyncPending.size === 0 || this.resyncTimer) return;
    this.resyncTimer = setTimeout(() => {
      this.resyncTimer = null;
      const targets = [...this.resyncPending.values()];
      this.resyncPending.clear();
      if (!this.open) return;
      for (const { market } of targets) this.asks.ask(market, this.clock.now());
      this.send(this.dialogue.resync(targets));
    }, 200);
  }

  /** Closes the socket; what it watched is in a gap of this cause until the next connection sends the books. */
  abandon(cause: GapCause, detail: string): void {
    this.breakCause ??= { cause, detail };
    this.socket?.terminate();
  }

  async run(signal: AbortSignal): Promise<void> {
    let attempt = 0;
    while (!signal.aborted) {
      await Promise.race([this.options.outbox.unblocked(), pause(60_000, signal)]);
      if (signal.aborted) return;
      if (this.options.outbox.blocked) continue;
      const openedForMs = await this.connectOnce(signal);
      attempt = openedForMs > 30_000 ? 0 : attempt + 1;
      if (signal.aborted) return;
      const waitMs = attempt === 0 ? 0 : backoffMs(attempt - 1, Math.random(), this.options.backoff);
      if (waitMs > 0) await pause(waitMs, signal);
    }
  }

  /** One connection, from first to last; returns how long it was open. */
  private async connectOnce(signal: AbortSignal): Promise<number> {
    const { options, dialogue } = this;
    const { timing } = options;
    const { capture, outbox, logger } = options;
    this.clock = new SessionClock(options.clocks);
    const session = capture.openSession(options.newSessionId());
    this.session = session;
    this.breakCause = null;
    const endpoint = dialogue.endpoint();
    const socket = new WebSocket(endpoint.url, {
      headers: endpoint.headers,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      handshakeTimeout: 10_000,
    });
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
      this.openedAt = this.clock.now();
      this.asks.begin();
      session.noteActivity(this.clock.now());
      this.lookedAt = this.clock.now();
      dialogue.onOpen?.();
      const targets = [...this.targets.values()];
      this.watch(targets);
      this.send(dialogue.hello(targets));
      timers.push(setInterval(() => this.tick(), Math.min(1_000, options.beatMs, timing.silenceMs / 3)));
      timers.push(setInterval(() => outbox.push(session.beat()), options.beatMs));
      timers.push(setInterval(() => this.keepAlive(), dialogue.keepAlive.everyMs));
      timers.push(
        setTimeout(
          () => this.abandon('disconnected', 'planned reconnect before the venue closes the connection'),
          timing.lifeMs,
        ),
      );
    });
    socket.on('message', (data: Buffer) => {
      // Still unread when the connection was given up: inside its gap.
      if (this.breakCause) return;
      const observedAt = this.clock.now();
      const text = data.toString('utf8');
      const answers = dialogue.onText?.(text) ?? [];
      const { events, findings } = session.frame(
        { channel: 'ws', direction: 'in', text, observedAt, settings: dialogue.settings },
        data,
      );
      outbox.push(events);
      options.onFrame();
      this.send(answers);
      this.react(findings);
      if (outbox.blocked) this.abandon('log_unavailable', 'the log does not accept and the buffer is full');
    });
    socket.on('ping', () => session.noteActivity(this.clock.now()));
    socket.on('pong', () => session.noteActivity(this.clock.now()));
    socket.on('error', (error) => {
      logger.warn({ event: 'stream.error', stream: options.name, session: session.id }, error.message);
    });
    const { code } = await new Promise<{ code: number }>((resolve) =>
      socket.once('close', (closeCode: number) => resolve({ code: closeCode })),
    );

    signal.removeEventListener('abort', stop);
    for (const timer of timers) clearTimeout(timer);
    this.sendQueue = [];
    this.socket = null;
    const at = this.clock.now();
    if (signal.aborted) outbox.push([...session.beat(), ...session.stop(at, 'shutdown')]);
    else {
      // A close frame is the venue speaking: it was there until now. Anything else ended at the last sign of life.
      if (code !== 1006) session.noteActivity(at);
      const { cause, detail } = (this.breakCause as Break | null) ?? {
        cause: 'disconnected' as const,
        detail: openedMs === 0 ? 'could not connect' : `socket closed with ${code}`,
      };
      const events: VenueEvent[] = session.openGaps(
        cause,
        at,
        detail,
        cause === 'log_unavailable' || cause === 'clock_jump' ? { scope: 'collector' } : {},
      );
      outbox.push(events);
      logger.warn(
        {
          event: 'stream.closed',
          stream: options.name,
          session: session.id,
          code,
          cause,
          gaps: events.length,
        },
        detail,
      );
    }
    capture.closeSession(session);
    return openedMs === 0 ? 0 : performance.now() - openedMs;
  }

  private watch(targets: readonly Target[]): void {
    const at = this.clock.now();
    for (const { market, outcomes } of targets)
      for (const outcome of outcomes) this.session?.watch(market, outcome, at);
  }

  private react(findings: readonly Finding[]): void {
    let everything = false;
    const broken: string[] = [];
    for (const finding of findings) {
      if (finding.type === 'book' && !this.targets.has(finding.market)) this.stopStray(finding.market);
      else if (finding.type === 'break' && finding.cause !== 'tick_change' && finding.dataset !== 'samples')
        broken.push(finding.market);
      else if (finding.type === 'reject' && finding.reason !== 'unknown_kind' && !finding.booksIntact) {
        if (finding.market !== '') broken.push(finding.market);
        else if (!this.options.capture.adapter.capture.sequenced) everything = true;
      }
    }
    if (everything) this.abandon('rejected_frame', 'a frame could not be read; reconnecting for fresh books');
    else if (broken.length > 0) this.resync(broken);
    this.options.onFindings(findings);
  }

  /** A book that crossed our unsubscribing: an observation, and no promise of more. */
  private stopStray(market: string): void {
    if (this.session) this.options.outbox.push(this.session.stop(this.clock.now(), 'unsubscribed', market));
  }

  private tick(): void {
    const { session, options } = this;
    const { timing } = options;
    if (!session) return;
    const now = this.clock.now();
    const driftMs = this.clock.drift() / MICROS_PER_MS;
    if (Math.abs(driftMs) > options.clockJumpMs) {
      this.abandon('clock_jump', `the wall clock moved by ${Math.round(driftMs)} ms`);
      return;
    }
    // After a pause of this process what came meanwhile is not read yet: only who was late at the last look, too, is late.
    const late = this.lookedAt;
    this.lookedAt = now;
    if (late - session.lastActivity > timing.silenceMs * MICROS_PER_MS) {
      this.abandon(
        'silence',
        `nothing received for ${Math.round((now - session.lastActivity) / MICROS_PER_MS)} ms`,
      );
      return;
    }
    const before = late - timing.firstBookMs * MICROS_PER_MS;
    options.outbox.push(session.openOverdueGaps(before, now));
    this.askAgain(session.id, now, before);
  }

  /**
   * A book that was asked for and did not come: the answer may have been lost as well, or this socket be deaf to the market.
   * A reconnect costs the other books a gap, so it is for a market that trades now.
   */
  private askAgain(session: string, now: number, before: number): void {
    const { asks } = this;
    const { tracks, known } = this.options.capture;
    const waiting = new Set<string>();
    const stuck = new Set<string>();
    for (const { session: of, dataset, market, gap } of tracks.all()) {
      if (of !== session || dataset !== 'books' || gap === null) continue;
      waiting.add(market);
      if (Math.max(gap.from, this.openedAt, asks.lastAt(market)) < before) stuck.add(market);
    }
    asks.keepOnly(waiting);
    for (const market of stuck) asks.miss(market, now);
    const inVain = [...stuck].filter((market) => asks.inVain(market) && trades(known.get(market), now));
    for (const market of inVain) asks.reconnect(market);
    if (inVain.length > 0) this.abandon('disconnected', 'reconnecting for a book that was asked for in vain');
    else if (stuck.size > 0) this.resync(stuck);
  }

  private keepAlive(): void {
    if (!this.open) return;
    if (this.dialogue.keepAlive.text === null) this.socket?.ping();
    else this.send([this.dialogue.keepAlive.text]);
  }

  /** Sends in order, no faster than the venue allows; what was sent is on the tape. */
  private send(messages: readonly string[]): void {
    this.sendQueue.push(...messages);
    if (!this.sendTimer) this.sendNext();
  }

  private sendNext(): void {
    this.sendTimer = null;
    const { socket, session, dialogue } = this;
    if (!socket || !session || !this.open) return;
    while (this.sendQueue.length > 0) {
      const waitMs = this.lastSentMs + dialogue.minSendGapMs - performance.now();
      if (waitMs > 0) {
        this.sendTimer = setTimeout(() => this.sendNext(), waitMs);
        return;
      }
      const text = this.sendQueue.shift()!;
      this.lastSentMs = performance.now();
      const frame = {
        channel: 'ws',
        direction: 'out' as const,
        text,
        observedAt: this.clock.now(),
        settings: dialogue.settings,
      };
      this.options.outbox.push(session.frame(frame, Buffer.from(text)).events);
      socket.send(text);
    }
  }
}
