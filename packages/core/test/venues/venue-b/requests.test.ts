import { describe, expect, it } from 'vitest';
import { parseIso } from '../../../src/kernel/time.ts';
import {
  bookRequest,
  frameSettings,
  marketRequest,
  marketsRequest,
  pathOf,
  subscribeCommand,
  textToSign,
  updateCommand,
} from '../../../src/venues/venue-b/requests.ts';

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
  });
});

describe('paths', () => {
  it('are those of the venue', () => {
    expect(bookRequest('KXBTCD-26SEP2412-T91000.5').path).toBe(
      '/markets/KXBTCD-26SEP2412-T91000.5/orderbook',
    );
    expect(bookRequest('a/b', 10).path).toBe('/markets/a%2Fb/orderbook?depth=10');
    expect(marketRequest('A').path).toBe('/markets/A');
    expect(marketsRequest({}).path).toBe('/markets');
    expect(marketsRequest({ series: 'KXBTC15M', status: 'open', limit: 1000, cursor: '' }).path).toBe(
      '/markets?limit=1000&series_ticker=KXBTC15M&status=open',
    );
    expect(
      marketsRequest({ settledFrom: at('2026-05-05'), settledUntil: at('2026-05-06'), cursor: 'a+b=' }, true)
        .path,
    ).toBe('/historical/markets?min_settled_ts=1777939200&max_settled_ts=1778025600&cursor=a%2Bb%3D');
    expect(
      marketsRequest({ closesFrom: 1_794_700_800_999_999, closesUntil: 1_794_700_801_000_000 }).path,
    ).toBe('/markets?min_close_ts=1794700800&max_close_ts=1794700801');
  });

  it('are signed without their query', () => {
    expect(textToSign(1_794_700_800_123, 'get', '/trade-api/v2/markets?limit=5')).toBe(
      '1794700800123GET/trade-api/v2/markets',
    );
  });

  it('have the path of the address before them', () => {
    expect(pathOf('https://host.example/trade-api/v2')).toBe('/trade-api/v2');
    expect(pathOf('ws://127.0.0.1:9/trade-api/ws/v2/?a=/b')).toBe('/trade-api/ws/v2');
    expect(pathOf('http://127.0.0.1:9')).toBe('');
  });
});
