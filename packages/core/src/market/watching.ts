// How each book of a market, and its samples, are being watched. Two questions have two answers:
//   when was it last known to be watched, by time, whoever says so (an import tells of its own time);
//   which collector records it now, in the order of the log, and since when it is not covered (an import says nothing of now).

import type { Dataset, GapEdge, VenueEvent } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';

/** The newest moment known of the watching, and whether it ended there on purpose. */
export type LastSeen = { readonly at: Micros; readonly ended: boolean };

/** By a collector that did not say that it stopped. It may be dead: then nothing new is shown. */
export type Recording = {
  /** Empty while only observations were seen, which do not name it. */
  readonly collector: string;
  /** The last moment known to be covered. */
  readonly lastEvidence: Micros;
  readonly lastObserved: GapEdge | null;
  /** The newest event that shows it is watched; null while only the beginning of a gap was seen. */
  readonly shownAt: Micros | null;
  /** Set while it is in a gap. */
  readonly uncoveredSince: Micros | null;
};

export type Watched = {
  readonly dataset: Dataset;
  /** Null: all outcomes of the market. */
  readonly outcome: string | null;
  readonly lastSeen: LastSeen | null;
  /** Null: nobody records it, or capture was stopped. */
  readonly recording: Recording | null;
};

export type WatchEvent = Extract<
  VenueEvent,
  {
    type:
      | 'BookObserved'
      | 'MetricSampled'
      | 'CaptureStarted'
      | 'CaptureBeat'
      | 'CaptureStopped'
      | 'GapOpened'
      | 'GapClosed';
  }
>;

/** Entries are only added or replaced, never removed: an entry keeps its index. */
export function evolveWatched(all: readonly Watched[], event: WatchEvent): readonly Watched[] {
  const observed = event.type === 'BookObserved' || event.type === 'MetricSampled';
  const dataset = observed ? (event.type === 'BookObserved' ? 'books' : 'samples') : event.dataset;
  const outcome = event.type === 'MetricSampled' ? null : event.outcome;
  const at = indexOf(all, dataset, outcome);
  const known = all[at];
  const lastSeen = newerSeen(known?.lastSeen ?? null, seenIn(event));
  const recording =
    event.provenance === 'captured'
      ? afterEvent(known?.recording ?? null, event)
      : (known?.recording ?? null);
  if (known ? known.lastSeen === lastSeen && known.recording === recording : !lastSeen && !recording)
    return all;
  return replaced(all, at, { dataset, outcome, lastSeen, recording });
}

const indexOf = (all: readonly Watched[], dataset: Dataset, outcome: string | null): number =>
  all.findIndex((one) => one.outcome === outcome && one.dataset === dataset);

const replaced = (all: readonly Watched[], at: number, entry: Watched): readonly Watched[] =>
  at < 0 ? [...all, entry] : all.with(at, entry);

function seenIn(event: WatchEvent): LastSeen | null {
  switch (event.type) {
    case 'BookObserved':
    case 'CaptureStarted':
    case 'CaptureBeat':
      return { at: event.observedAt, ended: false };
    case 'CaptureStopped':
      return { at: event.observedAt, ended: true };
    case 'GapClosed':
      return event.firstAfter && { at: event.to, ended: false };
    default:
      return null;
  }
}

/** At the same moment an end counts: it is the last that was said. */
export const newerSeen = (known: LastSeen | null, given: LastSeen | null): LastSeen | null =>
  !known || (given && (given.at > known.at || (given.at === known.at && given.ended && !known.ended)))
    ? given
    : known;

function afterEvent(known: Recording | null, event: WatchEvent): Recording | null {
  switch (event.type) {
    case 'BookObserved':
    case 'MetricSampled':
      return shown(known, event.observedAt, event.observedAt, event, known?.collector ?? '');
    case 'CaptureStarted':
    case 'CaptureBeat':
      return shown(known, event.observedAt, event.observedAt, null, event.collector);
    case 'GapClosed':
      return shown(known, event.observedAt, event.to, event.firstAfter, known?.collector ?? '');
    case 'GapOpened':
      return {
        collector: known?.collector ?? '',
        lastEvidence: Math.max(known?.lastEvidence ?? event.from, event.from),
        lastObserved: laterEdge(known?.lastObserved ?? null, event.lastBefore),
        shownAt: known?.shownAt ?? null,
        uncoveredSince: event.from,
      };
    case 'CaptureStopped':
      return null;
  }
}

const shown = (
  known: Recording | null,
  at: Micros,
  covered: Micros,
  edge: GapEdge | null,
  collector: string,
): Recording => ({
  collector,
  lastEvidence: known && known.lastEvidence > covered ? known.lastEvidence : covered,
  lastObserved: laterEdge(known?.lastObserved ?? null, edge),
  shownAt: known?.shownAt != null && known.shownAt > at ? known.shownAt : at,
  uncoveredSince: null,
});

const laterEdge = (known: GapEdge | null, edge: GapEdge | null): GapEdge | null =>
  edge && (!known || edge.observedAt >= known.observedAt) ? edge : known;

type Seen = Pick<Watched, 'outcome' | 'lastSeen'>;

/**
 * When the book of an outcome was last known to be watched; what was said of all outcomes counts for each. Without an outcome:
 * of the book heard of longest ago. Null: never.
 */
export function lastSeenOf(watched: readonly Seen[], outcome: string | null): LastSeen | null {
  const ofAll = watched.find((one) => one.outcome === null)?.lastSeen ?? null;
  const newest = (one: LastSeen | null): LastSeen | null =>
    one && !(ofAll && ofAll.at > one.at) ? one : ofAll;
  if (outcome !== null) return newest(watched.find((one) => one.outcome === outcome)?.lastSeen ?? null);
  const each = watched.flatMap((one) =>
    one.outcome !== null && one.lastSeen ? [newest(one.lastSeen)!] : [],
  );
  return each.length === 0 ? ofAll : each.reduce((oldest, one) => (one.at < oldest.at ? one : oldest));
}

/** What the tables say of it; a recording is known from the log alone. */
export function withLastSeen(
  all: readonly Watched[],
  dataset: Dataset,
  outcome: string | null,
  seen: LastSeen,
): readonly Watched[] {
  const at = indexOf(all, dataset, outcome);
  const known = all[at];
  const lastSeen = newerSeen(known?.lastSeen ?? null, seen);
  if (known && known.lastSeen === lastSeen) return all;
  return replaced(all, at, { dataset, outcome, lastSeen, recording: known?.recording ?? null });
}

/** An open gap of the tables, where the log tells nothing newer of who records it. */
export function withGapOf(
  all: readonly Watched[],
  gap: Extract<WatchEvent, { type: 'GapOpened' }>,
): readonly Watched[] {
  const at = indexOf(all, gap.dataset, gap.outcome);
  const known = all[at];
  if (known?.recording || gap.provenance !== 'captured') return all;
  return replaced(all, at, {
    dataset: gap.dataset,
    outcome: gap.outcome,
    lastSeen: known?.lastSeen ?? null,
    recording: afterEvent(null, gap),
  });
}
