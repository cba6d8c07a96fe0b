// A recording in, REST answers out: the import path, the projections and the API together, against values worked out by hand.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { importFile } from '@ladderlog/collectors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Running, World } from '../packages/api/test/api-harness.ts';
import { openWorld } from '../packages/api/test/api-harness.ts';

const START = Date.parse('2026-11-01T10:00:00Z');
const NOW = Date.parse('2026-11-02T00:00:00Z') * 1_000;
const TICKER = 'KXBTC15M-26NOV010615-15';
const CONDITION = '0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344';
const UP = '71183960810705820955071415844881728181970340514894896943812046065452395013351';
const DOWN = '104230000000000000000000000000000000000000000000000000000000000000000000073875';

const frame = (venue: string, channel: string, at: number, body: unknown, extra: object = {}): string =>
  JSON.stringify({
    venue,
    channel,
    received_at: START + at,
    frame: typeof body === 'string' ? body : JSON.stringify(body),
    ...extra,
  });
const b = (at: number, seq: number, type: string, msg: object): string =>
  frame('venueb', 'ws', at, {
    type: `orderbook_${type}`,
    sid: 2,
    seq,
    msg: { market_ticker: TICKER, market_id: 'u', ...msg },
  });

const LINES = [
  // Venue B, books only: a snapshot, a delta, a lost message, a fresh snapshot.
  b(0, 1, 'snapshot', {
    yes_dollars_fp: [
      ['0.5300', '212.50'],
      ['0.5400', '1670.79'],
    ],
    no_dollars_fp: [
      ['0.4400', '90.00'],
      ['0.4500', '6445.03'],
    ],
  }),
  b(1_000, 2, 'delta', { price_dollars: '0.4500', delta_fp: '-6445.03', side: 'no', ts_ms: START + 990 }),
  b(2_000, 4, 'delta', { price_dollars: '0.5400', delta_fp: '1.00', side: 'yes', ts_ms: START + 1_990 }),
  b(3_000, 5, 'snapshot', { yes_dollars_fp: [['0.5200', '1.00']] }),
  // Venue C, with its catalogue; the second token's book never comes.
  frame('venuec', 'gamma:/events?slug=btc-updown-5m-1793527200', 10, [
    {
      id: '9',
      slug: 'btc-updown-5m-1793527200',
      seriesSlug: 'btc-up-or-down-5m',
      markets: [
        {
          id: '2229686',
          conditionId: CONDITION,
          slug: 'btc-updown-5m-1793527200',
          question: 'Bitcoin Up or Down',
          outcomes: '["Up", "Down"]',
          outcomePrices: '["0.515", "0.485"]',
          clobTokenIds: JSON.stringify([UP, DOWN]),
          orderPriceMinTickSize: 0.01,
          orderMinSize: 5,
          eventStartTime: '2026-11-01T10:00:00Z',
          endDate: '2026-11-01T10:05:00Z',
          active: true,
          closed: false,
          enableOrderBook: true,
          acceptingOrders: true,
        },
      ],
    },
  ]),
  frame('venuec', 'ws', 20, [
    {
      event_type: 'book',
      market: CONDITION,
      asset_id: UP,
      timestamp: String(START + 15),
      hash: 'h',
      bids: [
        { price: '.50', size: '310.4' },
        { price: '.51', size: '42' },
      ],
      asks: [
        { price: '.54', size: '120' },
        { price: '.53', size: '18.75' },
      ],
    },
  ]),
  frame('venuec', 'ws', 40, {
    event_type: 'price_change',
    market: CONDITION,
    timestamp: String(START + 35),
    price_changes: [
      { asset_id: UP, price: '0.52', size: '75', side: 'BUY' },
      { asset_id: DOWN, price: '0.48', size: '75', side: 'SELL' },
    ],
  }),
];

type Body = {
  readonly data: unknown;
  readonly error: unknown;
  readonly meta: { readonly coverage: { readonly gaps: readonly unknown[] } };
};
let world: World;
let running: Running;
let key: string;
const get = async (path: string): Promise<{ status: number; body: Body }> => {
  const response = await fetch(`${running.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: (await response.json()) as Body };
};

beforeAll(async () => {
  world = await openWorld(NOW);
  const file = join(world.folder, 'recording.jsonl');
  writeFileSync(file, `${LINES.join('\n')}\n`);
  const report = await importFile({
    log: world.log,
    file,
  });
  if (report.rejects !== 0 || report.observations !== 5)
    throw new Error(`unexpected import: ${JSON.stringify(report)}`);
  await world.project();
  key = await world.key('desk');
  running = await world.start();
});
afterAll(() => world.close());

describe('venue B, known from its books only', () => {
  test('is listed with unknown metadata as null, also by series and time', async () => {
    for (const query of ['', '?series=KXBTC15M', `?start_time=${START}&end_time=${START + 1_000}`]) {
      const { body } = await get(`/v3/venueb/markets${query}`);
      expect(body.data).toMatchObject([
        { market_ticker: TICKER, series_ticker: null, status: 'unknown', title: null },
      ]);
    }
    expect((await get('/v3/venueb/markets?series=KXETH15M')).body.data).toEqual([]);
    expect((await get(`/v3/venueb/markets?end_time=${START - 1}`)).body.data).toEqual([]);
  });

  test('has exactly the recorded books, the complement exact, and the gap between', async () => {
    const { body } = await get(`/v3/venueb/${TICKER}/snapshots?include_orderbook=true`);
    expect(body.data).toMatchObject([
      {
        timestamp: '2026-11-01T10:00:00.000Z',
        source_timestamp: null,
        provenance: 'imported',
        best_bid: 0.54,
        best_ask: 0.55,
        orderbook: {
          bid_prices: [0.54, 0.53],
          bid_sizes: [1670.79, 212.5],
          ask_prices: [0.55, 0.56],
          ask_sizes: [6445.03, 90],
          no_prices: [0.45, 0.44],
          yes_sizes: [1670.79, 212.5],
        },
      },
      {
        timestamp: '2026-11-01T10:00:01.000Z',
        source_timestamp: '2026-11-01T10:00:00.990Z',
        best_ask: 0.56,
        orderbook: { ask_prices: [0.56], ask_sizes: [90] },
      },
      {
        timestamp: '2026-11-01T10:00:03.000Z',
        book_state: 'bid_only',
        best_ask: null,
        mid: null,
        orderbook: { bid_prices: [0.52], ask_prices: [] },
      },
    ]);
    expect(body.meta.coverage).toMatchObject({
      from: '2026-11-01T10:00:00.000Z',
      to: '2026-11-01T10:00:03.000Z',
      gaps: [
        {
          from: '2026-11-01T10:00:01.000Z',
          to: '2026-11-01T10:00:03.000Z',
          cause: 'sequence_break',
          first_after: '2026-11-01T10:00:03.000Z',
        },
      ],
    });
  });

  test('answers an instant inside the gap with the gap', async () => {
    const inside = await get(`/v3/venueb/${TICKER}/snapshots/at/2026-11-01T10:00:02Z`);
    expect([inside.status, inside.body.error]).toMatchObject([
      404,
      { code: 'DATA_GAP', details: { gap: { cause: 'sequence_break' } } },
    ]);
    expect((await get(`/v3/venueb/${TICKER}/snapshots/at/2026-11-01T10:00:00.5Z`)).body.data).toMatchObject({
      best_bid: 0.54,
    });
  });

  test('says not_captured for asked time after the recording', async () => {
    const { body } = await get(`/v3/venueb/${TICKER}/snapshots?end_time=2026-11-01T11:00:00Z`);
    expect(body.meta.coverage.gaps.at(-1)).toMatchObject({
      cause: 'not_captured',
      to: '2026-11-01T11:00:00.000Z',
    });
  });
});

describe('venue C, with its catalogue', () => {
  test('keeps event, condition, outcome and token ids apart', async () => {
    const { body } = await get('/v3/btc/markets');
    expect(body.data).toMatchObject([
      {
        market_id: CONDITION,
        condition_id: CONDITION,
        event_id: '9',
        series_id: 'btc-up-or-down-5m',
        window: '5m',
        opens_at: '2026-11-01T10:00:00.000Z',
        outcomes: [
          { label: 'Up', token_id: UP },
          { label: 'Down', token_id: DOWN },
        ],
      },
    ]);
  });

  test('records the token whose book came, and a gap for the other', async () => {
    const { body } = await get(`/v3/btc/markets/${CONDITION}/snapshots?include_orderbook=true`);
    expect(body.data).toMatchObject([
      {
        token_id: UP,
        outcome_label: 'Up',
        kind: 'snapshot',
        source_timestamp: '2026-11-01T10:00:00.015Z',
        received_timestamp: '2026-11-01T10:00:00.020Z',
        orderbook: { bid_prices: [0.51, 0.5], bid_sizes: [42, 310.4], ask_prices: [0.53, 0.54] },
      },
      {
        token_id: UP,
        kind: 'delta',
        best_bid: 0.52,
        orderbook: { bid_prices: [0.52, 0.51, 0.5], bid_sizes: [75, 42, 310.4] },
      },
    ]);
    const gaps = (await get('/v3/gaps?venue=venuec')).body.data;
    expect(gaps).toMatchObject([
      { market_id: CONDITION, outcome_id: DOWN, cause: 'awaiting_snapshot', first_after: null },
    ]);
  });
});
