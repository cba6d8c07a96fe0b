// The library and the examples on a real recording: simulators, collectors and a SQLite log, with a cut connection in the middle
// and markets that resolve while it is made.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { BookObserved, GapClosed, MarketObserved, Strategy, Venue, VenueEvent } from '@ladderlog/core';
import { VENUES, formatPosition, isLadderlogError, reportJson, reportText } from '@ladderlog/core';
import { positionsFromBeginning, readEvents } from '@ladderlog/log';
import type { BacktestOptions } from '@ladderlog/replay';
import { reportHtml, runBacktest } from '@ladderlog/replay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestCapture } from './harness/capture.ts';
import { NOON, startCapture } from './harness/capture.ts';

const EXAMPLES = join(import.meta.dirname, '../packages/replay/examples');

let capture: TestCapture;
let range: { from: number; to: number };
const books = new Map<string, BookObserved>();
const events: VenueEvent[] = [];

beforeAll(async () => {
  // Windows of 30 and 90 s; the first of them end soon.
  capture = await startCapture({
    startsAt: NOON - 10_000,
    simulator: { scale: 10, updatesPerSecond: 10, windows: ['5m', '15m'] },
  });
  const booksOf = (seen: readonly VenueEvent[], venue: Venue): number =>
    seen.filter((event) => event.type === 'BookObserved' && event.venue === venue).length;
  const wasCut = (seen: readonly VenueEvent[], venue: Venue): boolean =>
    seen.some(
      (event) => event.type === 'GapClosed' && event.venue === venue && event.cause === 'disconnected',
    );
  await capture.until('books of all venues', (seen) => VENUES.every((venue) => booksOf(seen, venue) > 60));
  for (const venue of VENUES) capture.simulators.inject({ venue, kind: 'disconnect', duration: 0.5 });
  await capture.until(
    'the gap of the cut, books after it, and resolutions',
    (seen) =>
      VENUES.every((venue) => wasCut(seen, venue) && booksOf(seen, venue) > 250) &&
      VENUES.filter((venue) => seen.some((event) => isResolution(event) && event.venue === venue)).length >=
        2,
  );
  await capture.stop();
  for await (const batch of readEvents(capture.log, {
    from: await positionsFromBeginning(capture.log, VENUES),
  }))
    for (const { event, position } of batch) {
      events.push(event as VenueEvent);
      if (event?.type === 'BookObserved') books.set(formatPosition(position), event);
    }
  const times = [...books.values()].map(({ observedAt }) => observedAt);
  range = { from: Math.min(...times), to: Math.max(...times) + 1 };
});
afterAll(() => capture.close());

const isResolution = (event: VenueEvent): event is MarketObserved =>
  event.type === 'MarketObserved' && event.status === 'resolved' && event.winningOutcome !== null;

async function example(name: string): Promise<Strategy> {
  return ((await import(join(EXAMPLES, name))) as { default: Strategy }).default;
}

const runOn = (venue: Venue, strategy: Strategy, more: Partial<BacktestOptions> = {}) =>
  runBacktest({ log: capture.log, strategy, venue, ...range, latencyMs: 40, ...more });

/** Buys and sells at every turn, on whichever outcome. */
const eager: Strategy = {
  name: 'eager',
  onBook(book, context) {
    const held = context.position(book.market, book.outcome);
    if (held > 0 && context.random.below(2) === 0)
      context.send({ market: book.market, outcome: book.outcome, side: 'sell', size: held });
    else
      context.send({
        market: book.market,
        outcome: book.outcome,
        side: 'buy',
        size: 5_000_000 + context.random.below(20_000_000),
      });
  },
};

describe.each(VENUES)('%s', (venue) => {
  test('every fill is on a recorded level, and none lies in a recorded gap', async () => {
    let reached = 0;
    const { report, result } = await runOn(venue, eager, {
      cash: 1_000_000_000_000,
      onProgress: ({ done, total }) => {
        expect([done >= reached, done <= total]).toEqual([true, true]);
        reached = done;
      },
    });
    expect(reached).toBeGreaterThan(0);
    expect(result.fills.length).toBeGreaterThan(50);
    const gaps = events.filter(
      (event): event is GapClosed => event.type === 'GapClosed' && event.dataset === 'books',
    );
    for (const fill of result.fills) {
      const book = books.get(fill.book)!;
      const [prices, sizes] =
        fill.side === 'buy' ? [book.askPrices, book.askSizes] : [book.bidPrices, book.bidSizes];
      const level = prices.indexOf(fill.price);
      expect(book.market).toBe(fill.market);
      expect(level).toBeGreaterThanOrEqual(0);
      expect(fill.size).toBeLessThanOrEqual(sizes[level]!);
      expect(book.observedAt).toBeLessThanOrEqual(fill.at);
    }
    const inside = result.fills.filter((fill) =>
      gaps.some(
        (gap) =>
          gap.market === fill.market &&
          (gap.outcome === null || gap.outcome === fill.outcome) &&
          gap.from < fill.at &&
          fill.at < gap.to,
      ),
    );
    expect(inside).toEqual([]);
    expect(report.quality.gaps.length).toBeGreaterThan(0);
    expect(report.quality.gaps_crossed.length).toBeGreaterThan(0);
    expect(report.quality.covered_ratio).toBeGreaterThan(0);
    expect(report.quality.covered_ratio).toBeLessThan(1);
  });

  test('settles what resolved by the recorded winner', async () => {
    const { result } = await runOn(venue, eager, { cash: 1_000_000_000_000 });
    const winners = new Map(events.filter(isResolution).map((event) => [event.market, event.winningOutcome]));
    for (const { market, outcome, payout, rule } of result.settlements)
      expect([rule, payout]).toEqual(['winner', winners.get(market) === outcome ? 1_000_000 : 0]);
    const held = new Set(result.fills.map(({ market }) => market));
    const settled = new Set(result.settlements.map(({ market }) => market));
    const left = new Set(result.open.map(({ market }) => market));
    // Nothing that the log knows the end of stays open.
    expect([...left].filter((market) => winners.has(market))).toEqual([]);
    expect([...settled].every((market) => held.has(market))).toBe(true);
  });

  test('the same inputs give the same bytes, another seed gives others', async () => {
    const once = async (seed: number) => {
      const { report, result } = await runOn(venue, await example('coin-flip.ts'), {
        seed,
        jitterMs: 50,
        params: { every: '20' },
      });
      return [reportJson(report), reportText(report, result), reportHtml(report)];
    };
    const [first, second, other] = [await once(1), await once(1), await once(2)];
    expect(second).toEqual(first);
    expect(other[0]).not.toBe(first[0]);
  });
});

test.each(readdirSync(EXAMPLES))('example %s runs, and its page needs no network', async (name) => {
  const params = { price: '0.6', every: '50' };
  const { report, result } = await runOn('venuec', await example(name), { params });
  expect(report.result.orders).toBeGreaterThan(0);
  const page = reportHtml(report);
  expect(page).not.toMatch(/https?:|<script|@import|url\((?!#)/);
  expect(page).toContain('class="gap"');
  expect(reportText(report, result)).toContain('not modelled');
  expect(readFileSync(join(EXAMPLES, name), 'utf8')).not.toMatch(/Math\.random|Date/);
});

test('a range without a recording is said to be one', async () => {
  const error = await runOn('venuec', eager, { from: 1e15, to: 1e15 + 1e9 }).catch(
    (thrown: unknown) => thrown,
  );
  expect(isLadderlogError(error, 'NO_RECORDING')).toBe(true);
});
