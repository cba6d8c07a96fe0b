// The rules that a soak is judged by.

import { describe, expect, test } from 'vitest';

import type { AppliedFault, RecordedGap } from './harness/explain-gaps.ts';
import { explain, judge } from './harness/explain-gaps.ts';
import { memoryReport } from './harness/memory-samples.ts';

const at = (seconds: number): number => 1_780_000_000_000_000 + seconds * 1_000_000;

const fault = (given: Partial<AppliedFault> = {}): AppliedFault => ({
  venue: 'venueb',
  kind: 'disconnect',
  at: at(100),
  seconds: 5,
  market: null,
  sockets: 1,
  ...given,
});
const gap = (given: Partial<RecordedGap> = {}): RecordedGap => ({
  venue: 'venueb',
  market: 'M',
  outcome: 'yes',
  cause: 'disconnected',
  from: at(99.5),
  openedAt: at(100),
  to: at(107),
  hadBook: true,
  ...given,
});

describe('a gap is explained by a fault', () => {
  test('of its venue, with a cause that the fault gives, at its time', () => {
    expect(explain(gap(), [fault()], [])).toMatchObject({ by: 'fault' });
    expect(explain(gap({ venue: 'venuec' }), [fault()], [])).toBeNull();
    expect(explain(gap({ cause: 'lost_sync' }), [fault()], [])).toBeNull();
    expect(explain(gap({ from: at(90) }), [fault()], [])).toBeNull();
    expect(explain(gap({ from: at(120), openedAt: at(121) }), [fault()], [])).toBeNull();
    expect(explain(gap(), [fault({ kind: 'cross_book' })], [])).toBeNull();
  });

  test('of numbers from the last one on, which may have been long before', () => {
    const skipped = [fault({ kind: 'skip_sequence' })];
    const numbered = gap({ cause: 'sequence_break', from: at(60), openedAt: at(101) });
    expect(explain(numbered, skipped, [])).toMatchObject({ by: 'fault' });
    expect(explain({ ...numbered, from: at(30) }, skipped, [])).toBeNull();
  });

  test('only of the market that was hit', () => {
    const below = fault({ kind: 'delta_below_zero', market: 'M' });
    expect(explain(gap({ cause: 'lost_sync' }), [below], [])).toMatchObject({ by: 'fault' });
    expect(explain(gap({ cause: 'lost_sync', market: 'N' }), [below], [])).toBeNull();
    // But a number that is missing concerns all that are numbered together.
    const silent = fault({ kind: 'silence_token', market: 'M' });
    expect(explain(gap({ cause: 'sequence_break', market: 'N' }), [silent], [])).toMatchObject({
      by: 'fault',
    });
  });

  test('a loss without numbers may be found later, never before', () => {
    const lost = fault({ venue: 'venuec', kind: 'skip_sequence' });
    const found = gap({ venue: 'venuec', cause: 'silence', from: at(200), openedAt: at(230) });
    expect(explain(found, [lost], [])).toMatchObject({ by: 'fault' });
    expect(explain({ ...found, from: at(80), openedAt: at(90) }, [lost], [])).toBeNull();
    expect(explain({ ...found, openedAt: at(2_000) }, [lost], [])).toBeNull();
  });
});

test('a kill explains what was watched then, and a new market its missing first book', () => {
  const kill = { at: at(300), backAt: at(310) };
  const down = gap({ cause: 'collector_down', from: at(295), openedAt: at(305) });
  expect(explain(down, [], [kill])).toEqual({ by: 'kill' });
  expect(explain({ ...down, openedAt: at(299) }, [], [kill])).toBeNull();
  expect(explain(down, [], [])).toBeNull();
  const fresh = gap({ cause: 'awaiting_snapshot', hadBook: false });
  expect(explain(fresh, [], [])).toEqual({ by: 'rotation' });
  expect(explain({ ...fresh, hadBook: true }, [], [])).toBeNull();
  expect(explain(gap({ cause: 'tick_change', venue: 'venuec' }), [], [])).toEqual({ by: 'rotation' });
  expect(explain(gap({ cause: 'tick_change' }), [], [])).toBeNull();
});

test('a fault that must leave a gap and did not is named, if there was time and something to hit', () => {
  const faults = [
    fault(),
    fault({ at: at(200) }),
    fault({ at: at(290) }),
    fault({ venue: 'venuea', sockets: 0 }),
    fault({ kind: 'garbage' }),
    fault({ kind: 'delta_below_zero', market: null }),
    // In a gap already.
    fault({ kind: 'delta_below_zero', market: 'M', at: at(105) }),
  ];
  const judgement = judge([gap(), gap({ from: at(150), openedAt: at(151) })], faults, [], at(300));
  expect(judgement.unnoticed).toEqual([faults[1]]);
  expect(judgement.unexplained).toMatchObject([{ openedAt: at(151) }]);
  expect(judgement.faults.find(({ venue, kind }) => venue === 'venueb' && kind === 'disconnect')).toEqual({
    venue: 'venueb',
    kind: 'disconnect',
    applied: 3,
    expects: 'disconnected',
    gaps: 1,
    noticedSeconds: 0,
  });
});

describe('memory', () => {
  const run = (last: number): number[] => [
    ...Array<number>(10).fill(300),
    ...Array<number>(20).fill(500),
    ...Array<number>(10).fill(last),
  ];

  test('may not grow from the second quarter to the last, nor pass its aim', () => {
    expect(memoryReport(run(520), 30).problem).toBeNull();
    expect(memoryReport(run(560), 30).problem).toMatch(/not flat/);
    expect(memoryReport(run(560), 5).problem).toBeNull();
    expect(memoryReport([...run(500), 701], 30).problem).toMatch(/701 MB/);
    expect(memoryReport([300, 300, 500, 600], 0.5).problem).toBeNull();
  });
});
