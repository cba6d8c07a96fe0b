// Coverage and gaps as clients see them: what of the asked range was recorded, why not the rest. Time nobody watched is shown
// as a gap of cause `not_captured`, so that an empty page can never be taken for a quiet market.

import type { Coverage as CoverageView, Gap as GapView } from '@ladderlog/client';
import type {
  BookObserved,
  CoverageRow,
  Dataset,
  GapOpened,
  GapRow,
  Interval,
  LastSeen,
  MarketState,
  Micros,
  Placed,
  Venue,
} from '@ladderlog/core';
import { coverageOf, delayFromRow, goesOn, lastSeenOf, newerSeen, toIso } from '@ladderlog/core';
import { coverageRows, gapRows } from '@ladderlog/store';
import type { Context } from '../server/context.ts';

export type { CoverageView, GapView };

/** `reason`: why it stopped; of beats the largest delay of a stamp, see delayFromRow. */
type SeenRow = CoverageRow & { readonly reason: string };

export type Evidence = { readonly rows: readonly SeenRow[]; readonly gaps: readonly GapRow[] };

const MAX_GAPS = 1_000;

/**
 * A running capture was seen since then. Time after it was last seen is not yet known, and not a gap; but when the recorder is
 * known not to answer, nothing that was seen shows that it goes on.
 */
export const aliveSince = ({ now, parts }: Context): Micros =>
  parts.live.statuses.isUnheard ? Infinity : now - parts.silent;

const isoOrNull = (at: Micros | null): string | null => (at === null ? null : toIso(at));

export const gapView = (gap: GapRow): GapView => ({
  from: toIso(gap.from_at),
  to: isoOrNull(gap.to_at),
  cause: gap.cause,
  scope: gap.scope,
  dataset: gap.dataset,
  outcome_id: gap.outcome === '' ? null : gap.outcome,
  last_before: isoOrNull(gap.last_before_at),
  first_after: isoOrNull(gap.first_after_at),
});

export const openGapView = (gap: GapOpened): GapView => ({
  from: toIso(gap.from),
  to: null,
  cause: gap.cause,
  scope: gap.scope,
  dataset: gap.dataset,
  outcome_id: gap.outcome,
  last_before: isoOrNull(gap.lastBefore?.observedAt ?? null),
  first_after: null,
});

export const notCaptured = (
  interval: { readonly from: Micros; readonly to: Micros | null },
  dataset: Dataset,
  outcome: string | null,
): GapView => ({
  from: toIso(interval.from),
  to: isoOrNull(interval.to),
  cause: 'not_captured',
  scope: 'market',
  dataset,
  outcome_id: outcome,
  last_before: null,
  first_after: null,
});

/** Everything known about when this market was watched. A book just seen is evidence too, newer than the last beat. */
export async function evidenceOf(
  context: Context,
  venue: Venue,
  market: string,
  dataset: Dataset,
): Promise<Evidence> {
  const { parts } = context;
  const request = { generation: await parts.generation(), venue, market, dataset };
  const kept = await parts.memo(
    `coverage\n${venue}\n${market}\n${dataset}`,
    async () => {
      const [rows, gaps] = await Promise.all([
        parts.store.query<SeenRow>(coverageRows(request), { name: 'api.coverage' }),
        parts.store.query<GapRow>(gapRows(request), { name: 'api.gaps-of-market' }),
      ]);
      return { rows, gaps };
    },
    parts.revisions.facts(venue, market, request.generation),
  );
  if (dataset !== 'books' || !haveGaps(context, venue, market)) return kept;
  return { rows: [...kept.rows, ...booksSeen(context, { venue, market })], gaps: kept.gaps };
}

/** The tables know of all gaps that memory has seen: else its newest book would cover one that they lack. */
function haveGaps({ parts }: Context, venue: Venue, market: string): boolean {
  const last = parts.live.markets.find(venue, market)?.lastGap ?? null;
  const next = last && parts.live.projected(last.topic, last.partition);
  return last === null || next === null || last.offset < next;
}

export const booksSeen = (
  { parts }: Context,
  { venue, market }: { readonly venue: Venue; readonly market: string },
): SeenRow[] =>
  booksInOrder(parts.live.markets.find(venue, market)?.state ?? null).map(
    ({ event: { outcome, session, observedAt } }) => ({
      outcome,
      session,
      kind: 'beat',
      since: observedAt,
      at: observedAt,
      reason: '',
    }),
  );

/** The newest of each outcome, in the order of outcome ids. */
export const booksInOrder = (state: MarketState | null): Placed<BookObserved>[] =>
  (state?.books ?? []).toSorted((left, right) => (left.event.outcome < right.event.outcome ? -1 : 1));

/** First and last evidence; null when it was never watched. */
export function watchedSpan(evidence: Evidence, outcome: string | null): Interval | null {
  let from = Infinity;
  let to = -Infinity;
  for (const row of evidence.rows) {
    if (outcome !== null && row.outcome !== '' && row.outcome !== outcome) continue;
    from = Math.min(from, row.since);
    to = Math.max(to, row.at);
  }
  return from <= to ? { from, to } : null;
}

/** When watching ended on purpose; null while it goes on, or may (a crash writes no stop). */
export function watchedUntil(evidence: Evidence, outcome: string | null): Micros | null {
  const span = watchedSpan(evidence, outcome);
  const ended = evidence.rows.some(({ kind, at }) => kind === 'stopped' && at === span?.to);
  return span && ended ? span.to : null;
}

/** When it was last known to be watched; the end of a gap shows it too. Null: never. */
function lastSeenIn({ rows, gaps }: Evidence, outcome: string | null): LastSeen | null {
  const byOutcome = new Map<string, LastSeen | null>();
  const add = (of: string, seen: LastSeen): void => {
    byOutcome.set(of, newerSeen(byOutcome.get(of) ?? null, seen));
  };
  for (const { outcome: of, kind, at } of rows) add(of, { at, ended: kind === 'stopped' });
  for (const { outcome: of, to_at: at, first_after_session: after } of gaps)
    if (at !== null && after !== null) add(of, { at, ended: false });
  const watched = [...byOutcome].map(([of, lastSeen]) => ({ outcome: of === '' ? null : of, lastSeen }));
  return lastSeenOf(watched, outcome);
}

/** `alive`: see aliveSince. */
export function coverageView(
  evidence: Evidence,
  range: Interval,
  dataset: Dataset,
  outcome: string | null,
  alive: Micros,
): CoverageView {
  const answer = coverageOf(evidence.rows, evidence.gaps, range, outcome);
  const known = [
    ...answer.intervals,
    ...answer.gaps.map((gap) => ({ from: gap.from_at, to: gap.to_at ?? Infinity })),
  ].sort((left, right) => left.from - right.from);
  const gaps: { readonly from: Micros; readonly view: GapView }[] = answer.gaps.map((gap) => ({
    from: gap.from_at,
    view: gapView(gap),
  }));
  const add = (from: Micros, to: Micros): void => {
    if (to > from) gaps.push({ from, view: notCaptured({ from, to }, dataset, outcome) });
  };
  let reached = range.from;
  for (const { from, to } of known) {
    if (from > reached) add(reached, Math.min(from, range.to));
    reached = Math.max(reached, to);
  }
  const seen = lastSeenIn(evidence, outcome);
  add(reached, seen && goesOn(seen, alive) ? Math.min(seen.at, range.to) : range.to);
  gaps.sort((left, right) => left.from - right.from);
  return {
    from: toIso(range.from),
    to: toIso(range.to),
    covered_ratio: answer.covered_ratio === null ? null : Math.min(1, answer.covered_ratio),
    gaps: gaps.slice(0, MAX_GAPS).map(({ view }) => view),
    gaps_truncated: gaps.length > MAX_GAPS,
    ...precisionOf(evidence, range, outcome),
  };
}

/** The largest delay of a stamp in the range, as far as it is known: of every connection that touches it. */
function precisionOf({ rows }: Evidence, range: Interval, outcome: string | null): Partial<CoverageView> {
  const ours = rows.filter((row) => outcome === null || row.outcome === '' || row.outcome === outcome);
  const begins = new Map<string, Micros>();
  for (const { session, since } of ours) begins.set(session, Math.min(since, begins.get(session) ?? since));
  // The first beat tells of what was stamped before it.
  const delays = ours.flatMap((row) =>
    begins.get(row.session)! < range.to && row.at >= range.from ? (delayFromRow(row) ?? []) : [],
  );
  return delays.length === 0 ? {} : { stamp_precision_ms: Math.max(...delays) / 1_000 };
}
