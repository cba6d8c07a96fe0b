import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toRecord } from '@ladderlog/core';
import type { Running, World } from './api-harness.ts';
import {
  A_UP,
  B_YES,
  C_DOWN,
  C_OF_DOWN,
  C_OF_UP,
  C_UP,
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
  gap,
  market,
  openWorld,
  sample,
  sampleCapture,
} from './api-harness.ts';

const T0 = 1_794_700_800_000_000; // 2026-11-15T00:00:00Z
let world: World;
let api: Running;
let key: string;
let explorer: string;

const events = [
  market('venuea', VENUE_A_MARKET, T0),
  market('venueb', VENUE_B_MARKET, T0),
  market('venuec', VENUE_C_MARKET, T0),
  ...[A_UP, B_YES, C_OF_UP, C_OF_DOWN].flatMap((of) => [
    captureStarted(of, T0),
    book(of, { observedAt: T0 + SECOND, ordinal: 0 }),
    book(of, { observedAt: T0 + 2 * SECOND + 113_456, ordinal: 1, bids: [[500_001, 1]], asks: [] }),
    ...gap(of, T0 + 10 * SECOND, T0 + 20 * SECOND),
    book(of, { observedAt: T0 + 20 * SECOND, ordinal: 2 }),
    book(of, { observedAt: T0 + 61 * SECOND, ordinal: 3, sourceTs: null }),
    captureBeat(of, T0 + 90 * SECOND),
  ]),
  sampleCapture(A_UP, 'CaptureStarted', T0),
  sample(A_UP, 'chance', T0 + SECOND, 520_000),
  sample(A_UP, 'price', T0 + SECOND, 530_000),
  sample(A_UP, 'last_trade', T0 + SECOND, 540_000),
  sample(A_UP, 'chance', T0 + 2 * SECOND, 525_000),
  sampleCapture(A_UP, 'CaptureBeat', T0 + 90 * SECOND),
];

beforeAll(async () => {
  world = await openWorld(T0 + 2 * MINUTE);
  key = await world.key('quant');
  explorer = await world.key('explorer');
  await world.append(events);
  api = await world.start();
});
afterAll(() => world.close());

const at = (micros: number): string => new Date(micros / 1000).toISOString();
const C = `/v3/btc/markets/${VENUE_C_MARKET}`;
const B = `/v3/venueb/${VENUE_B_MARKET}`;
const A = `/v3/venuea-prediction/${VENUE_A_MARKET}`;
const get = (path: string, who: string | null = key) => ask(`${api.url}${path}`, who);

describe('records', () => {
  test('the engine prints, number for number, what toRecord gives for the same observation', async () => {
    for (const [path, venue] of [
      [`${A}/snapshots`, 'venuea'],
      [`${B}/snapshots?include_orderbook=true`, 'venueb'],
      [`${C}/snapshots?include_orderbook=true`, 'venuec'],
      [`${C}/snapshots?include_orderbook=true&ladder=levels`, 'venuec'],
      [`${B}/snapshots?include_orderbook=true&ladder=levels`, 'venueb'],
      [`${B}/snapshots`, 'venueb'],
    ] as const) {
      const { status, body } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      const metadata = events.find((one) => one.type === 'MarketObserved' && one.venue === venue);
      const shape = path.includes('levels')
        ? 'levels'
        : path.endsWith(`${VENUE_B_MARKET}/snapshots`)
          ? null
          : 'arrays';
      const recorded = events.filter((one) => one.type === 'BookObserved' && one.venue === venue);
      expect(body.data).toHaveLength(recorded.length);
      for (const record of body.data) {
        const event = recorded.find(
          (one) =>
            one.type === 'BookObserved' &&
            one.outcome === record.outcome_id &&
            one.ordinal === record.native.ordinal,
        );
        const [topic, partition, offset] = record.position.split('/');
        const position = { topic, partition: Number(partition), offset: Number(offset) };
        if (event?.type !== 'BookObserved' || metadata?.type !== 'MarketObserved')
          throw new Error('no event');
        expect(record).toEqual(toRecord(event, position, metadata, shape));
      }
    }
  });
});

describe('venue A', () => {
  test('lists markets with topic, market, condition and outcome labels together', async () => {
    const { status, body } = await get('/v3/venuea-prediction/markets?coin=BTC&window=5m&status=open');
    expect(status).toBe(200);
    expect(body.data[0]).toMatchObject({
      topic_id: '990017',
      market_id: VENUE_A_MARKET,
      condition: { condition_id: '0x1c3e', strike: '91263.65' },
      outcomes: [
        { outcome_id: '0', label: 'Up', token_id: '880' },
        { outcome_id: '1', label: 'Down', token_id: '881' },
      ],
      participant_count: 41,
      volume: 18230,
      native: { odd: 'kept' },
    });
  });
  test('serves the newest book from memory, the same bytes as the record in history', async () => {
    const latest = await get(`${A}/orderbook/latest`);
    const page = await get(`${A}/snapshots`);
    expect(latest.status).toBe(200);
    expect(latest.body.data).toEqual(page.body.data.at(-1));
    expect(latest.body.meta.gap).toBeNull();
  });
  test('keeps the three metrics apart, and needs exactly one', async () => {
    const chance = await get(`${A}/timeseries?metric=chance`);
    expect(chance.body.data.map((one: { value: number }) => one.value)).toEqual([0.52, 0.525]);
    expect(
      (await get(`${A}/timeseries?metric=last_trade`)).body.data.map((one: { value: number }) => one.value),
    ).toEqual([0.54]);
    expect((await get(`${A}/timeseries`)).body.error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { parameter: 'metric' },
    });
    expect((await get(`${A}/timeseries?metric=chance,price`)).status).toBe(400);
    expect((await get(`${A}/timeseries?metric=chance&metric=price`)).status).toBe(400);
  });
  test('answers trades with an empty dataset, not an error', async () => {
    const { status, body } = await get(`${A}/trades`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], pagination: { has_more: false, next_cursor: null, count: 0 } });
  });
  test('the alias answers the same on every route, cursors included', async () => {
    const paths = [
      'markets',
      `markets/${VENUE_A_MARKET}`,
      `${VENUE_A_MARKET}/orderbook/latest`,
      `${VENUE_A_MARKET}/snapshots?limit=2`,
      `${VENUE_A_MARKET}/snapshots/at/${at(T0 + 5 * SECOND)}`,
      `${VENUE_A_MARKET}/timeseries?metric=price`,
      `${VENUE_A_MARKET}/trades`,
      'markets/by-slug/btc-updown-5m-4107231',
      '99/snapshots',
      `${VENUE_A_MARKET}/snapshots?limit=0`,
    ];
    for (const path of paths) {
      const one = await get(`/v3/venuea-prediction/${path}`);
      const other = await get(`/v3/venuea-alias/${path}`);
      expect([path, other.status]).toEqual([path, one.status]);
      const { meta: _, ...body } = one.body;
      const { meta: __, ...aliased } = other.body;
      expect([path, aliased]).toEqual([path, body]);
    }
    const page = await get(`${A}/snapshots?limit=2`);
    const next = await get(
      `/v3/venuea-alias/${VENUE_A_MARKET}/snapshots?limit=2&cursor=${page.body.pagination.next_cursor}`,
    );
    expect(next.status).toBe(200);
    expect(next.body.data).toHaveLength(2);
  });
});

describe('venue B', () => {
  test('takes the exact ticker, dots and dashes included', async () => {
    const { body } = await get(
      '/v3/venueb/markets?series=KXBTC15M&start_time=2026-11-15T00:00:00Z&end_time=2026-11-15T01:00:00Z&limit=10',
    );
    expect(body.data[0]).toMatchObject({
      series_ticker: 'KXBTC15M',
      event_ticker: 'KXBTC15M-26NOV141915',
      market_ticker: VENUE_B_MARKET,
    });
    expect((await get(`/v3/venueb/${body.data[0].market_ticker}/snapshots`)).status).toBe(200);
    expect((await get(`/v3/venueb/${VENUE_B_MARKET.toLowerCase()}/snapshots`)).body.error.code).toBe(
      'MARKET_NOT_FOUND',
    );
  });
  test('has ladders only on request, yes and no beside bids and asks', async () => {
    expect((await get(`${B}/snapshots`)).body.data[0]).not.toHaveProperty('orderbook');
    const { body } = await get(`${B}/snapshots?include_orderbook=true`);
    expect(body.data[0].orderbook).toEqual({
      bid_prices: [0.51, 0.5],
      bid_sizes: [42, 310.4],
      ask_prices: [0.53, 0.54],
      ask_sizes: [18.75, 120],
      yes_prices: [0.51, 0.5],
      yes_sizes: [42, 310.4],
      no_prices: [0.47, 0.46],
      no_sizes: [18.75, 120],
    });
    expect(body.meta.market).toMatchObject({ market_ticker: VENUE_B_MARKET, resolved_at: null });
  });
});

describe('venue C', () => {
  test('keeps event, condition, outcome and token apart, and both clocks', async () => {
    const { body } = await get(`${C}/snapshots`);
    expect(body.data.map((one: { token_id: string }) => one.token_id)).toEqual(
      expect.arrayContaining([C_UP, C_DOWN]),
    );
    expect(body.data[0]).toMatchObject({
      event_id: '51772',
      condition_id: VENUE_C_MARKET,
      outcome_index: expect.any(Number),
      outcome_label: expect.stringMatching(/Up|Down/),
      timestamp: '2026-11-15T00:00:01.000Z',
      received_timestamp: '2026-11-15T00:00:01.000Z',
      source_timestamp: '2026-11-15T00:00:00.976544Z',
    });
  });
  test('interval takes the last observation of each outcome in each bucket and fills nothing', async () => {
    const { body } = await get(`${C}/snapshots?interval=1m`);
    expect(
      body.data
        .map((one: { timestamp: string; outcome_label: string }) => [
          one.timestamp.slice(14, 19),
          one.outcome_label,
        ])
        .sort(),
    ).toEqual([
      ['00:20', 'Down'],
      ['00:20', 'Up'],
      ['01:01', 'Down'],
      ['01:01', 'Up'],
    ]);
    const seconds = await get(`${C}/snapshots?interval=1s&outcome=${C_UP}`);
    expect(seconds.body.data.map((one: { timestamp: string }) => one.timestamp.slice(17, 19))).toEqual([
      '01',
      '02',
      '20',
      '01',
    ]);
  });
  test('a market of another asset is not found under this one', async () => {
    expect((await get(`/v3/eth/markets/${VENUE_C_MARKET}`)).body.error.code).toBe('MARKET_NOT_FOUND');
    expect((await get(`/v3/dogecoin/markets`)).body.error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { parameter: 'asset' },
    });
  });
  test('latest and at give one record per outcome', async () => {
    expect(
      (await get(`${C}/orderbook/latest`)).body.data.map((one: { token_id: string }) => one.token_id).sort(),
    ).toEqual([C_UP, C_DOWN].sort());
    expect((await get(`${C}/snapshots/at/${at(T0 + 30 * SECOND)}`)).body.data).toHaveLength(2);
    expect((await get(`${C}/orderbook/latest?outcome=${C_UP}`)).body.data).toHaveLength(1);
  });
});

describe('gaps and coverage', () => {
  test('every historical answer carries coverage and gaps of the asked range', async () => {
    const { body } = await get(`${B}/snapshots?start_time=${at(T0)}&end_time=${at(T0 + 60 * SECOND)}`);
    expect(body.meta.coverage.from).toBe(at(T0));
    expect(body.meta.coverage.to).toBe(at(T0 + 60 * SECOND));
    expect(body.meta.coverage.covered_ratio).toBeCloseTo(50 / 60, 6);
    expect(body.meta.coverage.gaps).toEqual([
      {
        from: at(T0 + 10 * SECOND),
        to: at(T0 + 20 * SECOND),
        cause: 'disconnected',
        scope: 'connection',
        dataset: 'books',
        outcome_id: 'yes',
        last_before: at(T0 + 10 * SECOND),
        first_after: at(T0 + 20 * SECOND),
      },
    ]);
  });
  test('an empty page of unrecorded time says not_captured, never just empty', async () => {
    const { body } = await get(`${B}/snapshots?start_time=${at(T0 - DAY)}&end_time=${at(T0 - DAY + MINUTE)}`);
    expect(body.data).toEqual([]);
    expect(body.meta.coverage).toMatchObject({
      covered_ratio: 0,
      gaps: [{ cause: 'not_captured', from: at(T0 - DAY) }],
    });
  });
  test('the book at an instant: the newest before it when covered, DATA_GAP inside a gap and before capture', async () => {
    const covered = await get(`${B}/snapshots/at/${at(T0 + 5 * SECOND)}`);
    expect(covered.body.data.timestamp).toBe('2026-11-15T00:00:02.113456Z');
    const inGap = await get(`${B}/snapshots/at/${at(T0 + 15 * SECOND)}`);
    expect(inGap.status).toBe(404);
    expect(inGap.body.error).toMatchObject({ code: 'DATA_GAP', details: { gap: { cause: 'disconnected' } } });
    const before = await get(`${B}/snapshots/at/${at(T0 - MINUTE)}`);
    expect(before.body.error).toMatchObject({
      code: 'DATA_GAP',
      details: { gap: { cause: 'not_captured' } },
    });
  });
  test('/v3/coverage and /v3/gaps', async () => {
    const coverage = await get(`/v3/coverage?venue=venueb&market_id=${VENUE_B_MARKET}`);
    expect(coverage.body.data).toMatchObject({ available_since: at(T0), condition: 'degraded' });
    const gaps = await get('/v3/gaps?venue=venuec&limit=1');
    expect(gaps.body).toMatchObject({ pagination: { has_more: true, count: 1 } });
    const rest = await get(`/v3/gaps?venue=venuec&limit=1&cursor=${gaps.body.pagination.next_cursor}`);
    expect(rest.body.data).toHaveLength(1);
    expect(rest.body.data[0].gap_id).not.toBe(gaps.body.data[0].gap_id);
    expect((await get('/v3/gaps?venue=venuea', explorer)).body.error.code).toBe('ENDPOINT_NOT_IN_PLAN');
  });
});

describe('service', () => {
  test('health and overview need no key; whoami says whose key', async () => {
    expect((await get('/v3/health', null)).body.data).toMatchObject({ status: 'ok', generation: 1 });
    const overview = await get('/v3/overview', null);
    expect(overview.body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ venue: 'venuea', asset: 'BTC', window: '5m', dataset: 'books' }),
      ]),
    );
    expect((await get('/v3/whoami')).body.data).toMatchObject({ plan: 'quant', history_days: 60 });
    expect((await get('/v3/whoami', null)).body.error.code).toBe('AUTH_MISSING');
  });
});
