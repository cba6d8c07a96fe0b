import type { Timer } from '@ladderlog/replay';
import { Pace } from '@ladderlog/replay';
import { expect, test } from 'vitest';

/** Time passes only by sleeping. */
function fakeTimer(): Timer & { at: number; onSleep: (() => void)[] } {
  const timer = {
    at: 0,
    onSleep: [] as (() => void)[],
    now: () => timer.at,
    async sleep(ms: number) {
      timer.at += ms;
      timer.onSleep.shift()?.();
      await Promise.resolve();
    },
  };
  return timer;
}
const never = new AbortController().signal;

test('at max, nothing waits', () => {
  expect(new Pace('max').due(5, never)).toBeNull();
});

test('at n times the speed, a second takes 1/n of a second', async () => {
  const timer = fakeTimer();
  const pace = new Pace(4, timer);
  await pace.due(10_000_000, never);
  expect(timer.at).toBe(0);
  await pace.due(12_000_000, never);
  expect(timer.at).toBeCloseTo(500);
  // A time before one already reached is due at once: nothing waits backwards.
  await pace.due(11_000_000, never);
  expect(timer.at).toBeCloseTo(500);
});

test('a new speed holds from the moment reached, not from the beginning', async () => {
  const timer = fakeTimer();
  const pace = new Pace(1, timer);
  await pace.due(0, never);
  await pace.due(1_000_000, never);
  expect(timer.at).toBeCloseTo(1_000);
  pace.setSpeed(10);
  await pace.due(2_000_000, never);
  expect(timer.at).toBeCloseTo(1_100);
});

test('a change of speed is heeded during a long wait', async () => {
  const timer = fakeTimer();
  const pace = new Pace(1, timer);
  await pace.due(0, never);
  timer.onSleep.push(() => pace.setSpeed('max'));
  await pace.due(3_600_000_000, never);
  expect(timer.at).toBeLessThan(1_000);
});

test('a pause holds the clock, and the wait after it is what was left', async () => {
  const timer = fakeTimer();
  const pace = new Pace(1, timer);
  await pace.due(0, never);
  await pace.due(1_000_000, never);
  pace.pause();
  let sent = false;
  const waiting = Promise.resolve(pace.due(1_500_000, never)).then(() => {
    sent = true;
  });
  await Promise.resolve();
  timer.at += 60_000;
  expect(sent).toBe(false);
  pace.resume();
  await waiting;
  expect(timer.at).toBeCloseTo(61_500);
});

test('an abort ends a wait and a pause', async () => {
  const stop = new AbortController();
  const pace = new Pace(1, fakeTimer());
  pace.pause();
  const waiting = pace.due(1, stop.signal);
  expect(waiting).toBeInstanceOf(Promise);
  stop.abort();
  await expect(waiting).resolves.toBeUndefined();
});
