// A recorded event held against what today's normalizers make of the same frame, field by field.

import type {
  BookCompared,
  BookFinding,
  BookObserved,
  CheckFlag,
  CompareFinding,
  FrameRejected,
  MetricSampled,
  Micros,
  RejectFinding,
  SampleFinding,
  VenueAdapter,
} from '@ladderlog/core';
import { bookState, checkBook } from '@ladderlog/core';

export type Judged = BookObserved | MetricSampled | BookCompared | FrameRejected;
export type JudgedFinding = BookFinding | SampleFinding | CompareFinding | RejectFinding;

export type FieldDifference = {
  readonly field: string;
  readonly recorded: unknown;
  readonly recomputed: unknown;
};

/** Depends on the observations of other connections before, so a single frame does not decide it. */
const ACROSS_SESSIONS: CheckFlag = 'source_time_backwards';

/** Findings and events that speak of the same thing have the same key. */
export function keyOfFinding(finding: JudgedFinding): string {
  switch (finding.type) {
    case 'book':
      return `book\u0000${finding.market}\u0000${finding.outcome}`;
    case 'sample':
      return `sample\u0000${finding.market}\u0000${finding.outcome}\u0000${finding.metric}`;
    case 'compare':
      return `compare\u0000${finding.market}\u0000${finding.outcome}`;
    case 'reject':
      return `reject\u0000${finding.market}\u0000${finding.reason}`;
  }
}

export function keyOfEvent(event: Judged): string {
  switch (event.type) {
    case 'BookObserved':
      return `book\u0000${event.market}\u0000${event.outcome}`;
    case 'MetricSampled':
      return `sample\u0000${event.market}\u0000${event.outcome}\u0000${event.metric}`;
    case 'BookCompared':
      return `compare\u0000${event.market}\u0000${event.outcome}`;
    case 'FrameRejected':
      return `reject\u0000${event.market}\u0000${event.reason}`;
  }
}

const BOOK_FIELDS = [
  'kind',
  'sourceTs',
  'bidPrices',
  'bidSizes',
  'askPrices',
  'askSizes',
  'nativeBid',
  'nativeAsk',
  'askComplement',
  'priceFormat',
  'sizeFormat',
  'exceptions',
  'hash',
  'sequence',
  'nativeIds',
] as const satisfies readonly (keyof BookFinding & keyof BookObserved)[];

const SAMPLE_FIELDS = [
  'sourceTs',
  'value',
  'text',
  'exact',
  'size',
  'takerSide',
] as const satisfies readonly (keyof SampleFinding & keyof MetricSampled)[];

const COMPARE_FIELDS = [
  'method',
  'sourceTs',
  'levelsOurs',
  'levelsTheirs',
  'levelsDiffering',
  'sizeDrift',
  'detail',
] as const satisfies readonly (keyof CompareFinding & keyof BookCompared)[];

/** The first field that differs, or null. `entry` is the number of emitted books of the frame before this one. */
export function difference(
  event: Judged,
  finding: JudgedFinding,
  adapter: VenueAdapter,
  observedAt: Micros,
): FieldDifference | null {
  if (event.type === 'BookObserved' && finding.type === 'book') {
    const found = firstOf(BOOK_FIELDS, event, finding);
    if (found) return found;
    const state = bookState(finding);
    if (state !== event.state) return { field: 'state', recorded: event.state, recomputed: state };
    const row = { market: finding.market, observedAt };
    const flags = checkBook(finding, adapter.capture.priceBounds, row, finding.flags);
    const seen = withoutAcross(event.flags);
    const due = withoutAcross(flags);
    return same(seen, due) ? null : { field: 'flags', recorded: seen, recomputed: due };
  }
  if (event.type === 'MetricSampled' && finding.type === 'sample')
    return firstOf(SAMPLE_FIELDS, event, finding);
  if (event.type === 'BookCompared' && finding.type === 'compare')
    return firstOf(COMPARE_FIELDS, event, finding);
  if (event.type === 'FrameRejected' && finding.type === 'reject')
    return event.detail === finding.detail
      ? null
      : { field: 'detail', recorded: event.detail, recomputed: finding.detail };
  return { field: 'type', recorded: event.type, recomputed: finding.type };
}

const withoutAcross = (flags: readonly CheckFlag[]): readonly CheckFlag[] =>
  flags.includes(ACROSS_SESSIONS) ? flags.filter((flag) => flag !== ACROSS_SESSIONS) : flags;

function firstOf<Field extends string>(
  fields: readonly Field[],
  recorded: Readonly<Record<Field, unknown>>,
  recomputed: Readonly<Record<Field, unknown>>,
): FieldDifference | null {
  for (const field of fields)
    if (!same(recorded[field], recomputed[field]))
      return { field, recorded: recorded[field], recomputed: recomputed[field] };
  return null;
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, at) => same(value, b[at]));
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}
