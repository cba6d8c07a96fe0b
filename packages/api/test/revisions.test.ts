import type { EventType } from '@ladderlog/core';
import { describe, expect, test } from 'vitest';
import { createRevisions } from '../src/answers/revisions.ts';

function followed(projectedAtFirst: number | null, maxMarkets = 1_000) {
  const state = { projected: projectedAtFirst };
  const revisions = createRevisions({
    partitionOf: () => 0,
    beganAt: () => 10,
    projected: () => state.projected,
    maxMarkets,
  });
  const see = (offset: number, type: EventType, key = 'M', time = offset) =>
    revisions.onRecord({ topic: 'venueb', partition: 0 }, { offset, key, time, type });
  const etag = (to: number) => revisions.etag({ topic: 'venueb', market: 'M', to, generation: 1, query: [] });
  return { state, see, etag, facts: () => revisions.facts('venueb', 'M', 1) };
}

test('books and samples leave what is known of a market as it is', () => {
  const { state, see, facts } = followed(10);
  const before = facts();
  expect(before).not.toBeNull();
  see(10, 'BookObserved');
  see(11, 'MetricSampled');
  expect(facts()).toBe(before);
  see(12, 'CaptureBeat');
  expect(facts()).toBeNull();
  state.projected = 12;
  expect(facts()).toBeNull();
  state.projected = 13;
  const after = facts();
  expect(after).not.toBe(before);
  expect(after).not.toBeNull();
  see(13, 'BookObserved');
  see(14, 'GapOpened', 'another market');
  expect(facts()).toBe(after);
});

test('what is said of the whole venue counts for each of its markets', () => {
  const { state, see, facts } = followed(10);
  const before = facts();
  see(10, 'GapOpened', '');
  expect(facts()).toBeNull();
  state.projected = 11;
  expect(facts()).not.toBe(before);
});

test('without the projector’s positions nothing is known', () => {
  expect(followed(null).facts()).toBeNull();
});

describe('the tag of a range', () => {
  test('stays while newer observations come, and changes with a late one and with any other event', () => {
    const { state, see, etag } = followed(10);
    const next = (offset: number, type: EventType, time = offset, key = 'M'): string => {
      see(offset, type, key, time);
      expect(etag(12)).toBeNull();
      state.projected = offset + 1;
      expect(etag(12)).toMatch(/^W\/"[\w-]{27}"$/);
      return etag(12)!;
    };
    const tags = [
      etag(12)!,
      next(10, 'BookObserved'),
      // Past the end of the range, once: from then on only what comes late can be inside it.
      next(11, 'BookObserved', 20),
      next(12, 'BookObserved', 11),
      // A beat covers the time since the one before.
      next(13, 'CaptureBeat', 30),
      next(14, 'GapOpened', 31),
      next(15, 'MarketObserved', 32),
    ];
    expect(new Set(tags).size).toBe(tags.length);
    expect(next(16, 'BookObserved', 33)).toBe(tags.at(-1));
    expect(next(17, 'MetricSampled', 34)).toBe(tags.at(-1));
  });

  test('what is said of the whole venue changes it', () => {
    const { state, see, etag } = followed(10);
    const before = etag(12);
    see(10, 'GapOpened', '');
    expect(etag(12)).toBeNull();
    state.projected = 11;
    expect(etag(12)).not.toBe(before);
  });

  test('none while the tables hold what was not seen here yet', () => {
    const { state, see, etag } = followed(10);
    state.projected = 12;
    expect(etag(5)).toBeNull();
    see(11, 'BookObserved', 'another market');
    expect(etag(5)).not.toBeNull();
  });
});

describe('of a market that is remembered no longer', () => {
  test('the tag and the version change, and are again as good as any', () => {
    const { state, see, etag, facts } = followed(10, 2);
    see(10, 'MarketObserved');
    see(11, 'BookObserved');
    state.projected = 12;
    const [tag, version] = [etag(5), facts()];
    see(12, 'BookObserved', 'second');
    state.projected = 13;
    expect([etag(5), facts()]).toEqual([tag, version]);
    see(13, 'BookObserved', 'third');
    state.projected = 14;
    const [later, laterVersion] = [etag(5), facts()];
    expect(later).toMatch(/^W/);
    expect(later).not.toBe(tag);
    expect(laterVersion).not.toBe(version);
    see(14, 'BookObserved', 'third');
    state.projected = 15;
    expect([etag(5), facts()]).toEqual([later, laterVersion]);
  });

  test('neither is what it was before the forgotten event, once it is seen again', () => {
    const { state, see, etag, facts } = followed(10, 2);
    const [before, versionBefore] = [etag(5), facts()];
    see(10, 'GapOpened');
    see(11, 'BookObserved', 'second');
    see(12, 'BookObserved', 'third');
    see(13, 'BookObserved');
    state.projected = 14;
    expect(etag(5)).not.toBe(before);
    expect(facts()).not.toBe(versionBefore);
    expect(facts()).not.toBeNull();
  });

  test('while the tables lack the newest forgotten event, there is none', () => {
    const { state, see, etag } = followed(10, 1);
    see(10, 'BookObserved');
    see(11, 'BookObserved', 'second');
    state.projected = 10;
    expect(etag(5)).toBeNull();
  });
});
