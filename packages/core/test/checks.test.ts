import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ladders } from '../src/capture/checks.ts';
import { bookState, checkBook } from '../src/capture/checks.ts';
import type { CheckFlag } from '../src/events/events.ts';
import { CHECK_FLAGS } from '../src/events/events.ts';

const BOUNDS = [1, 999_999] as const;
const ROW = { market: 'KX', observedAt: 1 };

const book = (bids: [number, number][], asks: [number, number][]): Ladders => ({
  bidPrices: bids.map(([price]) => price),
  bidSizes: bids.map(([, size]) => size),
  askPrices: asks.map(([price]) => price),
  askSizes: asks.map(([, size]) => size),
});

const GOOD = book(
  [
    [500_000, 1],
    [490_000, 2],
  ],
  [
    [510_000, 1],
    [520_000, 2],
  ],
);

describe('bookState', () => {
  it.each([
    ['two_sided', GOOD],
    ['bid_only', book([[500_000, 1]], [])],
    ['ask_only', book([], [[500_000, 1]])],
    ['empty', book([], [])],
    ['crossed', book([[520_000, 1]], [[510_000, 1]])],
    // Locked: a bid and an ask at one price would trade.
    ['crossed', book([[510_000, 1]], [[510_000, 1]])],
  ])('is %s', (state, ladders) => {
    expect(bookState(ladders)).toBe(state);
  });
});

describe('checkBook', () => {
  it.each<[CheckFlag[], Ladders, { market: string; observedAt: number }]>([
    [[], GOOD, ROW],
    [[], book([], []), ROW],
    [['missing_id'], GOOD, { ...ROW, market: '' }],
    [['missing_timestamp'], GOOD, { ...ROW, observedAt: 0 }],
    [['missing_timestamp'], GOOD, { ...ROW, observedAt: Number.NaN }],
    [['price_out_of_bounds'], book([[0, 1]], []), ROW],
    [['price_out_of_bounds'], book([], [[1_000_000, 1]]), ROW],
    [['unequal_lengths', 'size_not_positive'], { ...GOOD, bidSizes: [1] }, ROW],
    [['unequal_lengths'], { ...GOOD, askSizes: [1, 2, 3] }, ROW],
    [
      ['not_ordered'],
      book(
        [
          [490_000, 1],
          [500_000, 1],
        ],
        [],
      ),
      ROW,
    ],
    [
      ['not_ordered'],
      book(
        [],
        [
          [520_000, 1],
          [510_000, 1],
        ],
      ),
      ROW,
    ],
    [
      ['duplicate_price'],
      book(
        [
          [500_000, 1],
          [500_000, 2],
        ],
        [],
      ),
      ROW,
    ],
    [['crossed'], book([[520_000, 1]], [[510_000, 1]]), ROW],
    [['size_not_positive'], book([[500_000, 0]], []), ROW],
    [['size_not_positive'], book([[500_000, -1]], []), ROW],
  ])('flags %j', (flags, ladders, row) => {
    expect(checkBook(ladders, BOUNDS, row)).toEqual(flags);
  });

  it('adds what the normalizer found, in the order of the list, without repeats', () => {
    const crossed = book([[520_000, 1]], [[510_000, 0]]);
    expect(checkBook(crossed, BOUNDS, ROW, ['inexact', 'crossed'])).toEqual([
      'crossed',
      'size_not_positive',
      'inexact',
    ]);
    const found: CheckFlag[] = ['inexact'];
    expect(checkBook(GOOD, BOUNDS, ROW, found)).toBe(found);
  });

  it('flags nothing in any ordered, uncrossed book within bounds, and something in any other', () => {
    const prices = fc.uniqueArray(fc.integer({ min: 1, max: 999_999 }), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(prices, fc.nat(), fc.nat(), (unordered, cut, at) => {
        const ordered = [...unordered].sort((a, b) => a - b);
        const split = cut % (ordered.length + 1);
        const bids = ordered.slice(0, split).reverse();
        const asks = ordered.slice(split);
        const ladders = book(
          bids.map((price) => [price, 1]),
          asks.map((price) => [price, 1]),
        );
        expect(checkBook(ladders, BOUNDS, ROW)).toEqual([]);
        const spoiled = { ...ladders, bidPrices: [...bids], askPrices: [...asks] };
        const side = at % 2 === 0 && bids.length > 1 ? spoiled.bidPrices : spoiled.askPrices;
        if (side.length < 2) return;
        side.reverse();
        expect(checkBook(spoiled, BOUNDS, ROW)).toContain('not_ordered');
      }),
    );
  });

  it('always answers with known flags in list order', () => {
    const side = fc.array(fc.tuple(fc.integer(), fc.integer()), { maxLength: 8 });
    fc.assert(
      fc.property(side, side, fc.subarray([...CHECK_FLAGS]), (bids, asks, found) => {
        const flags = checkBook(book(bids, asks), BOUNDS, ROW, found);
        expect(flags).toEqual(CHECK_FLAGS.filter((name) => flags.includes(name)));
        for (const name of found) expect(flags).toContain(name);
      }),
    );
  });
});
