// The audit: today's normalizers over the captured frames, held against what was recorded. The log is read in order of time;
// all that a frame gave carries the frame's own time, so a frame and its events meet in one moment, and memory holds one moment
// plus the state of the connections that are open in it. See docs/audit.md for what can be judged and what cannot.

import type { EventType, Frame, Micros, Position, VenueAdapter, VenueEvent } from '@ladderlog/core';
import { EARLIEST_MICROS, LATEST_MICROS, adapterOf } from '@ladderlog/core';
import type { FrameVerdict, Recorded } from './judge-frame.ts';
import { judgeFrame } from './judge-frame.ts';
import { GapsInAudit } from './held-findings.ts';
import { judgeRestated } from './restated.ts';
import type { AuditOptions, AuditResult, NotJudged } from './result.ts';
import type { AuditSession, TapedWithEvents } from './sessions.ts';
import { AuditSessions } from './sessions.ts';
import type { SessionSpan } from './session-spans.ts';
import { surveySessions } from './session-spans.ts';
import type { Taped } from './tally.ts';
import { AuditTally } from './tally.ts';
import { bookTrack, trackOf } from './tracks.ts';
import { replayBatches } from '../source/source.ts';

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

/** Frames of an import whose times run backwards are put in order; more than so many are not waited for. */
const MAX_HELD = 2_000;
/** Frames between two looks for facts that are no longer needed. */
const FORGET_EVERY = 10_000;

export async function runAudit(options: AuditOptions): Promise<AuditResult> {
  const audit = new Audit(options, await surveySessions(options));
  await audit.run();
  return audit.tally.result();
}

class Audit {
  readonly tally: AuditTally;
  private readonly options: AuditOptions;
  private readonly adapter: VenueAdapter;
  private readonly spans: ReadonlyMap<string, SessionSpan>;
  private readonly sessions: AuditSessions;
  private readonly gaps: GapsInAudit;
  /** The newest frame that the socket of each connection sent. */
  private readonly spoke = new Map<string, number>();
  private readonly from: Micros;
  private readonly to: Micros;
  private readonly decoder = new TextDecoder();

  constructor(options: AuditOptions, spans: ReadonlyMap<string, SessionSpan>) {
    this.options = options;
    this.adapter = options.adapter ?? adapterOf(options.venue);
    this.spans = spans;
    this.sessions = new AuditSessions(this.adapter);
    this.tally = new AuditTally(options);
    this.gaps = new GapsInAudit(({ frame, difference }, late) =>
      this.verdict(
        frame,
        late || this.cameTooLate(frame)
          ? { ...NOTHING, suppressed: 1 }
          : { ...NOTHING, differences: [difference] },
      ),
    );
    this.from = options.from ?? EARLIEST_MICROS;
    this.to = options.to ?? LATEST_MICROS;
  }

  async run(): Promise<void> {
    const { log, venue, signal } = this.options;
    let begin = this.from;
    let [oldest, newest] = [Infinity, 0];
    for (const { first, last } of this.spans.values()) {
      if (last >= this.from && first < begin) begin = first;
      oldest = Math.min(oldest, first);
      newest = Math.max(newest, last);
    }
    const start = Math.max(begin, oldest);
    const total = Math.max(1, Math.min(this.to, newest) - start);
    const range = {
      venues: [venue],
      from: begin,
      to: this.to,
      types: READ,
      onUnreadable: () => void this.tally.unreadable++,
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
      this.options.onProgress?.({ done: Math.min(at - start, total), total, frames: this.tally.frames });
      this.closeSessions(at);
    }
    if (moment.length > 0) this.judgeMoment(moment, at);
    signal?.throwIfAborted();
    this.closeSessions(Infinity);
    this.gaps.end();
  }

  /** Everything that was recorded with one time: frames, and what they gave. */
  private judgeMoment(
    items: readonly { readonly event: VenueEvent; readonly position: Position }[],
    at: Micros,
  ): void {
    const frames: Taped[] = [];
    const recorded = new Map<string, Recorded[]>();
    const opened = new Set<string>();
    for (const { event, position } of items) {
      switch (event.type) {
        case 'FrameCaptured':
          frames.push({ event, position });
          break;
        case 'GapOpened':
          opened.add(trackOf(event));
          if (event.dataset === 'books' && !this.gaps.isKnown(event)) this.tally.gap(at);
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
          break;
        }
        default:
      }
    }
    for (const frame of frames) {
      const key = frameKey(frame.event.session, frame.event.ordinal);
      const ours = recorded.get(key) ?? [];
      for (const { event } of ours) this.tally.event(event);
      this.take(frame, ours, opened);
      recorded.delete(key);
    }
    for (const one of [...recorded.values()].flat()) this.judgeAlone(one, at);
    for (const { event } of items) this.gaps.follow(event);
  }

  /** Recorded at a moment that has no frame of it. */
  private judgeAlone({ event, position }: Recorded, at: Micros): void {
    const session = event.type === 'BookObserved' ? this.sessions.find(event.session) : null;
    if (event.type === 'BookObserved' && session && this.gaps.has(bookTrack(event.market, event.outcome))) {
      if (session.notJudged !== null) return this.tally.unjudged(session.notJudged, at);
      const verdict = judgeRestated({ event, position }, session, this.adapter);
      if (verdict && session.newest) return this.verdict(session.newest, verdict);
    }
    this.tally.event(event);
    this.tally.unjudged(
      event.type === 'FrameRejected' && event.channel === 'import' ? 'import_line' : 'frame_missing',
      at,
    );
  }

  /** Frames of a connection in the order they came in. */
  private take(frame: Taped, recorded: readonly Recorded[], opened: ReadonlySet<string>): void {
    const startMissing = this.options.from === undefined ? 'session_start_missing' : 'session_start_not_read';
    const session = this.sessions.of(frame, startMissing);
    const { ordinal, provenance } = frame.event;
    if (session.notJudged === null && ordinal !== session.nextOrdinal) {
      // Times of a live connection only ascend: what is not here is not in the log.
      if (provenance === 'captured') session.notJudged = 'frames_missing';
      else {
        session.held.set(ordinal, { frame, recorded });
        if (session.held.size > MAX_HELD) this.giveUp(session, 'frames_missing');
        return;
      }
    }
    this.judge(session, frame, recorded, opened);
    let next: TapedWithEvents | undefined;
    while ((next = session.held.get(session.nextOrdinal))) {
      session.held.delete(session.nextOrdinal);
      this.judge(session, next.frame, next.recorded, opened);
    }
  }

  private giveUp(session: AuditSession, why: NotJudged): void {
    session.notJudged = why;
    const held = [...session.held.values()].sort((a, b) => a.frame.event.ordinal - b.frame.event.ordinal);
    session.held.clear();
    for (const { frame, recorded } of held) this.judge(session, frame, recorded, NO_GAPS);
  }

  private judge(
    session: AuditSession,
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
    if (event.channel === 'ws') this.heard(session, event);
    const findings = session.normalizer.normalize(wire);
    this.sessions.learn(session, findings);
    session.newest = frame;
    if (event.channel === 'ws') this.sessions.keepBooks(session, findings);
    if (findings.length > 0 && this.tally.frames % FORGET_EVERY === 0)
      this.sessions.forgetEnded(session, event.observedAt);
    this.tally.frame(event);
    if (session.notJudged !== null) {
      for (const one of recorded) this.tally.unjudged(session.notJudged, one.event.observedAt);
      return;
    }
    if (event.direction === 'out') return;
    const inGap = (track: string): boolean => this.gaps.has(track) || opened.has(track);
    const verdict = judgeFrame(findings, recorded, this.adapter, event.observedAt, inGap);
    if (verdict.differences.length > 0 && session.socket && event.channel !== 'ws') {
      // An answer that was under way when its connection broke: the recorder had forgotten the books by then, which no frame
      // tells. If that explains it, it is not judged.
      session.normalizer.forget();
      const again = session.normalizer.normalize(wire);
      if (judgeFrame(again, recorded, this.adapter, event.observedAt, inGap).differences.length === 0) {
        for (const one of recorded) this.tally.unjudged('connection_broke', one.event.observedAt);
        return;
      }
      if (recorded.length === 0) {
        session.unheard.push({ frame, verdict });
        return;
      }
    }
    this.verdict(frame, verdict);
  }

  /** Its socket spoke, or we on it. */
  private heard(session: AuditSession, { direction, session: id, ordinal }: Taped['event']): void {
    session.socket = true;
    if (direction === 'out') return;
    this.spoke.set(id, ordinal);
    this.settleUnheard(session, true);
  }

  /** An answer that came in when its connection was gone is on the tape and gave nothing, whatever it says. */
  private settleUnheard(session: AuditSession, spokeAgain: boolean): void {
    for (const { frame, verdict } of session.unheard.splice(0)) {
      const { differences } = verdict;
      this.verdict(
        frame,
        spokeAgain
          ? verdict
          : {
              ...verdict,
              differences: [],
              compared: [],
              suppressed: verdict.suppressed + differences.length,
            },
      );
    }
  }

  /** An answer after the last word of its connection's socket: the connection was gone, see settleUnheard. */
  private cameTooLate({ event }: Taped): boolean {
    return event.channel !== 'ws' && (this.spoke.get(event.session) ?? Infinity) < event.ordinal;
  }

  private verdict(frame: Taped, verdict: FrameVerdict): void {
    const { session, observedAt } = frame.event;
    this.tally.verdict(frame, verdict, this.spans.get(session)?.last === observedAt);
    for (const { track, difference } of verdict.held) this.gaps.hold(track, { frame, difference });
  }

  private closeSessions(now: Micros): void {
    const isOver = (id: string): boolean => (this.spans.get(id)?.last ?? -Infinity) < now;
    for (const session of this.sessions.close(isOver)) {
      if (session.held.size > 0) this.giveUp(session, 'frames_missing');
      this.settleUnheard(session, false);
    }
  }
}

const NOTHING: FrameVerdict = { matched: [], differences: [], suppressed: 0, compared: [], held: [] };
const NO_GAPS: ReadonlySet<string> = new Set();

const frameKey = (session: string, ordinal: number): string => `${session}\u0000${ordinal}`;
