// Venue A by REST: sixty calls a minute for the catalogue, samples, and the books that its socket does not cache.

import type { VenueEvent } from '@ladderlog/core';
import { afterEach, expect, test } from 'vitest';

import type { TestCapture } from '../../../test/harness/capture.ts';
import { NOON, startCapture } from '../../../test/harness/capture.ts';

let capture: TestCapture | null = null;
afterEach(async () => {
  await capture?.close();
  capture = null;
});

const BOOKS = 6;
const NO_PROBES = { quietMs: 600_000 };
const FEW_LISTS = { discoverMs: 10_000 };

const of = <T extends VenueEvent['type']>(events: readonly VenueEvent[], type: T) =>
  events.filter((event): event is Extract<VenueEvent, { type: T }> => event.type === type);
const booksSeen = (events: readonly VenueEvent[]): Set<string> =>
  new Set(of(events, 'BookObserved').map(({ market, outcome }) => `${market}/${outcome}`));

test.each([
  ['http_500', 'venue_error'],
  ['http_429', 'quota'],
] as const)(
  'venue A %s: samples that cannot be had are in a gap, books by the socket are not',
  async (kind, cause) => {
    capture = await startCapture({ venues: ['venuea'], timing: NO_PROBES });
    await capture.until(
      'books and samples',
      (events) => booksSeen(events).size >= BOOKS && of(events, 'MetricSampled').length > 0,
    );
    capture.simulators.inject({ venue: 'venuea', kind, duration: 6 });
    const events = await capture.until('gaps that opened and closed', (now) =>
      of(now, 'GapClosed').some(({ dataset }) => dataset === 'samples'),
    );
    for (const gap of of(events, 'GapOpened'))
      expect(gap).toMatchObject({ dataset: 'samples', cause, scope: 'venue' });
    for (const { market, from, to } of of(events, 'GapClosed'))
      expect(
        of(events, 'MetricSampled').filter(
          (sample) => sample.market === market && sample.observedAt > from && sample.observedAt < to,
        ),
      ).toEqual([]);
  },
);

test('venue A: a quiet market begins, and goes on after a cut, with the book that REST has', async () => {
  const quiet = { updatesPerSecond: 0.000_001 };
  const timing = { ...NO_PROBES, ...FEW_LISTS };
  capture = await startCapture({ venues: ['venuea'], simulator: quiet, timing });
  await capture.until('the first books', (events) => booksSeen(events).size >= BOOKS);
  capture.simulators.inject({ venue: 'venuea', kind: 'disconnect' });
  const events = await capture.until(
    'every book again',
    (now) => of(now, 'GapClosed').filter(({ dataset }) => dataset === 'books').length >= BOOKS,
  );
  const frames = new Map(
    of(events, 'FrameCaptured').map((frame) => [`${frame.session} ${frame.ordinal}`, frame]),
  );
  for (const { session, ordinal } of of(events, 'BookObserved'))
    expect(frames.get(`${session} ${ordinal}`)!.channel).toMatch(/^rest:\/order-book/);
});

test('venue A: once a market, the books of both its tokens are held against that of the socket', async () => {
  capture = await startCapture({
    venues: ['venuea'],
    timing: { ...NO_PROBES, ...FEW_LISTS },
  });
  const secondOf = (events: readonly VenueEvent[]) =>
    Map.groupBy(
      of(events, 'BookCompared').filter(({ outcome }) => outcome === '1'),
      ({ market }) => market,
    );
  const events = await capture.until('comparisons', (now) => secondOf(now).size >= 2);
  for (const [market, once] of secondOf(events)) {
    expect(once).toHaveLength(1);
    // A seed that a push overtook is one of the first token, too.
    const first = of(events, 'BookCompared').filter((one) => one.market === market && one.outcome === '0');
    expect(first.length).toBeGreaterThan(0);
  }
});

test('venue A: markets that the list does not show are found by the detail of their topics', async () => {
  // At this hour the list has a topic without its markets.
  capture = await startCapture({ venues: ['venuea'], startsAt: NOON - 14 * 60_000 });
  const events = await capture.until('every book', (now) => booksSeen(now).size >= BOOKS);
  const lists = of(events, 'FrameCaptured').filter(({ channel }) => channel.startsWith('rest:/market/list'));
  expect(lists.some(({ body }) => Buffer.from(body).includes('"markets":[]'))).toBe(true);
});
