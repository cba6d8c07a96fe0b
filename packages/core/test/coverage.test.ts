import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CoverageRow, GapRow } from '../src/capture/coverage.ts';
import { coverageOf } from '../src/capture/coverage.ts';

const started = (at: number, session = 's', outcome = 'yes'): CoverageRow => ({
  outcome,
  session,
  kind: 'started',
  since: at,
  at,
});
const beats = (since: number, at: number, session = 's', outcome = 'yes'): CoverageRow => ({
  outcome,
  session,
  kind: 'beat',
  since,
  at,
});
const stopped = (at: number, session = 's', outcome = 'yes'): CoverageRow => ({
  outcome,
  session,
  kind: 'stopped',
  since: at,
  at,
});
const gap = (from: number, to: number | null, fields: Partial<GapRow> = {}): GapRow => ({
  gap_id: `g${from}`,
  venue: 'venueb',
  market: 'm',
  outcome: 'yes',
  dataset: 'books',
  cause: 'disconnected',
  scope: 'book',
  from_at: from,
  to_at: to,
  last_before_session: 's',
  last_before_at: from,
  first_after_session: to === null ? null : 's',
  first_after_at: to,
  detail: '',
  ...fields,
});
const intervals = (...args: Parameters<typeof coverageOf>) =>
  coverageOf(...args).intervals.map(({ from, to }) => [from, to]);
const all = { from: 0, to: 100 };

describe('sessions', () => {
  test('nothing before capture began, nothing after the last evidence', () => {
    expect(intervals([started(10), beats(15, 60)], [], all)).toEqual([[10, 60]]);
    expect(coverageOf([started(10), beats(15, 60)], [], all).covered_ratio).toBe(0.5);
  });
  test('a quiet market is covered: no observation is needed', () => {
    expect(coverageOf([started(0), beats(1, 200)], [], all).covered_ratio).toBe(1);
  });
  test('a market never watched is not covered', () => {
    expect(coverageOf([], [], all)).toMatchObject({ covered_ratio: 0, intervals: [], gaps: [] });
  });
  test('an empty range has no ratio', () => {
    expect(coverageOf([started(0)], [], { from: 5, to: 5 }).covered_ratio).toBeNull();
  });
  test('stopping ends it, starting again begins anew, in one session or two', () => {
    expect(intervals([started(10), beats(11, 70), stopped(30), started(50), stopped(70)], [], all)).toEqual([
      [10, 30],
      [50, 70],
    ]);
    expect(
      intervals([started(10, 'a'), stopped(30, 'a'), started(50, 'b'), beats(51, 80, 'b')], [], all),
    ).toEqual([
      [10, 30],
      [50, 80],
    ]);
  });
  test('overlapping sessions are one', () => {
    expect(
      intervals([started(10, 'a'), stopped(50, 'a'), started(40, 'b'), stopped(90, 'b')], [], all),
    ).toEqual([[10, 90]]);
  });
});

describe('gaps', () => {
  test('are taken out and listed with their own bounds', () => {
    const answer = coverageOf([started(0), beats(1, 100)], [gap(20, 30), gap(90, 120)], { from: 25, to: 95 });
    expect(answer.intervals).toEqual([{ from: 30, to: 90 }]);
    expect(answer.gaps.map((one) => [one.from_at, one.to_at])).toEqual([
      [20, 30],
      [90, 120],
    ]);
    expect(answer.covered_ratio).toBe(60 / 70);
  });
  test('an open one lasts', () => {
    expect(intervals([started(0), beats(1, 100)], [gap(40, null)], all)).toEqual([[0, 40]]);
  });
  test('a crash: covered until the last observation, and again from the first of the session that recovered it', () => {
    const crash = gap(42, 60, {
      cause: 'collector_down',
      last_before_session: 'old',
      last_before_at: 42,
      first_after_session: 'new',
    });
    expect(intervals([started(10, 'old'), beats(20, 40, 'old'), beats(70, 90, 'new')], [crash], all)).toEqual(
      [
        [10, 42],
        [60, 90],
      ],
    );
  });
  test('of another outcome do not count for this one', () => {
    const rows = [
      started(0, 's', 'up'),
      beats(1, 100, 's', 'up'),
      started(0, 's', 'down'),
      beats(1, 100, 's', 'down'),
    ];
    const gaps = [gap(10, 20, { outcome: 'up' }), gap(50, 60, { outcome: '' })];
    expect(intervals(rows, gaps, all, 'down')).toEqual([
      [0, 50],
      [60, 100],
    ]);
    expect(intervals(rows, gaps, all)).toEqual([
      [0, 10],
      [20, 50],
      [60, 100],
    ]);
    expect(coverageOf(rows, gaps, all, 'down').gaps.length).toBe(1);
  });
});

test('agrees with asking about every instant', () => {
  const instant = fc.integer({ min: 0, max: 40 });
  const span = fc.tuple(instant, instant).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  fc.assert(
    fc.property(
      fc.array(span, { maxLength: 4 }),
      fc.array(span, { maxLength: 4 }),
      span,
      (watched, missed, [from, to]) => {
        const rows = watched.flatMap(([begin, end], at) => [
          started(begin, `s${at}`),
          stopped(end, `s${at}`),
        ]);
        const gaps = missed.map(([begin, end]) =>
          gap(begin, end, { last_before_session: null, first_after_session: null }),
        );
        const inside = ([begin, end]: readonly [number, number], at: number) => begin <= at && at < end;
        const expected = Array.from({ length: 41 }, (_, at) => at).filter(
          (at) =>
            at >= from &&
            at < to &&
            watched.some((one) => inside(one, at)) &&
            !missed.some((one) => inside(one, at)),
        );
        const answer = coverageOf(rows, gaps, { from, to });
        const got = answer.intervals.flatMap(({ from: a, to: b }) =>
          Array.from({ length: b - a }, (_, at) => a + at),
        );
        expect(got).toEqual(expected);
        expect(answer.covered_ratio).toBe(to > from ? expected.length / (to - from) : null);
      },
    ),
  );
});
