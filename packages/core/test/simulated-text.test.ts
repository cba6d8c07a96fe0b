import { createHash } from 'node:crypto';

import { assert, integer, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMicro, parseDecimal } from '../src/kernel/decimal.ts';
import { easternRange, tickerTime } from '../src/venues/shared/eastern.ts';
import { sizeA } from '../src/venues/venue-a/simulate-objects.ts';
import { dollars, withYesPrices } from '../src/venues/venue-b/server-socket.ts';
import { withBookHash, type BookSummary } from '../src/venues/venue-c/server.ts';
import { priceC } from '../src/venues/venue-c/simulate-objects.ts';

describe('US Eastern times', () => {
  test.each([
    ['2026-09-19T01:30:00Z', '26SEP182130'],
    ['2026-11-15T00:15:00Z', '26NOV141915'],
    ['2026-03-08T06:45:00Z', '26MAR080145'], // the last quarter of an hour before the clocks go forward
    ['2026-03-08T07:00:00Z', '26MAR080300'],
    ['2026-11-01T05:45:00Z', '26NOV010145'], // summer time ends after this hour
    ['2026-11-01T07:00:00Z', '26NOV010200'],
    ['2026-07-03T21:00:20Z', '26JUL03170020'], // seconds only where a scaled window needs them
  ])('%s closes as %s', (iso, text) => {
    expect(tickerTime(Date.parse(iso), false)).toBe(text);
  });
  test('a full hour of the hourly series has no minutes', () => {
    expect(tickerTime(Date.parse('2026-09-24T16:00:00Z'), true)).toBe('26SEP2412');
  });
  test('titles', () => {
    const start = Date.parse('2026-11-15T00:00:00Z');
    expect(easternRange(start, start + 300_000)).toBe('November 14, 7:00PM-7:05PM ET');
  });
});

describe('numbers', () => {
  const price = integer({ min: 1, max: 999 }).map((n) => n * 1_000);
  const size = integer({ min: 1, max: 10_000_000_000 });

  test('whatever the spelling, the value is the same', () => {
    assert(
      property(price, size, nat(), (p, s, quirk) => {
        expect(parseDecimal(priceC(p, quirk))).toEqual({ value: p, exact: true });
        expect(parseDecimal(formatMicro(s))).toEqual({ value: s, exact: true });
        expect(parseDecimal(dollars(p))).toEqual({ value: p, exact: true });
        expect(parseDecimal(sizeA(s, p))?.value).toBe(s);
      }),
    );
  });

  test.each([
    [2_991_310_475, 524_000],
    [1_006_012, 500_000],
    [1_009_910, 500_000],
  ])('the dust of a float does not move a size of %i to the next unit', (s, p) => {
    expect(sizeA(s, p)).toMatch(/\.\d{10}$/);
    expect(parseDecimal(sizeA(s, p))).toEqual({ value: s, exact: false });
  });

  test('venue A has float dust now and then, venue C all three spellings', () => {
    const inexact = Array.from({ length: 50_000 }, (_, n) => sizeA(1_000_001 + n * 7, 500_000)).filter(
      (text) => parseDecimal(text)?.exact === false,
    );
    expect(inexact.length).toBeGreaterThan(5);
    expect(inexact.length).toBeLessThan(200);
    const spellings = new Set(Array.from({ length: 500 }, (_, quirk) => priceC(500_000, quirk)));
    expect(spellings).toEqual(new Set(['0.5', '.5', '0.50']));
  });
});

test('the book hash is the one of the venue’s SDK', () => {
  const summary: BookSummary = {
    market: '0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344',
    asset_id: '71183960810705820955071415844881728181970340514894896943812046065452395013351',
    timestamp: '1794700801234',
    bids: [
      { price: '0.01', size: '5200' },
      { price: '0.5', size: '310.4' },
      { price: '0.51', size: '42' },
    ],
    asks: [
      { price: '0.99', size: '4100' },
      { price: '0.54', size: '120' },
      { price: '0.53', size: '18.75' },
    ],
    min_order_size: '5',
    tick_size: '0.01',
    neg_risk: false,
    last_trade_price: '0.520',
    hash: '586820f9ca80208f436eb6cab9d06687f48609da',
  };
  const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
  expect(withBookHash({ ...summary, hash: '' }, { sha1 })).toEqual(summary);
});

test('turning the no side over twice gives it back', () => {
  const snapshot = {
    market_ticker: 'KXBTC15M-26NOV141915-15',
    yes_dollars_fp: [['0.5300', '212.50']],
    no_dollars_fp: [
      ['0.0050', '800.00'],
      ['0.4500', '6445.03'],
    ],
  };
  const turned = withYesPrices('orderbook_snapshot', snapshot);
  expect(turned['no_dollars_fp']).toEqual([
    ['0.5500', '6445.03'],
    ['0.9950', '800.00'],
  ]);
  expect(turned['yes_dollars_fp']).toEqual(snapshot.yes_dollars_fp);
  expect(withYesPrices('orderbook_snapshot', turned)).toEqual(snapshot);
  const delta = { side: 'no', price_dollars: '0.1115', delta_fp: '-1.00' };
  expect(withYesPrices('orderbook_delta', delta)).toEqual({ ...delta, price_dollars: '0.8885' });
  expect(withYesPrices('orderbook_delta', { ...delta, side: 'yes' })).toEqual({ ...delta, side: 'yes' });
});
