import type { VenueRoutes } from '../routes.ts';

const MARKET = '0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344';
const TOKEN = '71183960810705820955';

export const routes: VenueRoutes = {
  operationName: 'VenueC',
  words: {
    short: 'C',
    about: 'an on-chain prediction market',
    marketId: 'condition id',
    outcomeId: 'token id',
  },
  bases: [
    {
      path: '/v3/{asset}',
      tag: 'venue C',
      tagDescription: 'An on-chain prediction market; one book per outcome token.',
    },
  ],
  baseParameters: ['asset'],
  marketParameter: 'marketIdC',
  marketPath: '/markets/{market_id}',
  marketFilters: { asset: 'asset', window: 'window' },
  parameters: {
    asset: {
      name: 'asset',
      in: 'path',
      required: true,
      description: "Underlying asset of venue C's markets. Any other value is a 400 `INVALID_PARAMETER`.",
      schema: { type: 'string', enum: ['btc', 'eth', 'sol', 'xrp', 'doge', 'bnb', 'hype'] },
      example: 'btc',
    },
    marketIdC: {
      name: 'market_id',
      in: 'path',
      required: true,
      description: "Venue C's condition id, `0x` and 64 hexadecimal digits.",
      schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
      example: MARKET,
    },
    anyWindow: {
      name: 'window',
      in: 'query',
      description: 'Length of the window the contract is about.',
      schema: { type: 'string', enum: ['5m', '15m', '1h', '4h', '1d'] },
    },
    outcomeC: {
      name: 'outcome',
      in: 'query',
      description: 'Only this outcome token. Default every outcome of the market.',
      schema: { type: 'string', pattern: '^[0-9]{1,78}$' },
    },
  },
  fieldTexts: {},
  routes: {
    markets: { summary: 'List markets of an asset', parameters: ['anyWindow'] },
    market: { summary: 'One market by condition id' },
    'market-by-slug': {},
    'latest-books': {
      summary: 'The newest recorded books of both outcomes',
      parameters: ['outcomeC'],
    },
    snapshots: {
      summary: 'Recorded observations of both outcomes',
      description:
        'Oldest first, both outcomes interleaved by time. With `interval`, the last observation of each outcome in each bucket,\n' +
        'ordered by bucket, then outcome. A market known only from its books is served under any asset.\n',
      parameters: ['outcomeC'],
      example: true,
    },
    'books-at': { summary: 'The books of both outcomes at an instant', parameters: ['outcomeC'] },
  },
  exampleBook: {
    venue: 'venuec',
    market_id: MARKET,
    event_id: '51772',
    series_id: 'btc-up-or-down-5m',
    condition_id: MARKET,
    outcome_label: 'Up',
    outcome_index: 0,
    token_id: TOKEN,
    outcome_id: TOKEN,
    timestamp: '2026-11-15T00:00:01.388Z',
    source_timestamp: '2026-11-15T00:00:01.300Z',
    received_timestamp: '2026-11-15T00:00:01.388Z',
    provenance: 'captured',
    kind: 'snapshot',
    book_state: 'two_sided',
    best_bid: 0.51,
    best_ask: 0.53,
    mid: 0.52,
    spread: 0.02,
    levels: { bids: 2, asks: 2 },
    truncated: false,
    checks: [],
    position: 'venuec/3/118',
    orderbook: {
      bid_prices: [0.51, 0.5],
      bid_sizes: [42, 310.4],
      ask_prices: [0.53, 0.54],
      ask_sizes: [18.75, 120],
    },
    native: {
      ids: { asset_id: TOKEN },
      bid_side: 'BUY',
      ask_side: 'SELL',
      ask_is_complement: false,
      price_format: '.min',
      size_format: 'min',
      exceptions: [],
      hash: '0a1b',
      sequence: null,
      session: 's-81',
      ordinal: 0,
      entry: 0,
    },
  },
  tour: [
    'btc/markets?{now}&limit=3',
    { variable: 'MARKET', path: 'btc/markets?window=15m&{now}&limit=1' },
    'btc/markets/$MARKET/orderbook/latest',
  ],
};
