import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIso } from '../src/time.ts';
import {
  closeOf,
  eventTicker,
  frameSettings,
  marketPath,
  marketsPath,
  nextCursor,
  orderbookPath,
  orderbooksPath,
  subscribeCommand,
  textToSign,
  unsubscribeCommand,
  updateCommand,
  windowCloses,
  windowTicker,
} from '../src/venues/venue-b/subscribe.ts';

const at = (iso: string): number => parseIso(iso)!;

describe('commands', () => {
  it('always states use_yes_price', () => {
    expect(JSON.parse(subscribeCommand(1, ['orderbook_delta', 'trade'], ['KXA-1']))).toEqual({
      id: 1,
      cmd: 'subscribe',
      params: { channels: ['orderbook_delta', 'trade'], market_tickers: ['KXA-1'], use_yes_price: false },
    });
    expect(JSON.parse(subscribeCommand(2, ['market_lifecycle_v2'], [], true))).toEqual({
      id: 2,
      cmd: 'subscribe',
      params: { channels: ['market_lifecycle_v2'], use_yes_price: true },
    });
    expect(frameSettings(true)).toEqual({ use_yes_price: 'true' });
  });

  it('adds, removes, and asks for the book again on one sid', () => {
    expect(JSON.parse(updateCommand(3, 7, 'get_snapshot', ['KXA-1']))).toEqual({
      id: 3,
      cmd: 'update_subscription',
      params: { sids: [7], action: 'get_snapshot', market_tickers: ['KXA-1'] },
    });
    expect(JSON.parse(unsubscribeCommand(4, [7, 8]))).toEqual({
      id: 4,
      cmd: 'unsubscribe',
      params: { sids: [7, 8] },
    });
  });
});

describe('paths', () => {
  it('are those of the venue', () => {
    expect(orderbookPath('KXBTCD-26SEP2412-T91000.5')).toBe('/markets/KXBTCD-26SEP2412-T91000.5/orderbook');
    expect(orderbookPath('a/b', 10)).toBe('/markets/a%2Fb/orderbook?depth=10');
    expect(orderbooksPath(['A', 'B&C'])).toBe('/markets/orderbooks?tickers=A&tickers=B%26C');
    expect(marketPath('A')).toBe('/markets/A');
    expect(marketsPath({})).toBe('/markets');
    expect(marketsPath({ series: 'KXBTC15M', status: 'open', limit: 1000, cursor: '' })).toBe(
      '/markets?limit=1000&series_ticker=KXBTC15M&status=open',
    );
    expect(
      marketsPath({ settledFrom: at('2026-05-05'), settledUntil: at('2026-05-06'), cursor: 'a+b=' }, true),
    ).toBe('/historical/markets?min_settled_ts=1777939200&max_settled_ts=1778025600&cursor=a%2Bb%3D');
    expect(marketsPath({ closesFrom: 1_794_700_800_999_999, closesUntil: 1_794_700_801_000_000 })).toBe(
      '/markets?min_close_ts=1794700800&max_close_ts=1794700801',
    );
  });

  it('go on by cursor until it is empty', () => {
    expect(nextCursor({ markets: [], cursor: 'x' })).toBe('x');
    for (const body of [{ cursor: '' }, {}, null, undefined, 'text', { cursor: 7 }])
      expect(nextCursor(body)).toBeNull();
  });

  it('are signed without their query', () => {
    expect(textToSign(1_794_700_800_123, 'get', '/trade-api/v2/markets?limit=5')).toBe(
      '1794700800123GET/trade-api/v2/markets',
    );
  });
});

describe('tickers of short windows', () => {
  it.each([
    // Daylight saving time, and a close on the day before in the east.
    ['KXBTC15M', '2026-09-19T01:30:00Z', 'KXBTC15M-26SEP182130-30'],
    ['KXBTC15M', '2026-05-15T09:30:00Z', 'KXBTC15M-26MAY150530-30'],
    ['KXBTC15M', '2026-11-15T00:15:00Z', 'KXBTC15M-26NOV141915-15'],
    ['KXETH15M', '2027-01-01T05:00:00Z', 'KXETH15M-27JAN010000-00'],
    // Around the clock changes of 2026: 8 March and 1 November.
    ['KXBTC15M', '2026-03-08T06:45:00Z', 'KXBTC15M-26MAR080145-45'],
    ['KXBTC15M', '2026-03-08T07:00:00Z', 'KXBTC15M-26MAR080300-00'],
    ['KXBTC15M', '2026-11-01T05:45:00Z', 'KXBTC15M-26NOV010145-45'],
    ['KXBTC15M', '2026-11-01T07:00:00Z', 'KXBTC15M-26NOV010200-00'],
  ])('%s closing %s is %s', (series, iso, ticker) => {
    expect(windowTicker(series, at(iso))).toBe(ticker);
    expect(eventTicker(series, at(iso))).toBe(ticker.slice(0, -3));
    expect(closeOf(ticker)).toBe(at(iso));
    expect(closeOf(ticker.slice(0, -3))).toBe(at(iso));
  });

  it('name the earlier instant in the hour that is repeated', () => {
    const later = at('2026-11-01T06:30:00Z');
    expect(windowTicker('KXBTC15M', later)).toBe('KXBTC15M-26NOV010130-30');
    expect(closeOf('KXBTC15M-26NOV010130-30')).toBe(at('2026-11-01T05:30:00Z'));
  });

  it.each([
    'KXBTC15M-26MAR080230-30',
    'KXBTC15M-26XXX080230-30',
    'KXBTC15M-26FEB300230-30',
    'KXELONMARS-99',
    '',
  ])('say nothing of a close in %s', (ticker) => {
    expect(closeOf(ticker)).toBeNull();
  });

  it('agree with their close in any quarter hour but the repeated one', () => {
    const quarter = fc
      .integer({ min: at('2020-01-01') / 9e8, max: at('2060-01-01') / 9e8 })
      .map((index) => index * 900_000_000);
    fc.assert(
      fc.property(quarter, (close) => {
        const back = closeOf(windowTicker('KXBTC15M', close))!;
        expect(windowTicker('KXBTC15M', back)).toBe(windowTicker('KXBTC15M', close));
        expect([0, 3_600_000_000]).toContain(close - back);
      }),
    );
  });

  it('are known ahead of time', () => {
    expect(windowCloses('15m', at('2026-11-15T00:07:00Z'), at('2026-11-15T00:31:00Z'))).toEqual([
      at('2026-11-15T00:15:00Z'),
      at('2026-11-15T00:30:00Z'),
      at('2026-11-15T00:45:00Z'),
    ]);
  });
});
