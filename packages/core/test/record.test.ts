import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ArrayLadders, LevelLadders, MarketIdentity } from '@ladderlog/core';
import { formatMicro, toNumber, toRecord } from '@ladderlog/core';
import { book } from '../../../test/builders/events.ts';

const POSITION = { topic: 'venueb', partition: 2, offset: 77 };
const EVENT = book({
  venue: 'venueb',
  market: 'KX-1.5',
  observedAt: 1_794_700_802_113_456,
  sourceTs: 1_794_700_802_000_000,
  session: 's',
  ordinal: 3,
  kind: 'delta',
  bidPrices: [540_000, 530_000],
  bidSizes: [1_670_790_000, 212_500_000],
  askPrices: [550_001],
  askSizes: [6_445_030_000],
  exceptions: [{ side: 'ask', level: 0, price: '0.449999', size: '6445.03' }],
  sequence: 9,
  nativeIds: { market_id: 'u' },
});
const MARKET: MarketIdentity = {
  eventId: 'E',
  seriesId: 'S',
  conditionId: null,
  outcomes: [{ id: 'yes', label: 'Yes', index: 0, tokenId: null, winner: null }],
};

describe('the record', () => {
  test('is what was observed, in decimals', () => {
    expect(toRecord(EVENT, POSITION, MARKET)).toMatchObject({
      venue: 'venueb',
      market_id: 'KX-1.5',
      market_ticker: 'KX-1.5',
      event_ticker: 'E',
      series_ticker: 'S',
      outcome_label: 'Yes',
      timestamp: '2026-11-15T00:00:02.113456Z',
      source_timestamp: '2026-11-15T00:00:02.000Z',
      received_timestamp: '2026-11-15T00:00:02.113456Z',
      best_bid: 0.54,
      best_ask: 0.550001,
      mid: 0.5450005,
      spread: 0.010001,
      levels: { bids: 2, asks: 1, yes: 2, no: 1 },
      truncated: false,
      position: 'venueb/2/77',
      orderbook: { no_prices: [0.449999], no_sizes: [6445.03], yes_prices: [0.54, 0.53] },
      native: { bid_side: 'yes', ask_is_complement: true, sequence: 9, exceptions: [{ price: '0.449999' }] },
    });
  });
  test('a missing side is null, never a made-up number', () => {
    const record = toRecord({ ...EVENT, askPrices: [], askSizes: [], state: 'bid_only' }, POSITION);
    expect(record).toMatchObject({
      best_bid: 0.54,
      best_ask: null,
      mid: null,
      spread: null,
      book_state: 'bid_only',
    });
  });
  test('venue B shows the best 100 levels and says how many there were', () => {
    const prices = Array.from({ length: 150 }, (_, at) => 540_000 - at * 1_000);
    const deep = {
      ...EVENT,
      bidPrices: prices,
      bidSizes: prices,
      exceptions: [{ side: 'bid', level: 120, price: 'x', size: 'y' }] as const,
    };
    const record = toRecord(deep, POSITION);
    const ladders = record.orderbook as ArrayLadders;
    expect(ladders.bid_prices).toHaveLength(100);
    expect(ladders.bid_prices[0]).toBe(0.54);
    expect(record).toMatchObject({ levels: { yes: 150 }, truncated: true, native: { exceptions: [] } });
    const other = toRecord({ ...deep, venue: 'venuec' }, POSITION);
    expect((other.orderbook as ArrayLadders).bid_prices).toHaveLength(150);
    expect(other.truncated).toBe(false);
  });
  test('levels pair prices with sizes; without ladders there is no orderbook', () => {
    expect((toRecord(EVENT, POSITION, null, 'levels').orderbook as LevelLadders).bids[1]).toEqual({
      price: 0.53,
      size: 212.5,
    });
    expect(toRecord(EVENT, POSITION, null, null)).not.toHaveProperty('orderbook');
  });
  test('a market without metadata has null names, but its own ids', () => {
    const record = toRecord({ ...EVENT, venue: 'venuec', market: '0xab', outcome: '123' }, POSITION, null);
    expect(record).toMatchObject({
      event_id: null,
      outcome_label: null,
      condition_id: '0xab',
      token_id: '123',
    });
  });
  test('a number prints as the decimal that was recorded', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e15, max: 1e15 }), (value) => {
        expect(JSON.stringify(toNumber(value))).toBe(formatMicro(value));
      }),
      { examples: [[1], [10], [530_000], [999_999], [30_000_000_000_000]] },
    );
  });
});
