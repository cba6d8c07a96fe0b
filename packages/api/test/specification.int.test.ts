// Sentences of the specification that no other test names; docs/specification-map.md lists them all.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Running, World } from './api-harness.ts';
import {
  A_UP,
  B_YES,
  C_OF_UP,
  DAY,
  MINUTE,
  SECOND,
  VENUE_A_MARKET,
  VENUE_B_MARKET,
  VENUE_C_MARKET,
  ask,
  book,
  captureBeat,
  captureStarted,
  market,
  openWorld,
} from './api-harness.ts';

const T0 = 1_794_700_800_000_000;
const levels = (count: number, best: number, step: number): [number, number][] =>
  Array.from({ length: count }, (_, at) => [best + step * at, 1_000_000 + at]);
let world: World;
let api: Running;
let key: string;

beforeAll(async () => {
  world = await openWorld(T0 + 10 * MINUTE);
  key = await world.key('quant');
  await world.append([
    market('venuea', VENUE_A_MARKET, T0, { chain: '56', exchangeContract: '0xexchange' }),
    // Learnt of now, about a month ago.
    market('venuea', '500', T0, {
      provenance: 'backfilled',
      listedAt: T0 - 31 * DAY,
      opensAt: T0 - 30 * DAY,
      closesAt: T0 - 30 * DAY + 15 * MINUTE,
      asset: 'ETH',
      window: '15m',
      status: 'resolved',
      nativeStatus: 'RESOLVED',
      resolution: 'Up',
      winningOutcome: 'Up',
      resolvedAt: T0 - 29 * DAY,
    }),
    market('venueb', VENUE_B_MARKET, T0, {
      status: 'resolved',
      resolution: 'yes',
      settlementValue: 1_000_000,
      resolvedAt: T0 + 16 * MINUTE,
    }),
    ...[A_UP, B_YES, C_OF_UP].map((of) => captureStarted(of, T0)),
    book(A_UP, { observedAt: T0 + SECOND }),
    book(B_YES, {
      observedAt: T0 + SECOND,
      ordinal: 0,
      bids: levels(150, 500_000, -1_000),
      asks: levels(120, 510_000, 1_000),
    }),
    book(B_YES, { observedAt: T0 + 2 * SECOND, ordinal: 1, bids: [[600_000, 1]], asks: [[500_000, 1]] }),
    book(C_OF_UP, { observedAt: T0 + SECOND, bids: levels(250, 400_000, -1_000) }),
    ...[A_UP, B_YES, C_OF_UP].map((of) => captureBeat(of, T0 + 5 * MINUTE)),
  ]);
  api = await world.start();
});
afterAll(() => world.close());

const get = async (path: string, who: string | null = key) => (await ask(api.url + path, who)).body;

describe('books', () => {
  test('venue B answers hold the best 100 levels a side and say how many were recorded', async () => {
    const { data } = await get(`/v3/venueb/${VENUE_B_MARKET}/snapshots?include_orderbook=true`);
    expect(data[0].orderbook.yes_prices).toHaveLength(100);
    expect(data[0].orderbook.no_sizes).toHaveLength(100);
    expect(data[0].orderbook.yes_prices[99]).toBe(0.401);
    expect(data[0]).toMatchObject({ levels: { yes: 150, no: 120 }, truncated: true });
  });
  test('other venues answer with every level, arrays of equal length, ordered by side', async () => {
    const { data } = await get(`/v3/btc/markets/${VENUE_C_MARKET}/snapshots?include_orderbook=true`);
    const { bid_prices: prices, bid_sizes: sizes, ask_prices: asks } = data[0].orderbook;
    expect(prices).toHaveLength(250);
    expect(sizes).toHaveLength(250);
    expect(prices).toEqual(prices.toSorted((a: number, b: number) => b - a));
    expect(asks).toEqual(asks.toSorted((a: number, b: number) => a - b));
  });
  test('a crossed book is kept and flagged, not repaired and not dropped', async () => {
    const { data } = await get(`/v3/venueb/${VENUE_B_MARKET}/snapshots`);
    expect(data[1]).toMatchObject({
      book_state: 'crossed',
      checks: ['crossed'],
      best_bid: 0.6,
      best_ask: 0.5,
      spread: -0.1,
    });
    expect(data[0].checks).toEqual([]);
  });
  test('native ids, sides and number formats stand beside the normalized values', async () => {
    const { data } = await get(`/v3/venueb/${VENUE_B_MARKET}/snapshots`);
    expect(data[0].native).toMatchObject({
      bid_side: 'yes',
      ask_side: 'no',
      ask_is_complement: true,
      price_format: '4',
      size_format: '2',
    });
    const [other] = (await get(`/v3/btc/markets/${VENUE_C_MARKET}/snapshots`)).data;
    expect(other.native).toMatchObject({
      ids: { asset_id: C_OF_UP.outcome },
      bid_side: 'BUY',
      ask_side: 'SELL',
      hash: '0a1b2c',
    });
  });
});

describe('markets', () => {
  test('venue A filters by coin, window and status, and tells status, resolution and winner', async () => {
    const { data } = await get('/v3/venuea-prediction/markets?coin=ETH&window=15m&status=resolved');
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      market_id: '500',
      status: 'resolved',
      native_status: 'RESOLVED',
      resolution: 'Up',
      winning_outcome: 'Up',
    });
    expect((await get('/v3/venuea-prediction/markets?coin=BNB')).data).toEqual([]);
    expect(
      (await get('/v3/venuea-prediction/markets')).data.map((one: { market_id: string }) => one.market_id),
    ).toEqual([VENUE_A_MARKET, '500']);
  });
  test('chain and exchange contract are given when available', async () => {
    const { data } = await get(`/v3/venuea-prediction/markets/${VENUE_A_MARKET}`);
    expect(data).toMatchObject({
      chain: '56',
      exchange_contract: '0xexchange',
      participant_count: 41,
      volume: 18230,
      liquidity: 12076.98,
    });
  });
  test('backfilled metadata says so, in the market and in the overview', async () => {
    expect((await get('/v3/venuea-prediction/markets/500')).data.provenance).toBe('backfilled');
    const { data } = await get('/v3/overview', null);
    const catalogue = data.find(
      (one: { venue: string; asset: string; dataset: string }) =>
        one.venue === 'venuea' && one.asset === 'ETH' && one.dataset === 'catalogue',
    );
    // Since when the history reaches, not when it was fetched; books begin with capture.
    expect(catalogue).toMatchObject({
      window: '15m',
      available_since: '2026-10-16T00:00:00.000Z',
      available_until: '2026-11-15T00:00:00.000Z',
      provenances: ['backfilled'],
    });
    const books = data.filter((one: { dataset: string }) => one.dataset === 'books');
    expect(books).toHaveLength(3);
    for (const one of books) expect(one.available_since).toBe('2026-11-15T00:00:00.000Z');
  });
  test('observation time and settlement fields of venue B are apart', async () => {
    const { data, meta } = await get(`/v3/venueb/${VENUE_B_MARKET}/snapshots?limit=1`);
    expect(data[0].timestamp).toBe('2026-11-15T00:00:01.000Z');
    expect(meta.market).toMatchObject({
      resolved_at: '2026-11-15T00:16:00.000Z',
      settlement_value: 1,
      resolution: 'yes',
    });
    expect(data[0]).not.toHaveProperty('resolved_at');
  });
  test('a market known only from its books is served with null metadata, under any asset', async () => {
    for (const asset of ['btc', 'eth']) {
      const { data } = await get(`/v3/${asset}/markets/${VENUE_C_MARKET}`);
      expect(data).toMatchObject({
        market_id: VENUE_C_MARKET,
        condition_id: VENUE_C_MARKET,
        title: null,
        asset: null,
        provenance: null,
      });
    }
    expect((await get(`/v3/eth/markets/${VENUE_C_MARKET}/snapshots`)).data).toHaveLength(1);
  });
  test('a timestamp between observations is answered by the one before, never by an interpolated book', async () => {
    const { data } = await get(`/v3/btc/markets/${VENUE_C_MARKET}/snapshots/at/2026-11-15T00:02:00Z`);
    expect(data[0].timestamp).toBe('2026-11-15T00:00:01.000Z');
    expect((await get(`/v3/btc/markets/${VENUE_C_MARKET}/snapshots?interval=1m`)).data).toHaveLength(1);
  });
});
