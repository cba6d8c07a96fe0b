// Whatever was recorded and whatever is ordered: no fill is better than the ladder it names, none lies in a gap or on a book too
// old, no level gives more than it showed, money is conserved, and the same run gives the same bytes.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  BookObserved,
  EngineResult,
  GapRow,
  OrderRequest,
  RunFacts,
  Strategy,
  VenueEvent,
} from '../../src/index.ts';
import { buildReport, reportJson } from '../../src/index.ts';
import { M, OPTIONS, SECOND, T0, TOKEN, book, gap, market, run, type Level } from './recording.ts';

const side = (cents: readonly number[], sizes: readonly number[]): Level[] =>
  cents.map((cent, at) => [cent / 100, 1 + (sizes[at % sizes.length] ?? 1)]);

const bookAt = fc
  .record({
    prices: fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 0, maxLength: 8 }),
    split: fc.nat(8),
    sizes: fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }),
  })
  .map(({ prices, split, sizes }) => {
    const sorted = [...prices].sort((a, b) => a - b);
    return {
      bids: side(sorted.slice(0, split).reverse(), sizes),
      asks: side(sorted.slice(split), sizes),
    };
  });

const order: fc.Arbitrary<Omit<OrderRequest, 'market'>> = fc
  .record({
    outcome: fc.constantFrom(TOKEN, TOKEN, '72'),
    side: fc.constantFrom('buy' as const, 'buy' as const, 'sell' as const),
    size: fc.integer({ min: 1, max: 60_000_000 }),
    limit: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
    remainder: fc.constantFrom('rest' as const, 'now' as const),
  })
  .map(({ limit, ...rest }) => ({ ...rest, ...(limit === undefined ? {} : { limit: limit * 10_000 }) }));

const recording = fc
  .array(
    fc.record({
      wait: fc.integer({ min: 1, max: 8 }),
      book: bookAt,
      broken: fc.nat(9).map((n) => n === 0),
      orders: fc.array(order, { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((steps) => {
    const events: VenueEvent[] = [];
    const gaps: GapRow[] = [];
    const plans = new Map<number, readonly Omit<OrderRequest, 'market'>[]>();
    let at = 0;
    for (const [index, step] of steps.entries()) {
      const before = at;
      at += step.wait;
      if (step.broken && index > 0 && at - before > 1) {
        const one = gap(`g${index}`, before, before + 1, at);
        events.push(one.opened, one.closed);
        gaps.push(one.row);
      }
      events.push(book(at, step.book.bids, step.book.asks));
      plans.set(T0 + at * SECOND, step.orders);
    }
    return { events, gaps, plans };
  });

const strategyOf = (
  plans: ReadonlyMap<number, readonly Omit<OrderRequest, 'market'>[]>,
): Omit<Strategy, 'name'> => ({
  onBook(observed, context) {
    for (const request of plans.get(observed.observedAt) ?? []) context.send({ market: M, ...request });
  },
});

const settings = fc.record({
  latency: fc.nat(10 * SECOND),
  jitter: fc.nat(2 * SECOND),
  seed: fc.nat(),
  maxBookAge: fc.integer({ min: SECOND, max: 6 * SECOND }),
});

test('fills stay within what was recorded', () => {
  fc.assert(
    fc.property(recording, settings, ({ events, gaps, plans }, options) => {
      const result = run(strategyOf(plans), events, { ...options, gaps });
      const taken = new Map<string, number>();
      for (const fill of result.fills) {
        const shown = events[Number(fill.book.split('/')[2])] as BookObserved;
        expect(shown.outcome).toBe(fill.outcome);
        expect(fill.at - shown.observedAt).toBeGreaterThanOrEqual(0);
        expect(fill.at - shown.observedAt).toBeLessThanOrEqual(options.maxBookAge);
        expect(gaps.some(({ from_at, to_at }) => from_at < fill.at && fill.at < to_at!)).toBe(false);
        const request = result.orders[fill.order - 1]!.request;
        const best = fill.side === 'buy' ? shown.askPrices[0]! : shown.bidPrices[0]!;
        const worse = fill.side === 'buy' ? fill.price - best : best - fill.price;
        expect(worse).toBeGreaterThanOrEqual(0);
        const limit = request.limit ?? fill.price;
        expect(fill.side === 'buy' ? limit - fill.price : fill.price - limit).toBeGreaterThanOrEqual(0);
        const key = `${fill.book} ${fill.side}`;
        taken.set(key, (taken.get(key) ?? 0) + fill.size);
        // All fills on one observation together: not more than that side shows up to the order's price.
        const [prices, sizes] =
          fill.side === 'buy' ? [shown.askPrices, shown.askSizes] : [shown.bidPrices, shown.bidSizes];
        const depth = sizes.reduce((sum, size) => sum + size, 0);
        expect(taken.get(key)!).toBeLessThanOrEqual(depth);
        const level = sizes[prices.indexOf(fill.price)] ?? 0;
        const through = prices.some((price) =>
          fill.side === 'buy' ? price < fill.price : price > fill.price,
        );
        expect(fill.liquidity === 'taker' ? fill.size <= level : through).toBe(true);
      }
      for (const one of result.orders) {
        expect(one.filled).toBeLessThanOrEqual(one.request.size);
        expect(one.state).toBe('done');
      }
      conserved(result);
    }),
    { numRuns: 400 },
  );
});

/** Cash is what it was, less what was paid, plus what was received; contracts likewise; and neither is ever negative. */
function conserved({ fills, cash, open, fees }: EngineResult): void {
  let left = OPTIONS.cash;
  const held = new Map<string, number>();
  for (const { side, amount, fee, size, outcome } of fills) {
    left += (side === 'buy' ? -amount : amount) - fee;
    const now = (held.get(outcome) ?? 0) + (side === 'buy' ? size : -size);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(now).toBeGreaterThanOrEqual(0);
    held.set(outcome, now);
  }
  expect(cash).toBe(left);
  expect(fees).toBe(fills.reduce((sum, { fee }) => sum + fee, 0));
  for (const { outcome, size } of open) expect(held.get(outcome)).toBe(size);
}

const FACTS: RunFacts = {
  versions: { ladderlog: '0', strategy: 'test', strategySha256: null },
  markets: [{ venue: 'venuec', market: M, title: null }],
  from: OPTIONS.from,
  to: OPTIONS.to,
  clock: 'observed',
  latency: 0,
  jitter: 0,
  maxBookAge: OPTIONS.maxBookAge,
  cash: OPTIONS.cash,
  seed: 1,
  fees: OPTIONS.fees,
  rules: OPTIONS.rules,
  voidRule: 'refund',
  params: {},
  coverage: [],
  logKind: 'sqlite',
  unreadable: 0,
};

test('the same run gives the same bytes', () => {
  fc.assert(
    fc.property(recording, settings, ({ events, gaps, plans }, options) => {
      const once = () => reportJson(buildReport(FACTS, run(strategyOf(plans), events, { ...options, gaps })));
      expect(once()).toBe(once());
    }),
    { numRuns: 50 },
  );
});

test('a void market that is refunded leaves the account where it was, but for fees', () => {
  fc.assert(
    fc.property(recording, settings, ({ events, gaps, plans }, options) => {
      const buysOnly = new Map(
        [...plans].map(([at, orders]) => [at, orders.filter(({ side }) => side === 'buy')] as const),
      );
      const voided = market(900, { status: 'voided' });
      const result = run(strategyOf(buysOnly), [...events, voided], { ...options, gaps });
      expect(result.cash).toBe(OPTIONS.cash - result.fees);
      expect(result.open).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
