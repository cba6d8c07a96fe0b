import type { Venue } from '@ladderlog/core';
import { expect, test } from 'vitest';
import { FaultScript, type FaultTarget } from '../src/faults/faults.ts';

const START = 1_794_700_800_000_000;

function setUp(faults: ConstructorParameters<typeof FaultScript>[0] = []) {
  let now = START;
  const done: string[] = [];
  const targetOf = (venue: Venue): FaultTarget => ({
    clients: {
      disconnect: () => done.push(`disconnect ${venue}`),
      closeAll: () => done.push(`close ${venue}`),
      skipNext: (market) => void done.push(`skip ${venue} ${market}`),
      overflow: () => done.push(`overflow ${venue}`),
    },
    send: (text) => done.push(`${text} ${venue}`),
    choose: () => 'chosen',
    cross: (market) => {
      done.push(`cross ${venue}`);
      return market ?? 'chosen';
    },
    sendImpossible: (market) => market ?? 'chosen',
  });
  const script = new FaultScript(faults, () => now, targetOf);
  const goTo = (seconds: number): void => {
    now = START + seconds * 1e6;
    script.step();
  };
  return { script, done, goTo };
}

test('a script starts and ends each fault at its time, and says when', () => {
  const { script, goTo } = setUp([
    { at: 1, venue: 'venuec', kind: 'silence', duration: 2 },
    { at: '2026-11-15T00:00:04Z', venue: 'venueb', kind: 'http_429', duration: 1 },
  ]);
  const gate = script.gate('venuec');
  expect(gate.anySilence()).toBe(false);
  goTo(1);
  expect([gate.anySilence(), gate.silent(''), script.gate('venuea').silent('')]).toEqual([true, true, false]);
  goTo(2.9);
  expect(gate.silent('x')).toBe(true);
  goTo(3);
  expect(gate.silent('x')).toBe(false);
  goTo(4.5);
  expect(script.gate('venueb').restStatus()).toBe(429);
  goTo(5.5);
  expect(script.gate('venueb').restStatus()).toBeNull();
  expect(script.applied().map(({ startedAt, endedAt }) => [startedAt - START, endedAt! - START])).toEqual([
    [1e6, 3e6],
    [4.5e6, 5.5e6],
  ]);
});

test('a disconnect happens at an instant; with a duration nobody comes back in it', () => {
  const { script, done, goTo } = setUp();
  script.inject({ venue: 'venuea', kind: 'disconnect' });
  expect(done).toEqual(['disconnect venuea']);
  expect(script.applied()[0]).toMatchObject({ startedAt: START, endedAt: START });
  expect(script.gate('venuea').refusing()).toBe(false);
  script.inject({ venue: 'venuea', kind: 'disconnect', duration: 3 });
  expect(script.gate('venuea').refusing()).toBe(true);
  goTo(3);
  expect(script.gate('venuea').refusing()).toBe(false);
});

test('one silent token leaves its siblings heard; a clock jump adds up and ends', () => {
  const { script, goTo } = setUp();
  script.inject({ venue: 'venuec', kind: 'silence_token', market: 't1', duration: 9 });
  const gate = script.gate('venuec');
  expect([gate.silent('t1'), gate.silent('t2'), gate.silent('')]).toEqual([true, false, false]);
  script.inject({ venue: 'venuea', kind: 'clock_jump', by: -60, duration: 2 });
  expect([script.clockOffsetMs('venuea'), script.clockOffsetMs('venuec')]).toEqual([-60_000, 0]);
  goTo(2);
  expect(script.clockOffsetMs('venuea')).toBe(0);
  script.close();
  expect(script.applied().every(({ endedAt }) => endedAt !== null)).toBe(true);
});

test('what a fault hit is in the log; a fault that makes no sense is refused', () => {
  const { script } = setUp();
  script.inject({ venue: 'venueb', kind: 'cross_book' });
  expect(script.applied()[0]?.market).toBe('chosen');
  script.inject({ venue: 'venueb', kind: 'silence_token' });
  expect(script.applied()[1]?.market).toBe('chosen');
  expect([script.gate('venueb').silent('chosen'), script.gate('venueb').silent('other')]).toEqual([
    true,
    false,
  ]);
  expect(() => script.inject({ venue: 'venueb', kind: 'garbage', at: 'soon' })).toThrow(/neither seconds/);
  expect(() => setUp([{ at: 9, venue: 'venueb', kind: 'earthquake' as 'garbage' }])).toThrow(/not known/);
});
