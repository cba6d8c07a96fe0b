// Frames to events. A Session is one connection of a Capture. Pure: times come with the frames. The same code serves live
// capture, import and audit.

import type { Envelope, GapCause, GapScope, VenueEvent } from '../events/events.ts';
import { applyFinding } from './apply-finding.ts';
import type { CaughtUp } from './catch-up.ts';
import { catchUp } from './catch-up.ts';
import type { Ladders } from './checks.ts';
import { sameLadders } from './checks.ts';
import { LateReading } from './late.ts';
import type { OpenSession, SharedCapture } from './shared.ts';
import type { Micros } from '../kernel/time.ts';
import type { Track } from './tracks.ts';
import type { BookFinding, CompareFinding, Finding, Frame, MarketFields, Normalizer } from './finding.ts';

export type FrameResult = {
  readonly events: VenueEvent[];
  /** What the shell reacts to: ends, breaks (resync), rejects. */
  readonly findings: readonly Finding[];
};

/** `lost`: markets whose books the stream is shown to have missed changes of. */
export type ProbeResult = FrameResult & { readonly lost: readonly string[] };

export class Session implements OpenSession {
  readonly id: string;
  private readonly capture: SharedCapture;
  private readonly normalizer: Normalizer;
  private nextOrdinal = 0;
  private closed = false;
  /** It has a socket: what it watches is sent to it, not asked for. */
  streams = false;
  /** Newest inbound activity of this connection, our clock. */
  lastActivity: Micros = 0;
  private late: LateReading | null = null;
  private caughtUpAt: Micros = 0;
  /** The largest delay of a stamp since the last beat. */
  private stampDelay: Micros | null = null;

  constructor(capture: SharedCapture, id: string) {
    this.capture = capture;
    this.id = id;
    this.normalizer = capture.adapter.capture.createNormalizer();
    for (const [market, fields] of capture.known) this.normalizer.learn(market, fields);
  }

  learn(market: string, fields: MarketFields): void {
    this.normalizer.learn(market, fields);
  }

  /** The connection is gone. A REST answer that was under way goes on the tape and says nothing of the books any more. */
  close(): void {
    this.closed = true;
  }

  /** The newest frame; -1: there was none. */
  get last(): number {
    return this.nextOrdinal - 1;
  }

  get ordinal(): number {
    return Math.max(0, this.last);
  }

  /** The tape, then what the frame says. `body` is the frame's exact bytes. */
  frame(
    frame: Frame,
    body: Uint8Array,
    requestedAt: Micros | null = null,
    before?: (finding: Finding) => void,
  ): FrameResult {
    const ordinal = this.nextOrdinal++;
    const { capture } = this;
    const activeBefore = this.lastActivity;
    if (frame.channel === 'ws') this.streams = true;
    const findings = this.closed ? NO_FINDINGS : this.normalizer.normalize(frame);
    const market = marketOf(findings);
    const envelope = capture.envelope(this.id, ordinal, frame.observedAt, market);
    const events: VenueEvent[] = [
      {
        ...envelope,
        type: 'FrameCaptured',
        channel: frame.channel,
        direction: frame.direction,
        body,
        requestedAt,
        settings: frame.settings,
      },
    ];
    if (frame.direction === 'out') return { events, findings };
    if (frame.observedAt > this.lastActivity) this.lastActivity = frame.observedAt;
    if (this.late) this.late.frames++;
    const context = {
      capture,
      session: this.id,
      frame,
      body,
      envelope,
      activeBefore,
      late: this.late,
      askedLate: requestedAt !== null && requestedAt < this.caughtUpAt,
      nextBook: 0,
      nextSample: 0,
      events,
    };
    for (const finding of findings) {
      before?.(finding);
      applyFinding(context, finding);
    }
    return { events, findings };
  }

  /**
   * A REST book asked for because the stream has been quiet: is it quiet, or dead? When the venue's book is not the one we
   * hold, changes were lost since our last observation: that is a gap of this cause.
   */
  probe(frame: Frame, body: Uint8Array, requestedAt: Micros | null, cause: GapCause): ProbeResult {
    const { tracks } = this.capture;
    const lost: string[] = [];
    const gaps: VenueEvent[] = [];
    const held = new Map<Track, Ladders | null>();
    for (const track of this.watched()) held.set(track, track.lastBook);
    const result = this.frame(frame, body, requestedAt, (finding) => {
      if (finding.type !== 'book' && finding.type !== 'compare') return;
      const track = tracks.get('books', finding.market, finding.outcome);
      if (!track?.started || track.gap || !isOtherBook(finding, held.get(track) ?? null)) return;
      // The stream spoke after the question was sent: the two books may be of different moments, and it is not quiet.
      if (requestedAt !== null && (track.lastObserved?.observedAt ?? 0) >= requestedAt) return;
      lost.push(finding.market);
      const gap = {
        cause,
        scope: 'book' as const,
        from: track.lastObserved?.observedAt ?? track.lastEvidence,
        detail: "the venue's own book differs from the last one it sent",
      };
      tracks.open(track, this.envelope(track, frame.observedAt), gap, gaps);
    });
    // The gap goes before what the frame itself says, after the tape.
    return { ...result, events: [result.events[0]!, ...gaps, ...result.events.slice(1)], lost };
  }

  /** Inbound activity that is no frame (protocol pings): proof that the connection lives. */
  noteActivity(at: Micros): void {
    if (at > this.lastActivity) this.lastActivity = at;
  }

  /** How much later than its arrival a message may have been stamped. */
  noteStampDelay(delay: Micros | null): void {
    if (delay !== null && !this.late && delay > (this.stampDelay ?? -1)) this.stampDelay = delay;
  }

  get isLate(): boolean {
    return this.late !== null;
  }

  /**
   * The recorder was held up since `since`, the last moment at which it was on time. What this connection reads from now on may
   * have waited: everything it watches is in a gap until it has caught up.
   */
  stall(since: Micros, at: Micros, detail: string): VenueEvent[] {
    const { tracks } = this.capture;
    const events: VenueEvent[] = [];
    const late = (this.late ??= new LateReading(this.nextOrdinal));
    for (const track of this.watched()) {
      const { lastBook, lastObserved, gap, lastEvidence } = track;
      if (!gap && lastBook && lastObserved?.session === this.id)
        late.hold(track, { ...lastBook, kind: 'snapshot' });
      // Between two polls nobody looked: the last one that was answered is what is known.
      const from = this.streams ? since : Math.min(since, lastEvidence);
      tracks.stall(track, this.envelope(track, at), { from, detail, first: late.first }, events);
    }
    return events;
  }

  /**
   * What had piled up is read. Where the venue numbers its messages, the books that were kept up meanwhile are whole, and are
   * stated again as they stand now; others must be sent anew. Samples of a stream are watched again.
   */
  catchUp(at: Micros): CaughtUp {
    const { late } = this;
    // After its newest frame, so that what is stated now has a moment of its own.
    const now = Math.max(at, this.lastActivity + 1);
    this.late = null;
    this.caughtUpAt = now;
    this.stampDelay = null;
    return catchUp(this.capture, this, late, [...this.watched()], now);
  }

  watch(market: string, outcome: string | null, at: Micros, dataset: 'books' | 'samples' = 'books'): void {
    this.capture.tracks.watch(dataset, market, outcome, this.id, at);
  }

  /**
   * The connection broke, went silent, or its venue failed: everything it watched (or one market) is in a gap since the last
   * inbound activity. Books must be sent anew.
   */
  openGaps(
    cause: GapCause,
    at: Micros,
    detail: string | null,
    options: { scope?: GapScope; market?: string; from?: Micros } = {},
  ): VenueEvent[] {
    const { tracks } = this.capture;
    const events: VenueEvent[] = [];
    const from = options.from ?? (this.lastActivity || at);
    if (options.market === undefined) this.normalizer.forget();
    const candidates = options.market === undefined ? tracks.all() : tracks.ofMarket(options.market);
    for (const track of candidates) {
      if (track.session !== this.id) continue;
      const gap = { cause, scope: options.scope ?? 'connection', from, detail };
      tracks.open(track, this.envelope(track, at), gap, events);
    }
    return events;
  }

  /**
   * Proof of life for everything this session watches: on a socket, until its last inbound activity; for polled tracks, each
   * until its own newest observation.
   */
  beat(source: 'socket' | 'polled' = 'socket'): VenueEvent[] {
    const { tracks } = this.capture;
    const events: VenueEvent[] = [];
    const aliveAt = source === 'socket' ? this.lastActivity : null;
    const { stampDelay } = this;
    this.stampDelay = null;
    for (const track of this.watched()) {
      tracks.beat(track, this.envelope(track, 0), { aliveAt, stampDelay }, events);
    }
    return events;
  }

  /** Tracks asked for before `before` that never had a first book: their capture begins with a gap. */
  openOverdueGaps(before: Micros, at: Micros): VenueEvent[] {
    const { tracks } = this.capture;
    const events: VenueEvent[] = [];
    for (const track of this.watched()) {
      if (track.started || track.watchedAt > before) continue;
      tracks.start(track, this.envelope(track, track.watchedAt), events);
      const gap = {
        cause: 'awaiting_snapshot' as const,
        scope: 'book' as const,
        from: track.watchedAt,
        detail: 'no book after subscribing',
      };
      tracks.open(track, this.envelope(track, at), gap, events);
    }
    return events;
  }

  /** Stops one market, or all this session watches; of these, what another connection watches too goes over to it. */
  stop(at: Micros, reason: string, market?: string): VenueEvent[] {
    const { tracks } = this.capture;
    const events: VenueEvent[] = [];
    const stopped = [...(market === undefined ? this.watched() : tracks.ofMarket(market))];
    for (const track of stopped) {
      const heir = market === undefined ? this.heirOf(track) : undefined;
      if (heir) tracks.handOver(track, this.envelope(track, at), heir.envelope(track, at), events);
      else tracks.stop(track, this.envelope(track, at), reason, events);
    }
    if (market === undefined) for (const track of tracks.all()) track.otherSessions.delete(this.id);
    return events;
  }

  private heirOf({ otherSessions }: Track): OpenSession | undefined {
    const others = [...otherSessions].flatMap((id) =>
      id === this.id ? [] : (this.capture.session(id) ?? []),
    );
    return others.find(({ streams }) => streams) ?? others[0];
  }

  private *watched(): Generator<Track> {
    for (const track of this.capture.tracks.all()) if (track.session === this.id) yield track;
  }

  envelope(track: Track, at: Micros): Envelope {
    return this.capture.envelope(this.id, this.ordinal, at, track.market);
  }
}

const isOtherBook = (finding: BookFinding | CompareFinding, held: Ladders | null): boolean =>
  finding.type === 'compare' ? finding.levelsDiffering > 0 : !sameLadders(finding, held);

const NO_FINDINGS: readonly Finding[] = [];

function marketOf(findings: readonly Finding[]): string {
  for (const finding of findings) if ('market' in finding && finding.market !== '') return finding.market;
  return '';
}
