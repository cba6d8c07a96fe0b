// Each fault of a venue gives exactly the right gap: one per book it hit, with the right cause and edges, and no observation
// inside. Real simulators, sockets and log.

import type { BookObserved, FrameCaptured, GapClosed, GapOpened, VenueEvent } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';
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

const lastAt = (events: readonly VenueEvent[]): number =>
  events.reduce((latest, { observedAt }) => Math.max(latest, observedAt), 0);
const isFlagged = (flag: BookObserved['flags'][number]) => (event: VenueEvent) =>
  event.type === 'BookObserved' && event.flags.includes(flag);
const isRejected = (reason: string) => (event: VenueEvent) =>
  event.type === 'FrameRejected' && event.reason === reason;
const isAnswered = (status: string) => (event: VenueEvent) =>
  event.type === 'FrameCaptured' && event.settings['status'] === status;
const isStatedAfter = (ms: number) => (event: VenueEvent) =>
  event.type === 'BookObserved' && (event.sourceTs ?? 0) > ms * MICROS_PER_MS;

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
  /** Which books: all, or at least one. */
  readonly hits: 'all' | 'some';
  readonly options?: CaptureOptions;
};

const BOOKS = { venuea: 6, venueb: 9, venuec: 12 };
type Simulated = keyof typeof BOOKS;
/** Probes of quiet books would be the first to notice. */
const NO_PROBES = { timing: { quietMs: 600_000 } };
/** Sixty calls a minute for everything: fewer for the catalogue leave more for probes. */
const FEW_LISTS = { timing: { discoverMs: 10_000 } };

const CASES: readonly (Case & { readonly venue: Simulated })[] = [
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
  { venue: 'venueb', fault: { kind: 'delta_below_zero' }, cause: 'lost_sync', scope: 'book', hits: 'some' },
  {
    venue: 'venueb',
    fault: { kind: 'overflow' },
    cause: 'venue_error',
    scope: 'connection',
    hits: 'all',
  },
  { venue: 'venuea', fault: { kind: 'garbage' }, cause: 'rejected_frame', scope: 'connection', hits: 'all' },
  { venue: 'venuec', fault: { kind: 'garbage' }, cause: 'rejected_frame', scope: 'connection', hits: 'all' },
  { venue: 'venuec', fault: { kind: 'silence', duration: 8 }, cause: 'silence', scope: 'book', hits: 'all' },
  {
    venue: 'venuea',
    fault: { kind: 'silence', duration: 12 },
    cause: 'silence',
    scope: 'book',
    hits: 'some',
    options: FEW_LISTS,
  },
  {
    venue: 'venueb',
    fault: { kind: 'silence', duration: 3 },
    cause: 'sequence_break',
    scope: 'connection',
    hits: 'all',
    options: NO_PROBES,
  },
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

/** From the last number before the loss: the frame that shows it is the one at which the gap was opened. */
function expectBeginsAtLastNumber(events: readonly VenueEvent[], gap: GapOpened): void {
  const numbered = of(events, 'FrameCaptured').flatMap((frame): [number, FrameCaptured][] => {
    if (frame.session !== gap.session || frame.direction === 'out') return [];
    const { seq } = JSON.parse(Buffer.from(frame.body).toString()) as { seq?: number };
    return seq === undefined ? [] : [[seq, frame]];
  });
  const at = numbered.findIndex(([, { ordinal }]) => ordinal === gap.ordinal);
  const [before, last] = numbered[at - 1]!;
  expect(numbered[at]![0]).toBeGreaterThan(before + 1);
  expect(gap.from).toBe(last.observedAt);
}

describe('faults', () => {
  test.each(CASES)(
    '$venue $fault.kind → one gap, cause $cause',
    async ({ venue, fault, cause, scope, hits, options }) => {
      capture = await startCapture({ venues: [venue], ...options });
      const expected = BOOKS[venue];
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
          (hits === 'some' || new Set(opened.map(bookOf)).size >= expected - 1)
        );
      });
      expectHonest(after);
      // An open gap is restated under its own id; it is still one gap.
      const opened = [
        ...new Map(
          gapsOf(after)
            .toReversed()
            .map((gap) => [gap.gapId, gap]),
        ).values(),
      ];
      const books = new Set(opened.map(bookOf)).size;
      expect(hits === 'some' ? books : opened.length, 'one gap a book').toBe(books);
      expect(new Set(opened.map((gap) => gap.cause))).toEqual(new Set([cause]));
      expect(new Set(opened.map((gap) => gap.scope))).toEqual(new Set([scope]));
      const closed = new Map(of(after, 'GapClosed').map((gap): [string, GapClosed] => [gap.gapId, gap]));
      for (const gap of opened) {
        // From the last proof of coverage, to the first whole book.
        expect(gap.from).toBeLessThanOrEqual(gap.observedAt);
        expect(gap.lastBefore?.observedAt ?? 0).toBeLessThanOrEqual(gap.from);
        if (cause === 'sequence_break') expectBeginsAtLastNumber(after, gap);
        const end = closed.get(gap.gapId)!;
        expect(end.firstAfter === null || end.firstAfter.observedAt === end.to).toBe(true);
      }
    },
  );

  const HARMLESS: readonly (readonly [Simulated, Omit<Fault, 'venue'>, (event: VenueEvent) => boolean])[] = [
    ['venueb', { kind: 'garbage' }, (event) => event.type === 'FrameRejected'],
    ['venuea', { kind: 'delta_below_zero' }, isFlagged('size_not_positive')],
    ['venuec', { kind: 'delta_below_zero' }, isFlagged('size_not_positive')],
    ['venuea', { kind: 'unknown_message' }, isRejected('unknown_kind')],
    ['venueb', { kind: 'unknown_message' }, isRejected('unknown_kind')],
    ['venuec', { kind: 'unknown_message' }, isRejected('unknown_kind')],
    ['venuec', { kind: 'http_500', duration: 600 }, isAnswered('500')],
    ['venuec', { kind: 'http_429', duration: 600 }, isAnswered('429')],
    ['venuea', { kind: 'clock_jump', by: 3_600 }, isStatedAfter(NOON + 3_600_000)],
    ['venueb', { kind: 'clock_jump', by: 3_600 }, isStatedAfter(NOON + 3_600_000)],
    ['venuec', { kind: 'clock_jump', by: 3_600 }, isStatedAfter(NOON + 3_600_000)],
    ['venuea', { kind: 'clock_jump', by: -30 }, isFlagged('source_time_backwards')],
    ['venueb', { kind: 'clock_jump', by: -30 }, isFlagged('source_time_backwards')],
    ['venuec', { kind: 'clock_jump', by: -30 }, isFlagged('source_time_backwards')],
  ];
  test.each(HARMLESS)('%s %o is kept as it came, and is no gap', async (venue, fault, shows) => {
    capture = await startCapture({ venues: [venue], ...NO_PROBES });
    await capture.until('the first books', (events) => booksSeen(events).size >= BOOKS[venue]);
    capture.simulators.inject({ ...fault, venue });
    const shown = await capture.until('what the fault shows as', (events) => events.some(shows));
    // Every book goes on after it.
    const from = lastAt(shown);
    const events = await capture.until(
      'the books after it',
      (now) => booksSeen(now.filter(({ observedAt }) => observedAt > from)).size >= BOOKS[venue] / 2,
    );
    expect(gapsOf(events)).toEqual([]);
  });

  test.each(['venuea', 'venuec'] as const)(
    '%s skip_sequence: a loss without numbers is mended by a whole book, or found by comparing',
    async (venue) => {
      capture = await startCapture({
        venues: [venue],
        timing: { compareMs: venue === 'venuec' ? 300 : null },
      });
      await capture.until('the first books', (events) => booksSeen(events).size >= BOOKS[venue]);
      capture.simulators.inject({ venue, kind: 'skip_sequence' });
      const { simulators } = capture;
      const before = await capture.until('a lost frame', () => simulators.lost(venue).count > 0);
      const events = await capture.until(
        'books after it',
        (now) => of(now, 'BookObserved').length > of(before, 'BookObserved').length + 100,
      );
      expectHonest(events);
      expect(gapsOf(events).filter(({ cause }) => cause !== 'silence')).toEqual([]);
    },
  );

  test('while the venue refuses connections a cut socket is in its gap', async () => {
    capture = await startCapture({ venues: ['venueb'] });
    await capture.until('the first books', (events) => booksSeen(events).size >= BOOKS.venueb);
    capture.simulators.inject({ venue: 'venueb', kind: 'refuse_connections', duration: 3 });
    capture.simulators.inject({ venue: 'venueb', kind: 'disconnect' });
    const events = await capture.until('every book again', (now) => {
      const closed = new Set(of(now, 'GapClosed').map(({ gapId }) => gapId));
      const opened = gapsOf(now);
      return opened.length >= BOOKS.venueb && opened.every(({ gapId }) => closed.has(gapId));
    });
    expectHonest(events);
    const refused = capture.simulators.faultsApplied()[0]!;
    for (const { cause, to } of of(events, 'GapClosed').filter(({ dataset }) => dataset === 'books')) {
      expect(cause).toBe('disconnected');
      // Our clock is read in whole milliseconds.
      expect(to).toBeGreaterThanOrEqual(refused.endedAt! - 100 * MICROS_PER_MS);
    }
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
    // Had the silence been longer, we would have reconnected for it.
    const causes = gapsOf(after).map(({ cause }) => cause);
    expect(causes.filter((cause) => cause !== 'sequence_break' && cause !== 'disconnected')).toEqual([]);
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
