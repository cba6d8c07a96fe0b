// Events for tests of the log: one of every type with nothing null, one with everything null that may be, and any number of
// deterministic ones.

import type { BookObserved, EventType, LadderEvent, Micros } from '@ladderlog/core';
import { UNKNOWN_MARKET } from '@ladderlog/core';

type EventOf<T extends EventType> = Extract<LadderEvent, { type: T }>;
export type OneOfEach = { readonly [T in EventType]: EventOf<T> };

const AT: Micros = 1_763_164_800_123_456;

const envelope = {
  venue: 'venueb',
  market: 'KXBTC15M-26MAY150530-30',
  observedAt: AT,
  sourceTs: AT - 7_001,
  session: 'b-5f0c-1',
  ordinal: 41,
  provenance: 'captured',
} as const;
const bare = { ...envelope, sourceTs: null, provenance: 'imported' } as const;
const edge = { session: 'b-5f0c-0', ordinal: 7, observedAt: AT - 60_000_000 } as const;

/** Every nullable field has a value, every array and map an entry. */
export const FULL_EVENTS: OneOfEach = {
  FrameCaptured: {
    ...envelope,
    type: 'FrameCaptured',
    channel: 'orderbook_delta',
    direction: 'in',
    body: new TextEncoder().encode('{"type":"orderbook_delta","note":"Größe €"}'),
    requestedAt: AT - 30_000,
    settings: { use_yes_price: 'true' },
  },
  BookObserved: {
    ...envelope,
    type: 'BookObserved',
    outcome: 'yes',
    entry: 1,
    kind: 'delta',
    bidPrices: [470_000, 460_500, 10_000],
    bidSizes: [12_000_000, 1, 9_007_199_254_740_990],
    askPrices: [480_000, 999_999],
    askSizes: [1_500_000_000, 3_000_000_000_000],
    state: 'two_sided',
    flags: ['inexact'],
    nativeBid: 'yes',
    nativeAsk: 'no',
    askComplement: true,
    priceFormat: '4',
    sizeFormat: '2',
    exceptions: [{ side: 'ask', level: 1, price: '0.000001', size: '3e6' }],
    hash: '0a1b2c',
    sequence: 90_071_992,
    nativeIds: { market_id: '3f1c-77' },
  },
  MarketObserved: {
    ...envelope,
    type: 'MarketObserved',
    slug: 'btc-up-or-down',
    title: 'BTC up or down – 15 min',
    question: 'Will BTC be above $100,000?',
    asset: 'BTC',
    window: '15m',
    status: 'open',
    nativeStatus: 'active',
    eventId: 'KXBTC15M-26MAY150530',
    seriesId: 'KXBTC15M',
    conditionId: '0xabc',
    outcomes: [
      {
        id: 'yes',
        label: 'Yes',
        index: 0,
        tokenId: '1234567890123456789012345678901234567890',
        winner: true,
      },
      { id: 'no', label: 'No', index: 1, tokenId: null, winner: null },
    ],
    opensAt: AT,
    closesAt: AT + 900_000_000,
    listedAt: AT - 86_400_000_000,
    expectedResolutionAt: AT + 960_000_000,
    resolvedAt: AT + 961_000_000,
    resolution: 'yes',
    winningOutcome: 'Yes',
    settlementValue: 1_000_000,
    strike: '100000.00',
    volume: 123_456_000_000,
    liquidity: 77_000_000,
    openInterest: 5_000_000,
    participantCount: 12,
    chain: '137',
    exchangeContract: '0xdef',
    collateral: 'USDC',
    feeBps: 100,
    tickSize: 1_000,
    minSize: 1_000_000,
    simulated: false,
    native: '{"ticker":"KXBTC15M-26MAY150530-30"}',
  },
  MetricSampled: {
    ...envelope,
    type: 'MetricSampled',
    outcome: 'yes',
    entry: 0,
    metric: 'last_trade',
    value: 470_000,
    text: '0.47',
    exact: true,
    size: 10_000_000,
    takerSide: 'yes',
  },
  CaptureStarted: { ...envelope, type: 'CaptureStarted', dataset: 'books', outcome: 'yes', collector: 'c1' },
  CaptureBeat: {
    ...envelope,
    type: 'CaptureBeat',
    dataset: 'books',
    outcome: 'yes',
    collector: 'c1',
    stampDelay: 1_250,
  },
  CaptureStopped: {
    ...envelope,
    type: 'CaptureStopped',
    dataset: 'books',
    outcome: 'yes',
    collector: 'c1',
    reason: 'shutdown',
  },
  GapOpened: {
    ...envelope,
    type: 'GapOpened',
    gapId: 'venueb/KXBTC15M/yes/books/1',
    dataset: 'books',
    outcome: 'yes',
    cause: 'sequence_break',
    scope: 'connection',
    from: AT - 60_000_000,
    lastBefore: edge,
    late: [{ session: 's-1', first: 3, last: null }],
    detail: 'expected 12, saw 14',
  },
  GapClosed: {
    ...envelope,
    type: 'GapClosed',
    gapId: 'venueb/KXBTC15M/yes/books/1',
    dataset: 'books',
    outcome: 'yes',
    cause: 'sequence_break',
    scope: 'connection',
    from: AT - 60_000_000,
    to: AT,
    lastBefore: edge,
    firstAfter: { ...edge, ordinal: 8, observedAt: AT },
    late: [{ session: 's-1', first: 3, last: 7 }],
  },
  FrameRejected: {
    ...envelope,
    type: 'FrameRejected',
    channel: 'orderbook_delta',
    body: new Uint8Array([0, 255, 128, 10]),
    reason: 'not_json',
    detail: 'Unexpected token',
  },
  BookCompared: {
    ...envelope,
    type: 'BookCompared',
    outcome: 'yes',
    method: 'rest',
    equal: false,
    levelsOurs: 99,
    levelsTheirs: 98,
    levelsDiffering: 2,
    sizeDrift: 4_000_000,
    detail: 'ask 0.48',
  },
  KeyIssued: {
    type: 'KeyIssued',
    keyId: 'k_01',
    name: 'desk of Ada',
    plan: 'quant',
    secretHash: 'ab'.repeat(32),
    at: AT,
  },
  KeyRevoked: { type: 'KeyRevoked', keyId: 'k_01', reason: 'leaked', at: AT + 1 },
};

/** Everything null or empty that may be. */
export const BARE_EVENTS: OneOfEach = {
  FrameCaptured: {
    ...bare,
    type: 'FrameCaptured',
    market: '',
    channel: '',
    direction: 'out',
    body: new Uint8Array(0),
    requestedAt: null,
    settings: {},
  },
  BookObserved: {
    ...FULL_EVENTS.BookObserved,
    ...bare,
    kind: 'snapshot',
    entry: 0,
    bidPrices: [],
    bidSizes: [],
    askPrices: [],
    askSizes: [],
    state: 'empty',
    flags: [],
    askComplement: false,
    exceptions: [],
    hash: null,
    sequence: null,
    nativeIds: {},
  },
  MarketObserved: {
    ...bare,
    type: 'MarketObserved',
    ...UNKNOWN_MARKET,
    simulated: true,
  },
  MetricSampled: {
    ...FULL_EVENTS.MetricSampled,
    ...bare,
    metric: 'chance',
    exact: false,
    size: null,
    takerSide: null,
  },
  CaptureStarted: { ...FULL_EVENTS.CaptureStarted, ...bare, outcome: null, dataset: 'catalogue' },
  CaptureBeat: { ...FULL_EVENTS.CaptureBeat, ...bare, outcome: null, dataset: 'samples', stampDelay: null },
  CaptureStopped: { ...FULL_EVENTS.CaptureStopped, ...bare, outcome: null },
  GapOpened: { ...FULL_EVENTS.GapOpened, ...bare, outcome: null, lastBefore: null, late: [], detail: null },
  GapClosed: {
    ...FULL_EVENTS.GapClosed,
    ...bare,
    outcome: null,
    lastBefore: null,
    firstAfter: null,
    late: [],
  },
  FrameRejected: { ...FULL_EVENTS.FrameRejected, ...bare, market: '', body: new Uint8Array(0) },
  BookCompared: { ...FULL_EVENTS.BookCompared, ...bare, method: 'snapshot', equal: true, detail: null },
  KeyIssued: { ...FULL_EVENTS.KeyIssued, plan: 'explorer' },
  KeyRevoked: { ...FULL_EVENTS.KeyRevoked, reason: '' },
};

export const allEvents = (): LadderEvent[] => [
  ...(Object.values(FULL_EVENTS) as LadderEvent[]),
  ...(Object.values(BARE_EVENTS) as LadderEvent[]),
];

export type BookOptions = {
  readonly markets?: number;
  readonly levels?: number;
  readonly venue?: BookObserved['venue'];
  readonly session?: string;
};

/** The n-th of a deterministic stream of books: consecutive ones of a market differ in one level, as on a real feed. */
export function bookAt(n: number, options: BookOptions = {}): BookObserved {
  const { markets = 7, levels = 3, venue = 'venueb', session = 's' } = options;
  const market = n % markets;
  const changed = n % Math.max(levels, 1);
  const side = (base: number, step: number): number[] =>
    Array.from({ length: levels }, (_, level) => base + step * level);
  const sizes = side(1_000_000 * (market + 1), 250_000).map((size, level) =>
    level === changed ? size + (n % 9_973) * 10_000 : size,
  );
  return {
    ...BARE_EVENTS.BookObserved,
    type: 'BookObserved',
    venue,
    market: `M${market}`,
    observedAt: AT + n * 1_000,
    sourceTs: AT + n * 1_000 - 250,
    session,
    ordinal: n,
    provenance: 'captured',
    kind: 'delta',
    bidPrices: side(490_000, -1_000),
    bidSizes: sizes,
    askPrices: side(510_000, 1_000),
    askSizes: sizes,
    state: 'two_sided',
    sequence: n,
  };
}

export const books = (from: number, to: number, options: BookOptions = {}): BookObserved[] =>
  Array.from({ length: to - from }, (_, index) => bookAt(from + index, options));

/** The time of bookAt(n). */
export const timeOfBook = (n: number): Micros => AT + n * 1_000;
