// Each fault of a venue gives exactly the right gap: one per book it hit, with the right cause and edges, and no observation
// inside. Real simulators, sockets and log.

import type { GapClosed, GapOpened, Venue, VenueEvent } from '@ladderlog/core';
import type { Fault } from '@ladderlog/simulators';
import { afterEach, describe, expect, test } from 'vitest';

import type { CaptureOptions, TestCapture } from '../../../test/harness/capture.ts';
import { NOON, startCapture } from '../../../test/harness/capture.ts';

let capture: TestCapture | null = null;
afterEach(async () => {
  await capture?.close();
  capture = null;
});

const of = <T extends VenueEvent['type']>(events: readonly VenueEvent[], type: T) =>
  events.filter((event): event is Extract<VenueEvent, { type: T }> => event.type === type);
/** Near its end a venue C market gets a finer tick, and its book is void until the next: no fault, whenever the test runs. */
const gapsOf = (events: readonly VenueEvent[]) =>
  of(events, 'GapOpened').filter(({ cause, dataset }) => dataset === 'books' && cause !== 'tick_change');
const bookOf = (event: { market: string; outcome: string | null }): string =>
  `${event.market}/${event.outcome ?? ''}`;
const booksSeen = (events: readonly VenueEvent[]): Set<string> =>
  new Set(of(events, 'BookObserved').map(bookOf));

/** What must hold of any log: gaps come in pairs, one at a time per book, and nothing is observed inside one. */
function expectHonest(events: readonly VenueEvent[]): void {
  const opened = of(events, 'GapOpened');
  const closed = new Map(of(events, 'GapClosed').map((gap) => [gap.gapId, gap]));
  for (const gap of opened) {
    const end = closed.get(gap.gapId);
    if (gap.dataset !== 'books') continue;
    const to = end?.to ?? Number.POSITIVE_INFINITY;
    expect(to).toBeGreaterThanOrEqual(gap.from);
    const inside = of(events, 'BookObserved').filter(
      (book) => bookOf(book) === bookOf(gap) && book.observedAt > gap.from && book.observedAt < to,
    );
    expect(inside, `observations inside ${gap.cause} ${bookOf(gap)}`).toEqual([]);
  }
}

type Case = {
  readonly fault: Omit<Fault, 'venue'>;
  readonly cause: GapOpened['cause'];
  readonly scope: GapOpened['scope'];
  readonly hits: 'all' | 'one';
  readonly options?: CaptureOptions;
};

const CASES: readonly (Case & { readonly venue: Venue })[] = [
  { venue: 'venuea', fault: { kind: 'disconnect' }, cause: 'disconnected', scope: 'connection', hits: 'all' },
  { venue: 'venueb', fault: { kind: 'disconnect' }, cause: 'disconnected', scope: 'connection', hits: 'all' },
  { venue: 'venuec', fault: { kind: 'disconnect' }, cause: 'disconnected', scope: 'connection', hits: 'all' },
  { venue: 'venuea', fault: { kind: 'close_24h' }, cause: 'disconnected', scope: 'connection', hits: 'all' },
  {
    venue: 'venueb',
    fault: { kind: 'skip_sequence' },
    cause: 'sequence_break',
    scope: 'connection',
    hits: 'all',
  },
  { venue: 'venueb', fault: { kind: 'delta_below_zero' }, cause: 'lost_sync', scope: 'book', hits: 'one' },
  { venue: 'venuec', fault: { kind: 'garbage' }, cause: 'rejected_frame', scope: 'connection', hits: 'all' },
  { venue: 'venuec', fault: { kind: 'silence', duration: 8 }, cause: 'silence', scope: 'book', hits: 'all' },
  {
    venue: 'venueb',
    fault: { kind: 'http_429', duration: 9 },
    cause: 'quota',
    scope: 'venue',
    hits: 'all',
    options: { poll: true, timing: { discoverMs: 5_000 } },
  },
  {
    venue: 'venueb',
    fault: { kind: 'http_500', duration: 9 },
    cause: 'venue_error',
    scope: 'venue',
    hits: 'all',
    options: { poll: true, timing: { discoverMs: 5_000 } },
  },
];

describe('faults', () => {
  test.each(CASES)(
    '$venue $fault.kind → one gap, cause $cause',
    async ({ venue, fault, cause, scope, hits, options }) => {
      capture = await startCapture({ venues: [venue], ...options });
      const expected = venue === 'venuea' ? 6 : venue === 'venueb' ? 9 : 12;
      const before = await capture.until(
        'the first books',
        (events) => booksSeen(events).size >= expected && of(events, 'CaptureBeat').length > 0,
      );
      expect(gapsOf(before)).toEqual([]);
      capture.simulators.inject({ ...fault, venue });
      const after = await capture.until('gaps that opened and closed', (events) => {
        const opened = gapsOf(events).filter((gap) => gap.cause === cause);
        const closed = new Set(of(events, 'GapClosed').map(({ gapId }) => gapId));
        return (
          opened.length > 0 &&
          opened.every(({ gapId }) => closed.has(gapId)) &&
          (hits === 'one' || new Set(opened.map(bookOf)).size >= expected - 1)
        );
      });
      expectHonest(after);
      const opened = gapsOf(after);
      // An open gap is restated under its own id; it is still one gap.
      const first = new Map(opened.toReversed().map((gap) => [bookOf(gap), gap.gapId]));
      const second = opened.filter((gap) => gap.gapId !== first.get(bookOf(gap)));
      expect(second, 'one gap a book').toEqual([]);
      expect(new Set(opened.map((gap) => gap.cause))).toEqual(new Set([cause]));
      expect(new Set(opened.map((gap) => gap.scope))).toEqual(new Set([scope]));
      const [applied] = capture.simulators.faultsApplied();
      const closed = new Map(of(after, 'GapClosed').map((gap): [string, GapClosed] => [gap.gapId, gap]));
      for (const gap of opened) {
        // From the last proof of coverage before the fault, to the first whole book after it.
        expect(gap.from).toBeLessThanOrEqual(applied!.startedAt + 4_000_000);
        const end = closed.get(gap.gapId)!;
        expect(end.firstAfter === null || end.firstAfter.observedAt === end.to).toBe(true);
        expect(gap.lastBefore?.observedAt ?? 0).toBeLessThanOrEqual(gap.from);
      }
    },
  );

  test('venue A: markets that the list does not show are found by the detail of their topics', async () => {
    // At this hour the list has a topic without its markets.
    capture = await startCapture({ venues: ['venuea'], startsAt: NOON - 14 * 60_000 });
    const events = await capture.until('every book', (now) => booksSeen(now).size >= 6);
    const lists = of(events, 'FrameCaptured').filter(({ channel }) =>
      channel.startsWith('rest:/market/list'),
    );
    expect(lists.some(({ body }) => Buffer.from(body).includes('"markets":[]'))).toBe(true);
  });

  test('a book that is asked for while its market is silent is asked for again, and comes', async () => {
    capture = await startCapture({ venues: ['venueb'], timing: { firstBookMs: 2_000 } });
    await capture.until('the first books', (events) => booksSeen(events).size >= 9);
    capture.simulators.inject({ venue: 'venueb', kind: 'silence_token', duration: 4 });
    const silent = capture.simulators.faultsApplied()[0]!.market!;
    const after = await capture.until('the silent market covered again', (events) =>
      of(events, 'GapClosed').some(({ market, firstAfter }) => market === silent && firstAfter !== null),
    );
    expectHonest(after);
    expect(new Set(gapsOf(after).map(({ cause }) => cause))).toEqual(new Set(['sequence_break']));
  });

  test('an unknown kind of message is kept as a reject and is no gap', async () => {
    capture = await startCapture({ venues: ['venuec'] });
    await capture.until('the first books', (events) => booksSeen(events).size >= 12);
    capture.simulators.inject({ venue: 'venuec', kind: 'unknown_message' });
    const events = await capture.until('the reject', (now) => of(now, 'FrameRejected').length > 0);
    expect(of(events, 'FrameRejected')[0]!.reason).toBe('unknown_kind');
    expect(gapsOf(events)).toEqual([]);
  });

  test('a crossed book is kept and flagged, and is no gap', async () => {
    capture = await startCapture({ venues: ['venueb'] });
    await capture.until('the first books', (events) => booksSeen(events).size >= 9);
    capture.simulators.inject({ venue: 'venueb', kind: 'cross_book' });
    const events = await capture.until('the crossed book', (now) =>
      of(now, 'BookObserved').some(({ state }) => state === 'crossed'),
    );
    const crossed = of(events, 'BookObserved').find(({ state }) => state === 'crossed')!;
    expect(crossed.flags).toContain('crossed');
    expect(crossed.bidPrices[0]).toBeGreaterThanOrEqual(crossed.askPrices[0]!);
    expect(gapsOf(events)).toEqual([]);
  });

  test('our own clock set forward: times stay monotone within a session and the jump is recorded', async () => {
    let shift = 0;
    capture = await startCapture({
      venues: ['venuec'],
      wallShift: () => shift,
    });
    await capture.until('the first books', (events) => booksSeen(events).size >= 12);
    shift = 3_600_000_000;
    const events = await capture.until(
      'gaps across the jump',
      (now) =>
        of(now, 'GapClosed').filter(({ cause, dataset }) => cause === 'clock_jump' && dataset === 'books')
          .length >= 10,
    );
    expectHonest(events);
    const bySession = new Map<string, number>();
    for (const frame of of(events, 'FrameCaptured')) {
      expect(frame.observedAt).toBeGreaterThanOrEqual(bySession.get(frame.session) ?? 0);
      bySession.set(frame.session, frame.observedAt);
    }
  });
});
