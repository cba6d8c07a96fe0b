import type { VenueRoutes } from '../routes.ts';

const TICKER = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
/** Of a native side: at most 100 levels are shown. */
const NUMBERS = { type: 'array', maxItems: 100, items: { type: 'number' } };
const LEVELS = { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/Level' } };

export const routes: VenueRoutes = {
  operationName: 'VenueB',
  words: {
    short: 'B',
    about: 'a regulated event-contract exchange',
    marketId: 'ticker',
    outcomeId: '`yes`',
  },
  bases: [
    {
      path: '/v3/venueb',
      tag: 'venue B',
      tagDescription: 'A regulated event-contract exchange; yes and no ladders.',
    },
  ],
  baseParameters: [],
  marketParameter: 'marketTicker',
  marketPath: '/{market_ticker}',
  marketFilters: { series: 'series', event: 'event' },
  parameters: {
    marketTicker: {
      name: 'market_ticker',
      in: 'path',
      required: true,
      description:
        'The exact native market ticker, dots and dashes included; find it by listing markets of a series.',
      schema: TICKER,
      example: 'KXBTC15M-26NOV141915-15',
    },
    series: {
      name: 'series',
      in: 'query',
      description: 'Series ticker, the recurring contract family.',
      schema: TICKER,
      example: 'KXBTC15M',
    },
    event: {
      name: 'event',
      in: 'query',
      description: 'Event ticker, a group of related markets.',
      schema: TICKER,
      example: 'KXBTC15M-26NOV141915',
    },
  },
  properties: {
    Market: {
      market_ticker: { type: 'string', description: 'Venue B: the native ticker (= market_id).' },
      event_ticker: { ...TEXT_OR_NULL, description: 'Venue B: = event_id.' },
      series_ticker: { ...TEXT_OR_NULL, description: 'Venue B: = series_id.' },
    },
    BookRecord: {
      market_ticker: { type: 'string' },
      event_ticker: TEXT_OR_NULL,
      series_ticker: TEXT_OR_NULL,
    },
    Levels: { yes: { type: 'integer' }, no: { type: 'integer' } },
    ArrayLadders: {
      yes_prices: { ...NUMBERS, description: 'Venue B: native yes bids.' },
      yes_sizes: NUMBERS,
      no_prices: { ...NUMBERS, description: 'Venue B: native no bids; an ask is 1 - this price.' },
      no_sizes: NUMBERS,
    },
    LevelLadders: { yes: LEVELS, no: LEVELS },
  },
  routes: {
    markets: {
      summary: 'List markets of a series and time range',
      description: 'Newest first, with native series, event and market tickers.\n',
      parameters: ['series', 'event'],
    },
    market: { summary: 'One market by ticker' },
    'latest-book': {},
    snapshots: {
      summary: 'Recorded observations, with yes/no ladders on request',
      description:
        "Oldest first; `meta.market` has the market's metadata. With `include_orderbook=true` the best 100 levels of each side\n" +
        'are included; `levels` says how many were recorded. No fixed cadence is promised.\n',
      example: true,
    },
    'book-at': {},
  },
  exampleBook: {
    venue: 'venueb',
    market_id: 'KXBTC15M-26NOV141915-15',
    event_id: 'KXBTC15M-26NOV141915',
    series_id: 'KXBTC15M',
    condition_id: null,
    outcome_label: 'Yes',
    outcome_index: 0,
    token_id: null,
    market_ticker: 'KXBTC15M-26NOV141915-15',
    event_ticker: 'KXBTC15M-26NOV141915',
    series_ticker: 'KXBTC15M',
    outcome_id: 'yes',
    timestamp: '2026-11-15T00:00:02.140Z',
    source_timestamp: '2026-11-15T00:00:02.113Z',
    received_timestamp: '2026-11-15T00:00:02.140Z',
    provenance: 'captured',
    kind: 'delta',
    book_state: 'two_sided',
    best_bid: 0.54,
    best_ask: 0.55,
    mid: 0.545,
    spread: 0.01,
    levels: { bids: 2, asks: 1, yes: 2, no: 1 },
    truncated: false,
    checks: [],
    position: 'venueb/0/77120',
    orderbook: {
      bid_prices: [0.54, 0.53],
      bid_sizes: [1670.79, 212.5],
      ask_prices: [0.55],
      ask_sizes: [6445.03],
      yes_prices: [0.54, 0.53],
      yes_sizes: [1670.79, 212.5],
      no_prices: [0.45],
      no_sizes: [6445.03],
    },
    native: {
      ids: { market_id: '9b0f6b43-5b68-4f9f-9f02-9a2d1b8ac1a1' },
      bid_side: 'yes',
      ask_side: 'no',
      ask_is_complement: true,
      price_format: '4',
      size_format: '2',
      exceptions: [],
      hash: null,
      sequence: 2,
      session: 's-80',
      ordinal: 14,
      entry: 0,
    },
  },
  tour: [
    { variable: 'TICKER', path: 'venueb/markets?series=KXBTC15M&{now}&limit=1' },
    'venueb/$TICKER/snapshots?include_orderbook=true&limit=2',
    'coverage?venue=venueb&market_id=$TICKER',
  ],
};
