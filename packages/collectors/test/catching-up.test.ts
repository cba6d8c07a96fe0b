// One connection after a stall, with the way out of it: a ping behind what has piled up.

import type { GapCause, VenueEvent } from '@ladderlog/core';
import { Capture, adapterOf } from '@ladderlog/core';
import { expect, test } from 'vitest';

import { CatchingUp } from '../src/recorder/catching-up.ts';
import { SessionClock } from '../src/recorder/session-clock.ts';

const LIMIT = 1_000;

function connection() {
  const at = { ms: 10_000 };
  const clock = new SessionClock({ wall: () => at.ms * 1_000, monotonic: () => at.ms });
  const capture = new Capture({ adapter: adapterOf('venuec'), collector: 'c', provenance: 'captured' });
  const session = capture.openSession('s1');
  const pings: string[] = [];
  const pushed: VenueEvent[] = [];
  const resynced: string[] = [];
  const abandoned: GapCause[] = [];
  const catchingUp = new CatchingUp({
    limitMs: LIMIT,
    current: () => ({ session, clock }),
    ping: (text) => pings.push(text) > 0,
    push: (events) => pushed.push(...events),
    resync: (markets) => resynced.push(...markets),
    abandon: (cause) => abandoned.push(cause),
    monotonic: () => at.ms,
  });
  const book = {
    event_type: 'book',
    asset_id: '11',
    market: '0x1',
    bids: [{ price: '0.4', size: '1' }],
    asks: [{ price: '0.6', size: '1' }],
    timestamp: '1780000000000',
    hash: '0xabc',
  };
  const hear = (): VenueEvent[] => {
    const text = JSON.stringify(book);
    const frame = { channel: 'ws', direction: 'in' as const, text, observedAt: clock.now(), settings: {} };
    return session.frame(frame, Buffer.from(text)).events;
  };
  expect(hear().map(({ type }) => type)).toContain('BookObserved');
  const stall = (): void => {
    const since = at.ms;
    at.ms += 5_000;
    catchingUp.begin({ since, noticedAt: at.ms, detail: 'held up' });
  };
  return { at, session, catchingUp, pings, pushed, resynced, abandoned, hear, stall };
}

test('caught up when the ping is answered at once; fresh books are asked for, and the next one ends the gap', () => {
  const { at, session, catchingUp, pings, pushed, resynced, hear, stall } = connection();
  stall();
  expect(pushed).toMatchObject([{ type: 'GapOpened', cause: 'recorder_stalled', from: 10_000_000 }]);
  expect(hear().map(({ type }) => type)).toEqual(['FrameCaptured']);
  expect(catchingUp.look(true)).toBe(false);
  at.ms += 50;
  catchingUp.hear('of another ping');
  expect(session.isLate).toBe(true);
  catchingUp.hear(pings[0]!);
  expect([session.isLate, resynced, catchingUp.lateFrames]).toEqual([false, ['0x1'], 1]);
  expect(hear().map(({ type }) => type)).toEqual([
    'FrameCaptured',
    'BookCompared',
    'GapClosed',
    'BookObserved',
  ]);
});

test('an answer that took longer than the limit counts when the loop rests; else the ping is sent again', () => {
  const { at, session, catchingUp, pings, stall } = connection();
  stall();
  at.ms += 2 * LIMIT;
  catchingUp.hear(pings[0]!);
  expect(session.isLate).toBe(true);
  expect([catchingUp.look(false), pings.length]).toEqual([false, 2]);
  at.ms += 2 * LIMIT;
  catchingUp.hear(pings[1]!);
  expect([catchingUp.look(true), session.isLate]).toEqual([true, false]);
});

test('without an answer the connection is given up', () => {
  const { at, catchingUp, abandoned, stall } = connection();
  stall();
  at.ms += 10_000;
  expect([catchingUp.look(true), abandoned]).toEqual([false, []]);
  at.ms += 1;
  expect([catchingUp.look(true), abandoned]).toEqual([true, ['recorder_stalled']]);
});
