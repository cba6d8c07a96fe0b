// Was a stamp made in time? With clocks of our own: no test here waits.

import { MessageAges } from '@ladderlog/core';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';

import { Backlog } from '../src/recorder/backlog.ts';
import { AgeRise, StampJudge } from '../src/recorder/stamp-judge.ts';
import type { Stall } from '../src/recorder/stamp-watch.ts';
import { StampWatch } from '../src/recorder/stamp-watch.ts';

const LIMIT = 1_000;
const START = 1_780_000_000_000;

/** A machine whose clocks are set by hand. */
function machine() {
  const at = { wall: START, monotonic: 50_000, boot: 90_000, idle: 0 };
  const told: Stall[] = [];
  let done = true;
  const watch = new StampWatch({
    limitMs: LIMIT,
    clocks: { wall: () => at.wall * 1_000, monotonic: () => at.monotonic },
    logger: pino({ level: 'silent' }),
    idle: () => at.idle,
    sinceBoot: () => at.boot,
  });
  watch.join({
    stall: (stall) => told.push(stall),
    catchUp: () => done,
    get lateFrames() {
      return 3;
    },
  });
  const pass = (ms: number): void => {
    at.wall += ms;
    at.monotonic += ms;
    at.boot += ms;
  };
  return {
    watch,
    told,
    stamp: () => watch.clocks.monotonic(),
    /** The loop waits for input, and a tick wakes it. */
    rest(times = 1): void {
      for (let tick = 0; tick < times; tick++) {
        pass(100);
        at.idle += 100;
        watch.tick();
      }
    },
    /** Something runs and does not let go. */
    block: pass,
    /** SIGSTOP while it waits for input. */
    stopWaiting(ms: number): void {
      pass(ms);
      at.idle += ms;
    },
    suspend(ms: number): void {
      at.wall += ms;
      at.boot += ms;
    },
    setClock(ms: number): void {
      at.wall += ms;
    },
    catchesUp(now: boolean): void {
      done = now;
    },
  };
}

describe('a recorder that is held up', () => {
  test.each(['block', 'stopWaiting'] as const)(
    '%s for half the limit is in time, for twice it is not',
    (hold) => {
      const half = machine();
      half.rest(5);
      half[hold](LIMIT / 2);
      half.stamp();
      half.watch.tick();
      expect(half.told).toEqual([]);
      const twice = machine();
      twice.rest(5);
      const before = twice.stamp();
      twice[hold](LIMIT * 2);
      // The stamp itself shows it, before any tick.
      const now = twice.stamp();
      expect(twice.told).toMatchObject([{ since: before, noticedAt: now }]);
      expect(twice.told[0]!.detail).toContain('did not run for 2000 ms');
    },
  );

  test('a stop that only a tick notices, since nothing came', () => {
    const { told, rest, stopWaiting, watch } = machine();
    rest(3);
    stopWaiting(8_000);
    watch.tick();
    expect(told).toHaveLength(1);
    expect(watch.status()).toMatchObject({ stalls: 1, lateFrames: 3, stalledSince: null });
  });

  test('it lasts until all have caught up, and is told again when it happens again', () => {
    const { told, rest, block, stamp, watch, catchesUp } = machine();
    rest();
    catchesUp(false);
    block(3_000);
    stamp();
    rest(2);
    expect(watch.status()).toMatchObject({ stalls: 1, lateFrames: 0 });
    expect(watch.status().stalledSince).toBe((START + 100) * 1_000);
    block(3_000);
    stamp();
    expect(told).toHaveLength(2);
    catchesUp(true);
    rest();
    expect(watch.status()).toMatchObject({ stalls: 2, lateFrames: 3, stalledSince: null });
  });

  test('the delay of a stamp: nothing while the loop waits for input, else the time since it came round', () => {
    const { rest, block, stamp, watch, stopWaiting } = machine();
    rest();
    stopWaiting(40);
    stamp();
    expect(watch.clocks.stampDelay!()).toBe(0);
    block(250);
    stamp();
    expect(watch.clocks.stampDelay!()).toBe(250_000);
    expect(watch.status().delayMs).toBe(250);
  });
});

describe('the clocks', () => {
  test('a suspended machine was held up: its time counts, and the sessions go on with it', () => {
    const { told, rest, suspend, stamp } = machine();
    rest();
    const before = stamp();
    suspend(3_600_000);
    expect(stamp() - before).toBe(3_600_000);
    expect(told).toMatchObject([{ since: before }]);
    expect(told[0]!.detail).toContain('suspended for 3600000 ms');
  });

  test('a clock that is set, either way, is no suspend', () => {
    const { told, rest, setClock, stamp } = machine();
    for (const ms of [3_600_000, -7_200_000]) {
      rest();
      const before = stamp();
      setClock(ms);
      expect(stamp()).toBe(before);
    }
    expect(told).toEqual([]);
  });
});

describe('a loop that comes round and has no rest', () => {
  /** Ticks without a wait. */
  const labour = ({ block, watch }: ReturnType<typeof machine>, ticks: number): void => {
    for (let tick = 0; tick < ticks; tick++) {
      block(100);
      watch.tick();
    }
  };

  test('is a stall when messages grow old as well, and not before', () => {
    const busy = machine();
    busy.rest();
    labour(busy, 30);
    expect(busy.told).toEqual([]);
    busy.watch.agesRose();
    expect(busy.told).toHaveLength(1);
    expect(busy.told[0]!.detail).toContain('cannot keep up');
  });

  test('old messages while the loop rests are message age', () => {
    const { told, rest, watch } = machine();
    rest(30);
    watch.agesRose();
    expect(told).toEqual([]);
  });
});

test('ages have risen when two books, or the only one, are later than usual by more than the limit', () => {
  const second = 1_000_000;
  const rise = new AgeRise(LIMIT);
  const add = (book: string, at: number, age: number): boolean =>
    rise.add(book, at * second, (at - age) * second);
  expect([add('a', 100, 0.2), add('b', 101, 0.3)]).toEqual([false, false]);
  expect(add('a', 102, 0.7)).toBe(false);
  expect(add('a', 103, 1.5)).toBe(false);
  expect(add('b', 104, 1.6)).toBe(true);
  expect(add('a', 105, 0.2)).toBe(false);
  const one = new AgeRise(LIMIT);
  expect(one.add('a', 100 * second, 99 * second)).toBe(false);
  expect(one.add('a', 103 * second, 100 * second)).toBe(true);
  // What stays so late becomes the usual.
  for (let at = 104; at < 200; at++) one.add('a', at * second, (at - 3) * second);
  expect(one.add('a', 200 * second, 197 * second)).toBe(false);
  expect(rise.hear([{ type: 'skip', reason: 'ack' }], 1, new MessageAges())).toBe(false);
});

test('a judge that is sure of nothing still counts a wait as no more than a tick', () => {
  const judge = new StampJudge(LIMIT, { now: 0, idle: 0 });
  expect(judge.tickMs).toBe(100);
  expect(judge.delay({ now: 900, idle: 900 })).toBe(800);
  expect(new StampJudge(400, { now: 0, idle: 0 }).tickMs).toBe(50);
});

test('a backlog is read when the ping behind it is answered and the loop rests, or answered at once', () => {
  const slow = new Backlog(LIMIT);
  const first = slow.begin(0);
  slow.answer('something else', 10);
  expect([slow.isAnswered, slow.isRead(true)]).toEqual([false, false]);
  slow.answer(first, 3_000);
  expect([slow.isRead(false), slow.isRead(true)]).toEqual([false, true]);
  const second = slow.begin(3_000);
  slow.answer(first, 3_100);
  expect(slow.isRead(true)).toBe(false);
  slow.answer(second, 3_200);
  expect(slow.isRead(false)).toBe(true);
  slow.begin(4_000);
  expect([slow.isGone(14_000), slow.isGone(14_001)]).toEqual([false, true]);
});
