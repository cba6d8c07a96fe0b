// Frames to events. A Capture is one collector's (or one import's) view of a venue over all its connections; a Session is
// one connection. Pure: times come with the frames. The same code serves live capture, import and audit.

import type { Ladders } from './checks.ts';
import { bookState, checkBook, sameLadders } from './checks.ts';
import type { CheckFlag, Envelope, GapCause, GapScope, Provenance, VenueEvent } from './events.ts';
import { hashText } from './hash.ts';
import type { Micros } from './time.ts';
import type { Evidence, Track } from './tracks.ts';
import { Tracks } from './tracks.ts';
import type {
  BookFinding,
  BreakFinding,
  Finding,
  Frame,
  MarketFields,
  MarketFinding,
  Normalizer,
  RejectFinding,
  VenueAdapter,
} from './venue.ts';

export type CaptureOptions = {
  readonly adapter: VenueAdapter;
  readonly collector: string;
  readonly provenance: Provenance;
};

export class Capture {
  readonly adapter: VenueAdapter;
  readonly provenance: Provenance;
  readonly tracks: Tracks;
  /** Hash of the newest metadata of each market: a MarketObserved is written only on change. */
  private readonly metadata = new Map<string, string>();
  /** Kept for sessions opened later: their normalizers learn what is known. */
  readonly known = new Map<string, MarketFields>();

  constructor(options: CaptureOptions) {
    this.adapter = options.adapter;
    this.provenance = options.provenance;
    this.tracks = new Tracks(options.adapter.venue, options.collector);
  }

  private readonly open = new Set<Session>();

  openSession(session: string): Session {
    const opened = new Session(this, session);
    this.open.add(opened);
    return opened;
  }

  /** The connection is gone for good; what it watched stays watched until stopped or taken over. */
  closeSession(session: Session): void {
    this.open.delete(session);
    session.close();
  }

  /** A catalogue fact, whichever session saw it, is known to all. */
  learn(market: string, fields: MarketFields): void {
    this.known.set(market, fields);
    for (const session of this.open) session.learn(market, fields);
  }

  /** True when these fields differ from the newest known of the market. */
  changed(market: string, fields: MarketFields): boolean {
    const hash = hashText(JSON.stringify(fields));
    if (this.metadata.get(market) === hash) return false;
    this.metadata.set(market, hash);
    return true;
  }

  /** The market is over: nothing of it needs to be remembered. */
  forgetMarket(market: string): void {
    this.metadata.delete(market);
    this.known.delete(market);
  }

  envelope(session: string, ordinal: number, observedAt: Micros, market = ''): Envelope {
    return {
      venue: this.adapter.venue,
      market,
      observedAt,
      sourceTs: null,
      session,
      ordinal,
      provenance: this.provenance,
    };
  }

  /**
   * Says again which gaps are open, under the same ids: a restart reads only the newest stretch of the log and must find
   * them there. Projections keep one row per gap id.
   */
  restate(session: Session, at: Micros): VenueEvent[] {
    const events: VenueEvent[] = [];
    for (const { gap, market, dataset, outcome } of this.tracks.all()) {
      if (gap)
        events.push({
          ...this.envelope(session.id, session.ordinal, at, market),
          type: 'GapOpened',
          dataset,
          outcome,
          detail: null,
          ...gap,
        });
    }
    return events;
  }

  /** On start: opens a gap for whatever the log says was watched when the recorder went away. */
  recover(evidence: readonly Evidence[], session: string, at: Micros): VenueEvent[] {
    const events: VenueEvent[] = [];
    for (const item of evidence)
      this.tracks.recover(item, this.envelope(session, 0, at, item.market), events);
    return events;
  }
}

export type FrameResult = {
  readonly events: VenueEvent[];
  /** What the shell reacts to: ends, breaks (resync), rejects. */
  readonly findings: readonly Finding[];
};

export class Session {
  readonly id: string;
  private readonly capture: Capture;
  private readonly normalizer: Normalizer;
  private nextOrdinal = 0;
  private closed = false;
  /** Newest inbound activity of this connection, our clock. */
  lastActivity: Micros = 0;

  constructor(capture: Capture, id: string) {
    this.capture = capture;
    this.id = id;
    this.normalizer = capture.adapter.createNormalizer();
    for (const [market, fields] of capture.known) this.normalizer.learn(market, fields);
  }

  learn(market: string, fields: MarketFields): void {
    this.normalizer.learn(market, fields);
  }

  /** The connection is gone. A REST answer that was under way goes on the tape and says nothing of the books any more. */
  close(): void {
    this.closed = true;
  }

  get ordinal(): number {
    return Math.max(0, this.nextOrdinal - 1);
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
    const activity = this.lastActivity;
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
    const entries = { book: 0, sample: 0 };
    for (const finding of findings) {
      before?.(finding);
      this.apply(finding, frame, body, envelope, activity, entries, events);
    }
    return { events, findings };
  }

  /**
   * A REST book asked for because a stream has been quiet: is it quiet, or dead? When the venue's book is not the one we
   * hold, changes were lost since our last observation: that is a gap of this cause, and `lost` names the markets.
   */
  probe(
    frame: Frame,
    body: Uint8Array,
    requestedAt: Micros | null,
    cause: GapCause,
  ): FrameResult & { readonly lost: readonly string[] } {
    const { tracks } = this.capture;
    const lost: string[] = [];
    const gaps: VenueEvent[] = [];
    const held = new Map<string, Ladders | null>();
    for (const track of tracks.all())
      if (track.session === this.id) held.set(`${track.market}\u0000${track.outcome}`, track.lastLadders);
    const result = this.frame(frame, body, requestedAt, (finding) => {
      const differs =
        finding.find === 'compare'
          ? finding.levelsDiffering > 0
          : finding.find === 'book' &&
            !sameLadders(finding, held.get(`${finding.market}\u0000${finding.outcome}`) ?? null);
      if (!differs || (finding.find !== 'compare' && finding.find !== 'book')) return;
      const track = tracks.get('books', finding.market, finding.outcome);
      if (!track?.started || track.gap) return;
      lost.push(finding.market);
      const gap = {
        cause,
        scope: 'book' as const,
        from: track.lastEvidence,
        detail: "the venue's own book differs from the last one it sent",
      };
      const from = track.lastObserved?.observedAt ?? track.lastEvidence;
      tracks.open(
        track,
        this.capture.envelope(this.id, this.ordinal, frame.observedAt, finding.market),
        { ...gap, from },
        gaps,
      );
    });
    // The gap goes before what the frame itself says, after the tape.
    return { ...result, events: [result.events[0]!, ...gaps, ...result.events.slice(1)], lost };
  }

  private apply(
    finding: Finding,
    frame: Frame,
    body: Uint8Array,
    base: Envelope,
    before: Micros,
    entries: { book: number; sample: number },
    into: VenueEvent[],
  ): void {
    const { capture } = this;
    switch (finding.find) {
      case 'book':
        this.applyBook(finding, base, entries, into);
        return;
      case 'market':
        this.applyMarket(finding, base, into);
        return;
      case 'sample': {
        const { find: _find, ...sample } = finding;
        const envelope = { ...base, market: finding.market, sourceTs: finding.sourceTs };
        const track = capture.tracks.watch('samples', finding.market, null, this.id, base.observedAt);
        capture.tracks.observed(track, envelope, into);
        into.push({ ...envelope, type: 'MetricSampled', entry: entries.sample++, ...sample });
        return;
      }
      case 'break':
        this.applyBreak(
          finding,
          { ...base, market: finding.market },
          Math.max(before, 0) || base.observedAt,
          into,
        );
        return;
      case 'compare': {
        const { find: _find, ...compared } = finding;
        into.push({ ...base, ...compared, type: 'BookCompared', equal: finding.levelsDiffering === 0 });
        return;
      }
      case 'reject':
        this.applyReject(finding, frame, body, base, before, into);
        return;
      case 'end':
        for (const track of capture.tracks.ofMarket(finding.market)) {
          capture.tracks.stop(track, { ...base, market: finding.market }, finding.reason, into);
        }
        return;
      case 'skip':
    }
  }

  private applyBook(
    finding: BookFinding,
    base: Envelope,
    entries: { book: number },
    into: VenueEvent[],
  ): void {
    const { tracks, adapter } = this.capture;
    const { find: _find, flags: found, continues = true, ...book } = finding;
    const envelope = { ...base, market: finding.market, sourceTs: finding.sourceTs };
    const track = tracks.watch('books', finding.market, finding.outcome, this.id, base.observedAt);
    // A change inside a gap builds on a book we cannot vouch for; a book from beside the stream does not mend the stream.
    if (track.gap && (finding.kind === 'delta' || !continues)) return;
    tracks.observed(track, envelope, into);
    track.lastLadders = finding;
    let flags: readonly CheckFlag[] = checkBook(finding, adapter.priceBounds, envelope, found);
    if (finding.sourceTs !== null) {
      if (
        track.lastSourceTs !== null &&
        finding.sourceTs < track.lastSourceTs &&
        !flags.includes('source_time_backwards')
      ) {
        flags = [...flags, 'source_time_backwards'];
      }
      track.lastSourceTs = finding.sourceTs;
    }
    into.push({
      ...envelope,
      type: 'BookObserved',
      ...book,
      entry: entries.book++,
      state: bookState(finding),
      flags,
    });
  }

  private applyMarket(finding: MarketFinding, base: Envelope, into: VenueEvent[]): void {
    const { capture } = this;
    capture.learn(finding.market, finding.fields);
    if (!capture.changed(finding.market, finding.fields)) return;
    into.push({
      ...base,
      market: finding.market,
      sourceTs: finding.sourceTs,
      type: 'MarketObserved',
      ...finding.fields,
    });
  }

  private applyBreak(finding: BreakFinding, envelope: Envelope, from: Micros, into: VenueEvent[]): void {
    const { tracks } = this.capture;
    const hit: Track[] = [];
    if (finding.dataset === 'samples') {
      const track = tracks.get('samples', finding.market, null);
      if (track) hit.push(track);
    } else if (finding.outcome !== null) {
      const track = tracks.watch('books', finding.market, finding.outcome, this.id, envelope.observedAt);
      // Watching began with a change we cannot use: covered from here, and in a gap from here.
      tracks.start(track, envelope, into);
      hit.push(track);
    } else {
      for (const track of tracks.ofMarket(finding.market)) if (track.dataset === 'books') hit.push(track);
    }
    const since = finding.cause === 'awaiting_snapshot' ? envelope.observedAt : from;
    for (const track of hit) tracks.open(track, envelope, { ...finding, from: since }, into);
  }

  private applyReject(
    finding: RejectFinding,
    frame: Frame,
    body: Uint8Array,
    base: Envelope,
    before: Micros,
    into: VenueEvent[],
  ): void {
    const envelope = { ...base, market: finding.market };
    into.push({
      ...envelope,
      type: 'FrameRejected',
      channel: frame.channel,
      body,
      reason: finding.reason,
      detail: finding.detail,
    });
    // A message kind we do not know is not a lost book. Otherwise a socket frame that cannot be read may have been a change.
    if (frame.channel !== 'ws' || finding.reason === 'unknown_kind' || finding.booksIntact) return;
    const gap = { cause: 'rejected_frame' as const, from: before || base.observedAt, detail: finding.reason };
    const { tracks, adapter } = this.capture;
    if (finding.market !== '') {
      for (const track of tracks.ofMarket(finding.market))
        tracks.open(track, envelope, { ...gap, scope: 'book' }, into);
      return;
    }
    // Where the venue numbers its messages, a lost one shows in the numbers; elsewhere any book of the connection is suspect.
    if (adapter.sequenced) return;
    for (const track of tracks.all()) {
      if (track.session === this.id && track.dataset === 'books')
        tracks.open(track, { ...base, market: track.market }, { ...gap, scope: 'connection' }, into);
    }
  }

  /** Inbound activity that is no frame (protocol pings): proof that the connection lives. */
  alive(at: Micros): void {
    if (at > this.lastActivity) this.lastActivity = at;
  }

  watch(market: string, outcome: string | null, at: Micros, dataset: 'books' | 'samples' = 'books'): void {
    this.capture.tracks.watch(dataset, market, outcome, this.id, at);
  }

  /**
   * The connection broke, went silent, or its venue failed: everything it watched (or one market) is in a gap since the last
   * inbound activity. Books must be sent anew.
   */
  broke(
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
      tracks.open(track, this.capture.envelope(this.id, this.ordinal, at, track.market), gap, events);
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
    for (const track of tracks.all()) {
      if (track.session !== this.id) continue;
      tracks.beat(track, this.capture.envelope(this.id, this.ordinal, 0, track.market), aliveAt, events);
    }
    return events;
  }

  /** Tracks asked for before `before` that never had a first book: their capture begins with a gap. */
  overdue(before: Micros, at: Micros): VenueEvent[] {
    const { tracks } = this.capture;
    const events: VenueEvent[] = [];
    for (const track of tracks.all()) {
      if (track.session !== this.id || track.started || track.watchedAt > before) continue;
      tracks.start(
        track,
        this.capture.envelope(this.id, this.ordinal, track.watchedAt, track.market),
        events,
      );
      const gap = {
        cause: 'awaiting_snapshot' as const,
        scope: 'book' as const,
        from: track.watchedAt,
        detail: 'no book after subscribing',
      };
      tracks.open(track, this.capture.envelope(this.id, this.ordinal, at, track.market), gap, events);
    }
    return events;
  }

  /** Stops one market, or all this session watches. */
  stop(at: Micros, reason: string, market?: string): VenueEvent[] {
    const { tracks } = this.capture;
    const events: VenueEvent[] = [];
    const candidates =
      market === undefined
        ? [...tracks.all()].filter((track) => track.session === this.id)
        : [...tracks.ofMarket(market)];
    for (const track of candidates)
      tracks.stop(track, this.capture.envelope(this.id, this.ordinal, at, track.market), reason, events);
    return events;
  }
}

const NO_FINDINGS: readonly Finding[] = [];

function marketOf(findings: readonly Finding[]): string {
  for (const finding of findings) if ('market' in finding && finding.market !== '') return finding.market;
  return '';
}
