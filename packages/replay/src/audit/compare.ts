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

const TYPE_OF: Readonly<Record<JudgedFinding['type'], Judged['type']>> = {
  book: 'BookObserved',
  sample: 'MetricSampled',
  compare: 'BookCompared',
  reject: 'FrameRejected',
};

/** The type of the event that the finding becomes. */
export const typeOf = (finding: JudgedFinding): Judged['type'] => TYPE_OF[finding.type];

/** Findings and events that speak of the same thing have the same key. */
export function keyOf(type: Judged['type'], subject: Judged | JudgedFinding): string {
  const outcome = 'outcome' in subject ? subject.outcome : '';
  const detail = 'metric' in subject ? subject.metric : 'reason' in subject ? subject.reason : '';
  return [type, subject.market, outcome, detail].join('\u0000');
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

/** The first field that differs, or null. */
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
    const seen = ofOneFrame(event.flags);
    const due = ofOneFrame(flags);
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

const ofOneFrame = (flags: readonly CheckFlag[]): readonly CheckFlag[] =>
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
