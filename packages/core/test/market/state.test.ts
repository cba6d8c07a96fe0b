// The fold of a market: what each event changes, that seen twice is seen once, and that what comes late changes nothing.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  SECOND,
  T0,
  beat,
  book,
  compared,
  gapClosed,
  gapOpened,
  market,
  rejected,
  sample,
  started,
  stopped,
} from '../../../../test/builders/events.ts';
import { histories } from '../../../../test/builders/history.ts';
import type { MarketState, Position, VenueEvent } from '../../src/index.ts';
import {
  KEPT,
  Markets,
  absenceOf,
  emptyMarket,
  evidenceOf,
  evolve,
  isOver,
  lastSeenOf,
  withoutNative,
} from '../../src/index.ts';

const at = (offset: number): Position => ({ topic: 'venueb', partition: 0, offset });
const given = (...events: readonly VenueEvent[]): MarketState =>
  events.reduce(
    (state, event, offset) => evolve(state, event, at(offset)),
    emptyMarket('venueb', book().market),
  );
const after = (seconds: number) => ({ observedAt: T0 + seconds * SECOND });
const edge = (seconds: number) => ({ session: 's1', ordinal: 0, ...after(seconds) });

describe('books', () => {
  test('the newest of each outcome, in the order in which outcomes were first seen', () => {
    const [yes, no, newer] = [book(), book({ outcome: 'no' }), book(after(1))];
    const state = given(yes, no, newer);
    expect(state.books).toEqual([
      { event: newer, position: at(2) },
      { event: no, position: at(1) },
    ]);
  });
  test('newest by time, then by offset; an import of an older recording replaces nothing', () => {
    const [newest, older, same] = [
      book(after(5)),
      book({ ...after(1), provenance: 'imported' }),
      book(after(5)),
    ];
    expect(given(newest, older).books).toEqual([{ event: newest, position: at(0) }]);
    expect(given(newest, same).books).toEqual([{ event: same, position: at(1) }]);
  });
  test('what did not change is shared, and ladders are not copied', () => {
    const event = book();
    const before = given(market(), event, gapOpened({ outcome: 'no' }));
    const next = evolve(before, book({ ...after(1), outcome: 'no' }), at(3));
    expect(next.books[0]).toBe(before.books[0]);
    expect(next.books[0]!.event).toBe(event);
    expect(next.gaps).toBe(before.gaps);
    expect(next.metadata).toBe(before.metadata);
  });
});

describe('gaps', () => {
  test('opened, told again under the same id, closed; of every dataset', () => {
    const [first, samples] = [gapOpened(), gapOpened({ gapId: 'g2', dataset: 'samples', outcome: null })];
    const restated = gapOpened({ ...after(60), from: T0 });
    const state = given(first, samples, restated);
    expect(state.gaps).toEqual([
      { event: restated, position: at(2) },
      { event: samples, position: at(1) },
    ]);
    expect(evolve(state, gapClosed(after(70)), at(3)).gaps).toEqual([state.gaps[1]]);
    expect(evolve(state, gapClosed({ gapId: 'unknown' }), at(3)).gaps).toBe(state.gaps);
  });
});

describe('metadata', () => {
  test('the newest by time: an import of older metadata replaces nothing', () => {
    const newest = market({ ...after(5), title: 'new' });
    expect(given(newest, market({ title: 'old', provenance: 'imported' })).metadata?.event).toBe(newest);
  });
  test('can be kept without the venue’s own object', () => {
    expect(withoutNative(market({ native: '{"large":1}' }))).toEqual(market({ native: '' }));
  });
});

describe('watching', () => {
  const seen = (...events: readonly VenueEvent[]) => lastSeenOf(given(...events).watched, 'yes');

  test('last seen: by time, of any provenance; an end counts at its own moment', () => {
    expect(seen(started(), beat(after(10)))).toEqual({ at: T0 + 10 * SECOND, ended: false });
    expect(seen(beat(after(10)), book({ ...after(20), provenance: 'imported' }))?.at).toBe(T0 + 20 * SECOND);
    expect(seen(beat(after(10)), stopped({ ...after(5), provenance: 'imported' }))?.ended).toBe(false);
    expect(seen(book(after(10)), stopped(after(10)))).toEqual({ at: T0 + 10 * SECOND, ended: true });
    expect(seen(gapOpened(after(10)))).toBeNull();
    expect(seen(gapClosed({ ...after(10), firstAfter: edge(10) }))?.at).toBe(T0 + 10 * SECOND);
    expect(seen(gapClosed(after(10)))).toBeNull();
  });
  test('what is said of all outcomes counts for each; without an outcome, of the book heard of longest ago', () => {
    const state = given(
      beat({ ...after(10), outcome: 'yes' }),
      beat({ ...after(30), outcome: 'no' }),
      beat({ ...after(20), outcome: null }),
    );
    const when = (outcome: string | null) => (lastSeenOf(state.watched, outcome)!.at - T0) / SECOND;
    expect([when('yes'), when('no'), when('unheard of'), when(null)]).toEqual([20, 30, 20, 20]);
    expect(lastSeenOf([], null)).toBeNull();
  });
  test('a recording: by the newest collector, uncovered in a gap, none after its stop', () => {
    const recording = (...events: readonly VenueEvent[]) => given(...events).watched[0]?.recording ?? null;
    expect(recording(book())).toMatchObject({ collector: '', shownAt: T0, uncoveredSince: null });
    expect(recording(started(), beat({ ...after(1), collector: 'c2' }))?.collector).toBe('c2');
    const inGap = recording(started(after(5)), gapOpened({ ...after(20), from: T0 + 10 * SECOND }));
    expect(inGap).toMatchObject({
      collector: 'c1',
      lastEvidence: T0 + 10 * SECOND,
      shownAt: T0 + 5 * SECOND,
      uncoveredSince: T0 + 10 * SECOND,
    });
    expect(recording(gapOpened(), gapClosed(after(9)))?.uncoveredSince).toBeNull();
    expect(recording(started(), stopped(after(1)))).toBeNull();
    expect(recording(started({ provenance: 'imported' }))).toBeNull();
    expect(recording(started(), stopped({ ...after(1), provenance: 'imported' }))).not.toBeNull();
  });
  test('evidence for recovery: what was being recorded, and its open gap', () => {
    const lastBefore = edge(3);
    const state = given(
      started(),
      book({ ...after(3), ordinal: 8 }),
      started({ ...after(3), dataset: 'samples', outcome: null }),
      sample({ ...after(4), venue: 'venueb', market: book().market }),
      gapOpened({ ...after(9), from: T0 + 5 * SECOND, lastBefore }),
      started({ outcome: 'no' }),
      stopped({ ...after(6), outcome: 'no' }),
    );
    const { gapId, cause, scope } = gapOpened();
    expect(evidenceOf(state)).toEqual([
      {
        dataset: 'books',
        market: state.market,
        outcome: 'yes',
        lastEvidence: T0 + 5 * SECOND,
        lastObserved: lastBefore,
        gap: { gapId, cause, scope, from: T0 + 5 * SECOND, lastBefore, late: [] },
      },
      {
        dataset: 'samples',
        market: state.market,
        outcome: null,
        lastEvidence: T0 + 4 * SECOND,
        lastObserved: { session: 's1', ordinal: 0, observedAt: T0 + 4 * SECOND },
        gap: null,
      },
    ]);
  });
});

test('the text of the last trade of each outcome', () => {
  const trade = (text: string, outcome: string) =>
    sample({ venue: 'venueb', metric: 'last_trade', text, outcome });
  expect(given(trade('0.1', 'yes'), trade('0.2', 'no'), trade('0.3', 'yes')).lastTrades).toEqual([
    { outcome: 'no', text: '0.2' },
    { outcome: 'yes', text: '0.3' },
  ]);
  expect(given(sample({ venue: 'venueb' })).lastTrades).toEqual([]);
});

test('frames, rejects and comparisons are no state', () => {
  const state = given(book());
  for (const event of [rejected(), compared()]) expect(evolve(state, event, at(9))).toBe(state);
});

describe('whether a book is the present one', () => {
  const alive = T0 + 100 * SECOND;
  test('an open gap of books, of this outcome or of all, says no; else the last sign', () => {
    const absence = (...events: readonly VenueEvent[]) => absenceOf(given(book(), ...events), 'yes', alive);
    expect(absence(beat(after(101)))).toBeNull();
    expect(absence()).toEqual({ since: T0 });
    expect(absence(stopped(after(120)))).toEqual({ since: T0 + 120 * SECOND });
    expect(absence(beat(after(101)), gapOpened())).toEqual({ gap: gapOpened() });
    expect(absence(beat(after(101)), gapOpened({ outcome: null }))).toMatchObject({ gap: { outcome: null } });
    expect(absence(beat(after(101)), gapOpened({ outcome: 'no' }))).toBeNull();
    expect(absence(beat(after(101)), gapOpened({ dataset: 'samples' }))).toBeNull();
    expect(absenceOf(given(market()), 'yes', alive)).toBeNull();
  });
  test('beats of samples say nothing of the book', () => {
    const state = given(book(), beat({ ...after(101), dataset: 'samples', outcome: null }));
    expect(absenceOf(state, 'yes', alive)).toEqual({ since: T0 });
  });
});

test('a market may leave memory when it is over, nobody records it and it has been quiet for long', () => {
  const closed = market({ status: 'resolved' });
  const late = T0 + KEPT + 10 * SECOND;
  expect(isOver(given(closed, started(), book(), stopped(after(1))), late)).toBe(true);
  expect(isOver(given(closed, started(), book(), stopped(after(1))), T0 + SECOND)).toBe(false);
  expect(isOver(given(closed, started(), book()), late)).toBe(false);
  expect(isOver(given(closed, book(), stopped(after(1)), gapOpened()), late)).toBe(false);
  expect(isOver(given(market({ status: 'open', closesAt: null }), stopped(after(1))), late)).toBe(false);
  expect(isOver(given(market({ closesAt: T0 }), stopped(after(1))), late)).toBe(true);
});

describe('any history', () => {
  const fold = (events: readonly VenueEvent[], times = 1): MarketState[] => {
    const markets = new Markets();
    for (let time = 0; time < times; time++)
      events.forEach((event, offset) => markets.apply(event, at(offset)));
    return [...markets.values()];
  };
  test('seen twice is seen once, and what comes late changes nothing', () => {
    fc.assert(
      fc.property(histories(60), fc.nat(), (events, from) => {
        const once = fold(events);
        expect(fold(events, 2)).toEqual(once);
        const markets = new Markets(once);
        events.slice(from % (events.length + 1)).forEach((event) => {
          const { before, after: same } = markets.apply(event, at(events.indexOf(event)))!;
          expect(same).toBe(before);
        });
      }),
    );
  });
  test('an order of one’s own: by time, as a replay goes', () => {
    const [first, second] = [gapOpened(after(1)), gapClosed(after(2))];
    const markets = new Markets();
    markets.apply(first, at(9), 0);
    const { after: state } = markets.apply(second, at(3), 1)!;
    expect(state.gaps).toEqual([]);
  });
});
