// The audit: today's normalizers over the captured frames, held against what was recorded. The log is read in order of time;
// all that a frame gave carries the frame's own time, so a frame and its events meet in one moment, and memory holds one moment
// plus the state of the connections that are open in it. See docs/audit.md for what can be judged and what cannot.

import type {
  EventType,
  Finding,
  Frame,
  FrameCaptured,
  MarketFields,
  Micro,
  Micros,
  Normalizer,
  Position,
  Venue,
  VenueAdapter,
  VenueEvent,
} from '@ladderlog/core';
import {
  LATEST_MICROS,
  EARLIEST_MICROS,
  MICROS_PER_MS,
  formatPosition,
  framesTopic,
  venueA,
  venueB,
  venueC,
} from '@ladderlog/core';
import { positionsFromBeginning } from '@ladderlog/log';
import type { Judged } from './audit-compare.ts';
import type { FrameVerdict, Recorded } from './audit-frame.ts';
import { judgeFrame } from './audit-frame.ts';
import { OffsetCounts } from './audit-offsets.ts';
import type {
  AuditOptions,
  AuditResult,
  Comparisons,
  Counts,
  Difference,
  NotJudged,
} from './audit-result.ts';
import { replayBatches } from './source.ts';

const ADAPTERS: Readonly<Record<Venue, VenueAdapter>> = { venuea: venueA, venueb: venueB, venuec: venueC };

const READ: ReadonlySet<EventType> = new Set([
  'FrameCaptured',
  'BookObserved',
  'MetricSampled',
  'BookCompared',
  'FrameRejected',
  'GapOpened',
  'GapClosed',
  'CaptureStopped',
]);

/** Facts of markets that ended are kept this long: a collector asks for resolutions for about a day. */
const KNOWN_AFTER_CLOSE: Micros = 26 * 3_600_000_000;
/** Frames of an import whose times run backwards are put in order; more than so many are not waited for. */
const MAX_HELD = 2_000;

type Taped = { readonly event: FrameCaptured; readonly position: Position };

type Session = {
  readonly normalizer: Normalizer;
  readonly group: string;
  nextOrdinal: number;
  /** Out of order: frames and what was recorded of them, until those before have come. */
  readonly held: Map<number, { readonly frame: Taped; readonly recorded: readonly Recorded[] }>;
  /** It has frames of a socket. */
  socket: boolean;
  /** Why nothing of it can be judged any more. */
  spoiled: NotJudged | null;
};

export async function runAudit(options: AuditOptions): Promise<AuditResult> {
  const audit = new Audit(options, await surveySessions(options));
  await audit.run();
  return audit.result();
}

type SessionSpan = { first: Micros; last: Micros };

/** Keys and times only: when each connection was recorded, first and last. */
async function surveySessions({
  log,
  venue,
  from,
  to,
  warmupMs,
  signal,
}: AuditOptions): Promise<Map<string, SessionSpan>> {
  const topic = framesTopic(venue);
  const times = {
    from: from === undefined ? EARLIEST_MICROS : from - (warmupMs ?? DEFAULT_WARMUP_MS) * MICROS_PER_MS,
    to: to ?? LATEST_MICROS,
  };
  const spans = new Map<string, SessionSpan>();
  const request = { from: await positionsFromBeginning(log, [topic]), times, ...(signal ? { signal } : {}) };
  for await (const { records } of log.read(request)) {
    for (const { key, time } of records) {
      if (time < times.from || time >= times.to) continue;
      const span = spans.get(key);
      if (!span) spans.set(key, { first: time, last: time });
      else if (time > span.last) span.last = time;
      else if (time < span.first) span.first = time;
    }
  }
  return spans;
}

const DEFAULT_WARMUP_MS = 25 * 3_600_000;

class Audit {
  private readonly options: AuditOptions;
  private readonly adapter: VenueAdapter;
  private readonly spans: ReadonlyMap<string, SessionSpan>;
  private readonly sessions = new Map<string, Session>();
  /** Catalogue facts, per collector or import: one connection's are known to the others. */
  private readonly known = new Map<string, Map<string, MarketFields>>();
  /** Books in a recorded gap, by market and outcome. */
  private readonly gaps = new Map<string, string>();
  private readonly from: Micros;
  private readonly to: Micros;
  private readonly decoder = new TextDecoder();
  private frames = 0;
  private judgedSessions = new Set<string>();
  private gapCount = 0;
  private unreadable = 0;
  private suppressed = 0;
  private readonly counts: Record<Judged['type'], Counts> = {
    BookObserved: none(),
    MetricSampled: none(),
    BookCompared: none(),
    FrameRejected: none(),
  };
  private readonly notJudged: Partial<Record<NotJudged, number>> = {};
  private readonly differences: Difference[] = [];
  private readonly recorded: Comparisons = { count: 0, equal: 0, levels: 0, drift: 0 };
  private readonly recomputed: Comparisons = { count: 0, equal: 0, levels: 0, drift: 0 };
  private readonly offsets = new OffsetCounts();

  constructor(options: AuditOptions, spans: ReadonlyMap<string, SessionSpan>) {
    this.options = options;
    this.adapter = options.adapter ?? ADAPTERS[options.venue];
    this.spans = spans;
    this.from = options.from ?? EARLIEST_MICROS;
    this.to = options.to ?? LATEST_MICROS;
  }

  async run(): Promise<void> {
    const { log, venue, signal } = this.options;
    let begin = this.from;
    for (const { first, last } of this.spans.values()) if (last >= this.from && first < begin) begin = first;
    const range = {
      venues: [venue],
      from: begin,
      to: this.to,
      types: READ,
      onUnreadable: () => void this.unreadable++,
      ...(signal ? { signal } : {}),
    };
    let moment: { readonly event: VenueEvent; readonly position: Position }[] = [];
    let at = -1;
    for await (const items of replayBatches(log, range)) {
      for (const item of items) {
        if (item.time !== at) {
          if (moment.length > 0) this.judgeMoment(moment, at);
          moment = [];
          at = item.time;
        }
        moment.push(item);
      }
      this.options.onProgress?.(at, this.frames);
      this.closeSessions(at);
    }
    if (moment.length > 0) this.judgeMoment(moment, at);
    signal?.throwIfAborted();
    this.closeSessions(Infinity);
  }

  /** Everything that was recorded with one time: frames, and what they gave. */
  private judgeMoment(
    items: readonly { readonly event: VenueEvent; readonly position: Position }[],
    at: Micros,
  ): void {
    const frames: Taped[] = [];
    const recorded = new Map<string, Recorded[]>();
    const opened = new Set<string>();
    const inRange = at >= this.from;
    for (const { event, position } of items) {
      switch (event.type) {
        case 'FrameCaptured':
          frames.push({ event, position });
          break;
        case 'GapOpened':
          if (event.dataset === 'books') {
            opened.add(trackOf(event.market, event.outcome));
            if (inRange && !this.isOpen(event.market, event.outcome, event.gapId)) this.gapCount++;
          }
          break;
        case 'BookObserved':
        case 'MetricSampled':
        case 'BookCompared':
        case 'FrameRejected': {
          if (event.provenance === 'backfilled') break;
          const key = frameKey(event.session, event.ordinal);
          const list = recorded.get(key);
          if (list) list.push({ event, position });
          else recorded.set(key, [{ event, position }]);
          if (inRange) this.measure(event);
          break;
        }
        default:
      }
    }
    for (const frame of frames) {
      const key = frameKey(frame.event.session, frame.event.ordinal);
      this.take(frame, recorded.get(key) ?? [], opened);
      recorded.delete(key);
    }
    for (const left of recorded.values())
      for (const { event } of left)
        this.leave(
          event.type === 'FrameRejected' && event.channel === 'import' ? 'import_line' : 'frame_missing',
          at,
        );
    for (const { event } of items) this.followGaps(event);
  }

  private measure(event: Judged): void {
    if (event.type === 'BookObserved' && event.sourceTs !== null)
      this.offsets.add(event.observedAt - event.sourceTs);
    else if (event.type === 'BookCompared') add(this.recorded, event.levelsDiffering, event.sizeDrift);
  }

  private isOpen(market: string, outcome: string | null, gapId: string): boolean {
    return this.gaps.get(trackOf(market, outcome)) === gapId;
  }

  private followGaps(event: VenueEvent): void {
    if (event.type === 'GapOpened' && event.dataset === 'books')
      this.gaps.set(trackOf(event.market, event.outcome), event.gapId);
    else if ((event.type === 'GapClosed' || event.type === 'CaptureStopped') && event.dataset === 'books')
      this.gaps.delete(trackOf(event.market, event.outcome));
  }

  private sessionOf({ event }: Taped): Session {
    let session = this.sessions.get(event.session);
    if (!session) {
      const group = /^import-[0-9a-f]{16}/.exec(event.session)?.[0] ?? 'captured';
      const normalizer = this.adapter.createNormalizer();
      const known = this.known.get(group) ?? new Map<string, MarketFields>();
      this.known.set(group, known);
      for (const [market, fields] of known) normalizer.learn(market, fields);
      session = { normalizer, group, nextOrdinal: 0, held: new Map(), socket: false, spoiled: null };
      this.sessions.set(event.session, session);
      if (event.ordinal > 0 && event.provenance === 'captured')
        session.spoiled =
          this.options.from === undefined ? 'session_start_missing' : 'session_start_not_read';
    }
    return session;
  }

  /** Frames of a connection in the order they came in. */
  private take(frame: Taped, recorded: readonly Recorded[], opened: ReadonlySet<string>): void {
    const session = this.sessionOf(frame);
    const { ordinal, provenance } = frame.event;
    if (session.spoiled === null && ordinal !== session.nextOrdinal) {
      // Times of a live connection only ascend: what is not here is not in the log.
      if (provenance === 'captured') session.spoiled = 'frames_missing';
      else {
        session.held.set(ordinal, { frame, recorded });
        if (session.held.size > MAX_HELD) this.spoil(session, 'frames_missing');
        return;
      }
    }
    this.judge(session, frame, recorded, opened);
    for (
      let next = session.held.get(session.nextOrdinal);
      next;
      next = session.held.get(session.nextOrdinal)
    ) {
      session.held.delete(session.nextOrdinal);
      this.judge(session, next.frame, next.recorded, opened);
    }
  }

  private spoil(session: Session, why: NotJudged): void {
    session.spoiled = why;
    const held = [...session.held.values()].sort((a, b) => a.frame.event.ordinal - b.frame.event.ordinal);
    session.held.clear();
    for (const { frame, recorded } of held) this.judge(session, frame, recorded, NO_GAPS);
  }

  private judge(
    session: Session,
    frame: Taped,
    recorded: readonly Recorded[],
    opened: ReadonlySet<string>,
  ): void {
    const { event } = frame;
    session.nextOrdinal = event.ordinal + 1;
    const wire: Frame = {
      channel: event.channel,
      direction: event.direction,
      text: this.decoder.decode(event.body),
      observedAt: event.observedAt,
      settings: event.settings,
    };
    if (event.channel === 'ws') session.socket = true;
    const findings = session.normalizer.normalize(wire);
    this.learn(session, findings, event.observedAt);
    const inRange = event.observedAt >= this.from;
    if (inRange) {
      this.frames++;
      this.judgedSessions.add(event.session);
    }
    if (session.spoiled !== null) {
      for (const one of recorded) this.leave(session.spoiled, one.event.observedAt);
      return;
    }
    if (event.direction === 'out') return;
    const inGap = (market: string, outcome: string): boolean => {
      const track = trackOf(market, outcome);
      return this.gaps.has(track) || opened.has(track);
    };
    const verdict = judgeFrame(findings, recorded, this.adapter, event.observedAt, inGap);
    if (verdict.differences.length > 0 && session.socket && event.channel !== 'ws') {
      // An answer that was under way when its connection broke: the recorder had forgotten the books by then, which no frame
      // tells. If that explains it, it is not judged.
      session.normalizer.forget();
      const again = session.normalizer.normalize(wire);
      if (judgeFrame(again, recorded, this.adapter, event.observedAt, inGap).differences.length === 0) {
        for (const one of recorded) this.leave('connection_broke', one.event.observedAt);
        return;
      }
    }
    if (inRange) this.count(frame, verdict);
  }

  /** As Capture does: a market fact that one connection saw is known to all that are open, and to later ones. */
  private learn(session: Session, findings: readonly Finding[], at: Micros): void {
    const known = this.known.get(session.group)!;
    for (const finding of findings) {
      if (finding.find !== 'market') continue;
      known.set(finding.market, finding.fields);
      for (const other of this.sessions.values())
        if (other.group === session.group) other.normalizer.learn(finding.market, finding.fields);
    }
    if (findings.length > 0 && this.frames % 10_000 === 0)
      for (const [market, { closesAt }] of known)
        if (closesAt !== null && closesAt + KNOWN_AFTER_CLOSE < at) known.delete(market);
  }

  private count(frame: Taped, verdict: FrameVerdict): void {
    for (const type of verdict.matched) {
      this.counts[type].judged++;
      this.counts[type].matched++;
    }
    this.suppressed += verdict.suppressed;
    for (const { levels, drift } of verdict.compared) add(this.recomputed, levels, drift);
    const { session, ordinal, observedAt } = frame.event;
    const last = this.spans.get(session)!.last === observedAt;
    for (const { event, ...one } of verdict.differences) {
      if (one.kind === 'missing' && last && this.options.log.kind === 'kafka') {
        this.leave('unfinished_append', observedAt);
        continue;
      }
      this.counts[one.type].judged++;
      this.counts[one.type].different++;
      if (this.differences.length >= (this.options.listed ?? 100)) continue;
      this.differences.push({
        ...one,
        session,
        ordinal,
        observedAt,
        frame: formatPosition(frame.position),
        event: event ? formatPosition(event) : null,
      });
    }
  }

  private leave(why: NotJudged, at: Micros): void {
    if (at >= this.from) this.notJudged[why] = (this.notJudged[why] ?? 0) + 1;
  }

  private closeSessions(now: Micros): void {
    for (const [id, session] of this.sessions) {
      if ((this.spans.get(id)?.last ?? -Infinity) >= now) continue;
      if (session.held.size > 0) this.spoil(session, 'frames_missing');
      this.sessions.delete(id);
    }
  }

  result(): AuditResult {
    const { options, counts } = this;
    return {
      venue: options.venue,
      from: options.from ?? null,
      to: options.to ?? null,
      frames: this.frames,
      sessions: this.judgedSessions.size,
      books: counts.BookObserved,
      samples: counts.MetricSampled,
      comparisons: counts.BookCompared,
      rejects: counts.FrameRejected,
      suppressed: this.suppressed,
      notJudged: this.notJudged,
      gaps: this.gapCount,
      unreadable: this.unreadable,
      drift: { recorded: this.recorded, recomputed: this.recomputed },
      offsets: this.offsets,
      differences: this.differences,
    };
  }
}

const NO_GAPS: ReadonlySet<string> = new Set();

const none = (): Counts => ({ judged: 0, matched: 0, different: 0 });
const frameKey = (session: string, ordinal: number): string => `${session}\u0000${ordinal}`;
const trackOf = (market: string, outcome: string | null): string => `${market}\u0000${outcome ?? ''}`;

function add(into: Comparisons, levels: number, drift: Micro): void {
  into.count++;
  if (levels === 0) into.equal++;
  into.levels += levels;
  into.drift += drift;
}
