// What is being watched, and since when it is not. A track is one book (or the samples of one market) of one venue; gaps are
// kept here and nowhere else, so that live capture, import, and recovery after a crash follow one rule:
//   a gap opens at the last moment known to be covered, and only a whole book (a snapshot) closes it.
// While a gap is open no observation of that track is emitted. Quiet is not a gap: beats say so.

import type {
  Dataset,
  Envelope,
  GapCause,
  GapEdge,
  GapScope,
  LateFrames,
  VenueEvent,
  Venue,
} from '../events/events.ts';
import type { BookFinding } from './finding.ts';
import type { Evidence, OpenGap } from './evidence.ts';
import { hashText } from '../kernel/hash.ts';
import type { Micros } from '../kernel/time.ts';
import { withLateFrame, withLateFrom, withoutLateEnd } from './late-frames.ts';

export type Track = {
  readonly dataset: Dataset;
  readonly market: string;
  /** Null for samples: all outcomes of the market. */
  readonly outcome: string | null;
  /** Session that watches it now. */
  session: string;
  /** Other sessions that have told of it: when this one ends, one of them may still watch. */
  readonly otherSessions: Set<string>;
  /** When watching was asked for; capture counts from the first finding. */
  watchedAt: Micros;
  started: boolean;
  /** Newest proof of coverage. */
  lastEvidence: Micros;
  /** Newest start or beat written: the log's own word on coverage, which beats keep close to lastEvidence. */
  lastBeat: Micros;
  lastObserved: GapEdge | null;
  lastSourceTs: Micros | null;
  /** The newest book observed; its arrays are never changed. */
  lastBook: BookFinding | null;
  gap: OpenGap | null;
};

export const trackKey = (dataset: Dataset, market: string, outcome: string | null): string =>
  `${dataset}\u0000${market}\u0000${outcome ?? ''}`;

export class Tracks {
  private readonly venue: Venue;
  private readonly collector: string;
  private readonly byKey = new Map<string, Track>();
  private readonly byMarket = new Map<string, Set<Track>>();

  constructor(venue: Venue, collector: string) {
    this.venue = venue;
    this.collector = collector;
  }

  get(dataset: Dataset, market: string, outcome: string | null): Track | undefined {
    return this.byKey.get(trackKey(dataset, market, outcome));
  }

  all(): IterableIterator<Track> {
    return this.byKey.values();
  }

  ofMarket(market: string): ReadonlySet<Track> {
    return this.byMarket.get(market) ?? NO_TRACKS;
  }

  /** Watching was asked for; nothing is claimed yet. */
  watch(dataset: Dataset, market: string, outcome: string | null, session: string, at: Micros): Track {
    const key = trackKey(dataset, market, outcome);
    let track = this.byKey.get(key);
    if (track) {
      if (track.session !== session) {
        track.session = session;
        track.watchedAt = at;
      }
      return track;
    }
    track = {
      dataset,
      market,
      outcome,
      session,
      otherSessions: new Set(),
      watchedAt: at,
      started: false,
      lastEvidence: at,
      lastBeat: 0,
      lastObserved: null,
      lastSourceTs: null,
      lastBook: null,
      gap: null,
    };
    this.byKey.set(key, track);
    const siblings = this.byMarket.get(market);
    if (siblings) siblings.add(track);
    else this.byMarket.set(market, new Set([track]));
    return track;
  }

  start(track: Track, envelope: Envelope, into: VenueEvent[]): void {
    if (track.started) return;
    track.started = true;
    track.lastEvidence = envelope.observedAt;
    track.lastBeat = envelope.observedAt;
    into.push({ ...envelope, ...subjectOf(track), type: 'CaptureStarted', collector: this.collector });
  }

  /** A whole book (or a sample) was observed: ends an open gap. */
  observed(track: Track, envelope: Envelope, into: VenueEvent[]): void {
    this.start(track, envelope, into);
    const edge = { session: envelope.session, ordinal: envelope.ordinal, observedAt: envelope.observedAt };
    if (track.gap) this.close(track, envelope, envelope.observedAt, edge, into);
    track.lastObserved = edge;
    track.lastEvidence = envelope.observedAt;
  }

  /** Shown to be watched again, though it had nothing to observe yet: the gap ends at the frame that shows it. */
  resume(track: Track, envelope: Envelope, into: VenueEvent[]): void {
    const { session, ordinal, observedAt } = envelope;
    this.close(track, envelope, observedAt, { session, ordinal, observedAt }, into);
    track.lastEvidence = observedAt;
  }

  /** Another connection watches it from here on, and was there before this one ended: covered by the one, then by the other. */
  handOver(track: Track, from: Envelope, to: Envelope, into: VenueEvent[]): void {
    track.otherSessions.add(track.session);
    track.session = to.session;
    if (!track.started || track.gap) return;
    const { collector } = this;
    into.push({ ...from, ...subjectOf(track), type: 'CaptureBeat', collector, stampDelay: null });
    into.push({ ...to, ...subjectOf(track), type: 'CaptureStarted', collector });
    track.lastEvidence = Math.max(track.lastEvidence, to.observedAt);
    track.lastBeat = to.observedAt;
  }

  /** From `from` on the track is not covered. One gap at a time: a second cause inside an open gap changes nothing. */
  open(
    track: Track,
    envelope: Envelope,
    gap: {
      cause: GapCause;
      scope: GapScope;
      from: Micros;
      detail: string | null;
      late?: readonly LateFrames[];
    },
    into: VenueEvent[],
  ): void {
    if (!track.started || track.gap) return;
    // Never before the last observation: no observation may lie inside a gap.
    const from = Math.max(gap.from, track.lastObserved?.observedAt ?? gap.from);
    const gapId = hashText(
      `${this.venue}|${track.dataset}|${track.market}|${track.outcome ?? ''}|${from}|${envelope.session}`,
    );
    track.gap = {
      gapId,
      cause: gap.cause,
      scope: gap.scope,
      from,
      lastBefore: track.lastObserved,
      late: gap.late ?? [],
    };
    into.push({ ...envelope, ...subjectOf(track), type: 'GapOpened', ...track.gap, detail: gap.detail });
  }

  /**
   * The recorder was held up since `from`: what its connection reads now, from the frame `first` on, is late. A gap that is open
   * goes on, and says so.
   */
  stall(
    track: Track,
    envelope: Envelope,
    { from, detail, first }: { readonly from: Micros; readonly detail: string; readonly first: number },
    into: VenueEvent[],
  ): void {
    const { session } = envelope;
    if (!track.gap) {
      const late = [{ session, first, last: null }];
      this.open(track, envelope, { cause: 'recorder_stalled', scope: 'collector', from, detail, late }, into);
      return;
    }
    const late = withLateFrom(track.gap.late, session, first);
    if (late === track.gap.late) return;
    track.gap = { ...track.gap, late };
    into.push({ ...envelope, ...subjectOf(track), type: 'GapOpened', ...track.gap, detail: null });
  }

  /** A frame that told of the track came late. */
  noteLate(track: Track, { session, ordinal }: Envelope): void {
    if (track.gap) track.gap = { ...track.gap, late: withLateFrame(track.gap.late, session, ordinal) };
  }

  /** The connection has caught up, with `last` the last frame that came late. */
  caughtUp(track: Track, session: string, last: number): void {
    if (track.gap) track.gap = { ...track.gap, late: withoutLateEnd(track.gap.late, session, last) };
  }

  private close(
    track: Track,
    envelope: Envelope,
    to: Micros,
    firstAfter: GapEdge | null,
    into: VenueEvent[],
  ): void {
    const { gap } = track;
    if (!gap) return;
    track.gap = null;
    const end = { to: Math.max(to, gap.from), firstAfter };
    into.push({ ...envelope, ...subjectOf(track), type: 'GapClosed', ...gap, ...end });
  }

  /**
   * Proof of life: covered until the newest evidence, or until `aliveAt`, the last inbound activity of its connection, when
   * that is newer. Only for what is started and not in a gap, and only when it is news.
   */
  beat(
    track: Track,
    envelope: Envelope,
    { aliveAt, stampDelay }: { readonly aliveAt: Micros | null; readonly stampDelay: Micros | null },
    into: VenueEvent[],
  ): void {
    if (!track.started || track.gap) return;
    if (aliveAt !== null && aliveAt > track.lastEvidence) track.lastEvidence = aliveAt;
    if (track.lastEvidence <= track.lastBeat) return;
    track.lastBeat = track.lastEvidence;
    const { collector } = this;
    const at = { observedAt: track.lastEvidence };
    into.push({ ...envelope, ...at, ...subjectOf(track), type: 'CaptureBeat', collector, stampDelay });
  }

  /** Watching ends on purpose. An open gap ends with it, without an observation after. */
  stop(track: Track, envelope: Envelope, reason: string, into: VenueEvent[]): void {
    this.byKey.delete(trackKey(track.dataset, track.market, track.outcome));
    const siblings = this.byMarket.get(track.market);
    siblings?.delete(track);
    if (siblings?.size === 0) this.byMarket.delete(track.market);
    if (!track.started) return;
    this.close(track, envelope, envelope.observedAt, null, into);
    into.push({
      ...envelope,
      ...subjectOf(track),
      type: 'CaptureStopped',
      collector: this.collector,
      reason,
    });
  }

  /** After a crash: what was watched then is in a gap since its last evidence, or still in the gap it was in. */
  recover(evidence: Evidence, envelope: Envelope, into: VenueEvent[]): Track {
    const track = this.watch(
      evidence.dataset,
      evidence.market,
      evidence.outcome,
      envelope.session,
      envelope.observedAt,
    );
    track.started = true;
    track.lastEvidence = evidence.lastEvidence;
    track.lastObserved = evidence.lastObserved;
    track.gap = evidence.gap;
    this.open(
      track,
      envelope,
      { cause: 'collector_down', scope: 'collector', from: evidence.lastEvidence, detail: null },
      into,
    );
    return track;
  }
}

const subjectOf = ({ market, dataset, outcome }: Track): Pick<Track, 'market' | 'dataset' | 'outcome'> => ({
  market,
  dataset,
  outcome,
});

const NO_TRACKS: ReadonlySet<Track> = new Set();
