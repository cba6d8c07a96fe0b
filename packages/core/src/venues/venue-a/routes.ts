import type { VenueRoutes } from '../routes.ts';

const OUTCOMES = ['0', '1'];

export const routes: VenueRoutes = {
  operationName: 'VenueA',
  words: {
    short: 'A',
    about: 'wallet-based short-dated crypto markets',
    marketId: 'market id',
    outcomeId: 'outcome index',
  },
  bases: [
    {
      path: '/v3/venuea-prediction',
      tag: 'venue A',
      tagDescription: 'Wallet-based prediction markets on short-dated crypto contracts. Plan quant or above.',
    },
    {
      path: '/v3/venuea-alias',
      tag: 'venue A alias',
      tagDescription: 'The same routes with the same behaviour.',
      operationSuffix: 'Alias',
    },
  ],
  baseParameters: [],
  marketParameter: 'marketIdA',
  marketPath: '/{market_id}',
  marketFilters: { coin: 'asset', window: 'window' },
  parameters: {
    marketIdA: {
      name: 'market_id',
      in: 'path',
      required: true,
      description: "Venue A's own market identifier (an integer, written as text).",
      schema: { type: 'string', pattern: '^(predictfun-)?[0-9]{1,20}$' },
      example: '4107231',
    },
    coin: {
      name: 'coin',
      in: 'query',
      description: 'Underlying asset.',
      schema: { type: 'string', enum: ['BTC', 'ETH', 'BNB', 'btc', 'eth', 'bnb'] },
      example: 'BTC',
    },
    window: {
      name: 'window',
      in: 'query',
      description: 'Length of the window the contract is about.',
      schema: { type: 'string', enum: ['5m', '15m'] },
    },
    includeOrderbookA: {
      name: 'include_orderbook',
      in: 'query',
      description:
        "Full ladders are part of venue A's records; pass false to leave them out (`true` and `false` in any case).",
      schema: { type: 'boolean', default: true },
    },
    outcomeA: {
      name: 'outcome',
      in: 'query',
      description: "Outcome index whose book is meant. Venue A's socket prices the book in outcome 0.",
      schema: { type: 'string', enum: OUTCOMES, default: '0' },
    },
    outcomeSample: {
      name: 'outcome',
      in: 'query',
      description: 'Only samples of this outcome index. Default both; each sample names its outcome.',
      schema: { type: 'string', enum: OUTCOMES },
    },
  },
  properties: {
    Market: {
      topic_id: {
        type: ['string', 'null'],
        description: "Venue A: the venue's topic identifier (= event_id).",
      },
    },
    BookRecord: { topic_id: { type: ['string', 'null'] } },
  },
  routes: {
    markets: {
      description:
        'Newest window first. Topic id, market id, condition metadata and outcome labels come together, so that identity never\n' +
        'depends on a title.\n',
      parameters: ['coin', 'window'],
    },
    market: {},
    'market-by-slug': {},
    'latest-book': {
      summary: 'The newest recorded full-depth book',
      description:
        'From memory. `meta.gap` is set while the book is not being recorded. In every plan, however old the book is.\n',
      parameters: ['outcomeA'],
      example: true,
    },
    snapshots: {
      summary: 'Recorded full-depth snapshots',
      answer: 'A page of snapshots.',
      parameters: ['outcomeA'],
      replaced: { includeOrderbook: 'includeOrderbookA' },
      example: true,
    },
    'book-at': { parameters: ['outcomeA'] },
    samples: { parameters: ['outcomeSample'] },
    trades: {},
  },
  exampleBook: {
    venue: 'venuea',
    market_id: '4107231',
    event_id: '990017',
    series_id: null,
    condition_id: '0x1c3e',
    outcome_label: 'Up',
    outcome_index: 0,
    token_id: '8812',
    topic_id: '990017',
    outcome_id: '0',
    timestamp: '2026-11-15T00:00:02.113Z',
    source_timestamp: '2026-11-15T00:00:02.090Z',
    received_timestamp: '2026-11-15T00:00:02.113Z',
    provenance: 'captured',
    kind: 'snapshot',
    book_state: 'two_sided',
    best_bid: 0.51,
    best_ask: 0.53,
    mid: 0.52,
    spread: 0.02,
    levels: { bids: 2, asks: 1 },
    truncated: false,
    checks: [],
    position: 'venuea/1/20417',
    orderbook: { bid_prices: [0.51, 0.5], bid_sizes: [42, 310.4], ask_prices: [0.53], ask_sizes: [18.75] },
    native: {
      ids: { tokenId: '8812' },
      bid_side: 'bids',
      ask_side: 'asks',
      ask_is_complement: false,
      price_format: 'min',
      size_format: 'min',
      exceptions: [],
      hash: null,
      sequence: null,
      session: 's-7f',
      ordinal: 88,
      entry: 0,
    },
  },
  tour: [
    { variable: 'ID', path: 'venuea-prediction/markets?coin=BTC&window=15m&{now}&limit=1' },
    'venuea-prediction/$ID/timeseries?metric=chance&limit=3',
  ],
};
