// What an audit has found so far: counted in its range only, the frames before it being there for the books' sake.

import type { FrameCaptured, Micro, Micros, Position } from '@ladderlog/core';
import { EARLIEST_MICROS, formatPosition } from '@ladderlog/core';
import type { Judged } from './compare.ts';
import type { FrameVerdict } from './judge-frame.ts';
import { OffsetCounts } from './clock-offsets.ts';
import type { AuditOptions, AuditResult, Comparisons, Counts, Difference, NotJudged } from './result.ts';

export type Taped = { readonly event: FrameCaptured; readonly position: Position };

const DEFAULT_LISTED = 100;

export class AuditTally {
  private readonly options: AuditOptions;
  private readonly from: Micros;
  private readonly sessions = new Set<string>();
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
  private suppressed = 0;
  private gaps = 0;
  frames = 0;
  unreadable = 0;

  constructor(options: AuditOptions) {
    this.options = options;
    this.from = options.from ?? EARLIEST_MICROS;
  }

  frame({ session, observedAt }: FrameCaptured): void {
    if (observedAt < this.from) return;
    this.frames++;
    this.sessions.add(session);
  }

  gap(at: Micros): void {
    if (at >= this.from) this.gaps++;
  }

  event(event: Judged): void {
    if (event.observedAt < this.from) return;
    if (event.type === 'BookObserved' && event.sourceTs !== null)
      this.offsets.add(event.observedAt - event.sourceTs);
    else if (event.type === 'BookCompared') add(this.recorded, event.levelsDiffering, event.sizeDrift);
  }

  /** An event that could not be judged. */
  unjudged(why: NotJudged, at: Micros): void {
    if (at >= this.from) this.notJudged[why] = (this.notJudged[why] ?? 0) + 1;
  }

  /** `last`: nothing of its connection was recorded after this frame. */
  verdict(frame: Taped, verdict: FrameVerdict, last: boolean): void {
    const { session, ordinal, observedAt } = frame.event;
    if (observedAt < this.from) return;
    for (const type of verdict.matched) {
      this.counts[type].judged++;
      this.counts[type].matched++;
    }
    this.suppressed += verdict.suppressed;
    for (const { levels, drift } of verdict.compared) add(this.recomputed, levels, drift);
    for (const { event, ...one } of verdict.differences) {
      if (one.kind === 'missing' && last && this.options.log.kind === 'kafka') {
        this.unjudged('unfinished_append', observedAt);
        continue;
      }
      this.counts[one.type].judged++;
      this.counts[one.type].different++;
      if (this.differences.length >= (this.options.listed ?? DEFAULT_LISTED)) continue;
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

  result(): AuditResult {
    const { options, counts } = this;
    return {
      venue: options.venue,
      from: options.from ?? null,
      to: options.to ?? null,
      frames: this.frames,
      sessions: this.sessions.size,
      books: counts.BookObserved,
      samples: counts.MetricSampled,
      comparisons: counts.BookCompared,
      rejects: counts.FrameRejected,
      suppressed: this.suppressed,
      notJudged: this.notJudged,
      gaps: this.gaps,
      unreadable: this.unreadable,
      drift: { recorded: this.recorded, recomputed: this.recomputed },
      offsets: this.offsets,
      differences: this.differences,
    };
  }
}

const none = (): Counts => ({ judged: 0, matched: 0, different: 0 });

function add(into: Comparisons, levels: number, drift: Micro): void {
  into.count++;
  if (levels === 0) into.equal++;
  into.levels += levels;
  into.drift += drift;
}
