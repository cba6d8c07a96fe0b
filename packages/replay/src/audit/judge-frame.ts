// One frame: what its normalizer says now beside what was recorded of it.

import type { Finding, Micro, Micros, Position, VenueAdapter } from '@ladderlog/core';
import type { FieldDifference, Judged, JudgedFinding } from './compare.ts';
import { difference, keyOf, typeOf } from './compare.ts';
import { bookTrack, samplesTrack } from './tracks.ts';

export type Recorded = { readonly event: Judged; readonly position: Position };

export type FrameDifference = Partial<FieldDifference> & {
  readonly kind: 'field' | 'missing' | 'unexpected';
  readonly type: Judged['type'];
  readonly market: string;
  readonly outcome: string | null;
  readonly event: Position | null;
};

export type FrameVerdict = {
  readonly matched: Judged['type'][];
  readonly differences: FrameDifference[];
  /** Books that a recorded gap kept from being observations. */
  suppressed: number;
  /** Our book against the venue's, as computed now. */
  readonly compared: { readonly levels: number; readonly drift: Micro }[];
  /** Not recorded inside a gap: whether they should have been is told at its end. */
  readonly held: { readonly track: string; readonly difference: FrameDifference }[];
};

const isJudged = (finding: Finding): finding is JudgedFinding =>
  finding.type === 'book' ||
  finding.type === 'sample' ||
  finding.type === 'compare' ||
  finding.type === 'reject';

export function judgeFrame(
  findings: readonly Finding[],
  recorded: readonly Recorded[],
  adapter: VenueAdapter,
  observedAt: Micros,
  inGap: (track: string) => boolean,
): FrameVerdict {
  const verdict: FrameVerdict = { matched: [], differences: [], suppressed: 0, compared: [], held: [] };
  const due = Map.groupBy(findings.filter(isJudged), (finding) => keyOf(typeOf(finding), finding));
  const seen = Map.groupBy(recorded, ({ event }) => keyOf(event.type, event));
  for (const [, group] of due)
    for (const finding of group)
      if (finding.type === 'compare')
        verdict.compared.push({ levels: finding.levelsDiffering, drift: finding.sizeDrift });
  for (const key of new Set([...due.keys(), ...seen.keys()]))
    pair(due.get(key) ?? [], seen.get(key) ?? [], adapter, observedAt, inGap, verdict);
  return verdict;
}

/** The n-th with the n-th, counted from the end: what a gap suppressed comes before the book that closed it. */
function pair(
  due: readonly JudgedFinding[],
  seen: readonly Recorded[],
  adapter: VenueAdapter,
  observedAt: Micros,
  inGap: (track: string) => boolean,
  verdict: FrameVerdict,
): void {
  for (let back = 1; back <= Math.max(due.length, seen.length); back++) {
    const finding = due.at(-back);
    const one = seen.at(-back);
    if (finding && !one) {
      const track = trackOf(finding);
      const missing = { ...about(finding), kind: 'missing' as const, type: typeOf(finding), event: null };
      if (track === null || !inGap(track)) verdict.differences.push(missing);
      else if (finding.type === 'book') verdict.suppressed++;
      else verdict.held.push({ track, difference: missing });
    } else if (one) {
      const field = finding ? difference(one.event, finding, adapter, observedAt) : null;
      if (finding && !field) verdict.matched.push(one.event.type);
      else
        verdict.differences.push({
          ...about(one.event),
          kind: finding ? 'field' : 'unexpected',
          type: one.event.type,
          event: one.position,
          ...field,
        });
    }
  }
}

/** The track whose gap may have kept it from being recorded. */
function trackOf(finding: JudgedFinding): string | null {
  if (finding.type === 'reject') return null;
  return finding.type === 'sample'
    ? samplesTrack(finding.market)
    : bookTrack(finding.market, finding.outcome);
}

const about = (subject: Judged | JudgedFinding): { market: string; outcome: string | null } => ({
  market: subject.market,
  outcome: 'outcome' in subject ? subject.outcome : null,
});
