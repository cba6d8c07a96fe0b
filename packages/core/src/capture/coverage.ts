// What of a time range was recorded. A session watches from its start (or from the end of the gap it recovered from) until it
// stops, or until the last evidence it left: after a crash nothing says when it stopped. Gaps are taken out. A quiet market is
// covered.

import type { Dataset, GapCause, GapScope, Venue } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';

/** Starts and stops of a session, one row each; its beats, one row from the first to the newest. */
export type CoverageRow = {
  /** Empty: every outcome of the market. */
  readonly outcome: string;
  readonly session: string;
  readonly kind: 'started' | 'beat' | 'stopped';
  readonly since: Micros;
  readonly at: Micros;
};

export type GapRow = {
  readonly gap_id: string;
  readonly venue: Venue;
  readonly market: string;
  readonly outcome: string;
  readonly dataset: Dataset;
  readonly cause: GapCause;
  readonly scope: GapScope;
  readonly from_at: Micros;
  readonly to_at: Micros | null;
  readonly last_before_session: string | null;
  readonly last_before_at: Micros | null;
  readonly first_after_session: string | null;
  readonly first_after_at: Micros | null;
  readonly detail: string;
};

/** Half-open. */
export type Interval = { readonly from: Micros; readonly to: Micros };

export type CoverageAnswer = {
  readonly from: Micros;
  readonly to: Micros;
  /** Covered share of the range, 0 to 1; null for an empty range. */
  readonly covered_ratio: number | null;
  readonly intervals: readonly Interval[];
  /** Gaps that touch the range, with their own full bounds, oldest first. */
  readonly gaps: readonly GapRow[];
};

/**
 * `rows` and `gaps` are all of one market and dataset. With an outcome, those of that outcome (and of the whole market) count;
 * without, a moment is covered when every outcome that was ever watched is. Time after the newest evidence is not covered yet.
 */
export function coverageOf(
  rows: readonly CoverageRow[],
  gaps: readonly GapRow[],
  range: Interval,
  outcome: string | null = null,
): CoverageAnswer {
  const concerns = (of: string, one: string): boolean => of === '' || one === '' || of === one;
  const outcomes =
    outcome === null ? [...new Set(rows.map((row) => row.outcome).filter((one) => one !== ''))] : [outcome];
  if (outcomes.length === 0) outcomes.push('');
  let covered: readonly Interval[] | null = null;
  for (const one of outcomes) {
    const ours = gaps.filter((gap) => concerns(gap.outcome, one));
    const watched = union(
      sessionsOf(rows.filter((row) => concerns(row.outcome, one))).flatMap((session) =>
        sessionIntervals(session, ours),
      ),
    );
    const left = subtract(
      clip(watched, range),
      union(ours.map((gap) => ({ from: gap.from_at, to: gap.to_at ?? Infinity }))),
    );
    covered = covered === null ? left : intersect(covered, left);
  }
  const intervals = covered ?? [];
  const length = range.to - range.from;
  const micros = intervals.reduce((sum, { from, to }) => sum + (to - from), 0);
  return {
    from: range.from,
    to: range.to,
    covered_ratio: length > 0 ? micros / length : null,
    intervals,
    gaps: gaps
      .filter(
        (gap) =>
          (outcome === null || concerns(gap.outcome, outcome)) &&
          gap.from_at < range.to &&
          (gap.to_at === null || gap.to_at > range.from),
      )
      .sort((a, b) => a.from_at - b.from_at || (a.gap_id < b.gap_id ? -1 : 1)),
  };
}

type Session = { readonly name: string; readonly rows: readonly CoverageRow[] };

function sessionsOf(rows: readonly CoverageRow[]): Session[] {
  const byName = new Map<string, CoverageRow[]>();
  for (const row of rows) {
    const known = byName.get(row.session);
    if (known) known.push(row);
    else byName.set(row.session, [row]);
  }
  return [...byName].map(([name, sessionRows]) => ({ name, rows: sessionRows }));
}

function sessionIntervals(session: Session, gaps: readonly GapRow[]): Interval[] {
  const begins: Micros[] = [];
  const stops: Micros[] = [];
  let evidence = -Infinity;
  let firstBeat = Infinity;
  for (const row of session.rows) {
    evidence = Math.max(evidence, row.at);
    if (row.kind === 'started') begins.push(row.at);
    else if (row.kind === 'stopped') stops.push(row.at);
    else firstBeat = Math.min(firstBeat, row.since);
  }
  for (const gap of gaps) {
    // A session that recovered a track after a crash has no start of its own: it watches since the gap ended.
    if (gap.first_after_session === session.name && gap.to_at !== null) {
      begins.push(gap.to_at);
      evidence = Math.max(evidence, gap.to_at);
    }
    // The last observation before a gap is evidence too, often newer than the last beat.
    if (gap.last_before_session === session.name)
      evidence = Math.max(evidence, gap.last_before_at ?? gap.from_at);
  }
  if (firstBeat < Math.min(...begins)) begins.push(firstBeat);
  begins.sort((a, b) => a - b);
  stops.sort((a, b) => a - b);
  return begins.map((from) => ({ from, to: stops.find((stop) => stop >= from) ?? Math.max(from, evidence) }));
}

function union(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
  const merged: { from: Micros; to: Micros }[] = [];
  for (const { from, to } of sorted) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

const clip = (intervals: readonly Interval[], range: Interval): Interval[] => intersect(intervals, [range]);

/** Both sorted and disjoint. */
function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const from = Math.max(a[i]!.from, b[j]!.from);
    const to = Math.min(a[i]!.to, b[j]!.to);
    if (to > from) result.push({ from, to });
    if (a[i]!.to < b[j]!.to) i++;
    else j++;
  }
  return result;
}

/** Both sorted and disjoint. */
function subtract(from: readonly Interval[], holes: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const interval of from) {
    let begin = interval.from;
    for (const hole of holes) {
      if (hole.to <= begin) continue;
      if (hole.from >= interval.to) break;
      if (hole.from > begin) result.push({ from: begin, to: hole.from });
      begin = Math.max(begin, hole.to);
    }
    if (begin < interval.to) result.push({ from: begin, to: interval.to });
  }
  return result;
}
