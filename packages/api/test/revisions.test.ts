import type { EventType } from '@ladderlog/core';
import { expect, test } from 'vitest';
import { createRevisions } from '../src/revisions.ts';

function followed(projectedAtFirst: number | null) {
  const state = { projected: projectedAtFirst };
  const revisions = createRevisions({
    partitionOf: () => 0,
    beganAt: () => 10,
    projected: () => state.projected,
  });
  const see = (offset: number, type: EventType, key = 'M') =>
    revisions.onRecord(
      {
        topic: 'venueb',
        partition: 0,
        event: null,
        record: { offset, key, time: offset, value: Buffer.alloc(0), fault: null },
      },
      type,
    );
  return { state, see, facts: () => revisions.facts('venueb', 'M', 1) };
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
