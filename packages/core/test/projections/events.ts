// One event of each kind that gives rows, as small as the types allow.

import type {
  BookCompared,
  BookObserved,
  CaptureBeat,
  CaptureStarted,
  CaptureStopped,
  Envelope,
  FrameRejected,
  GapClosed,
  GapOpened,
  MarketObserved,
  MetricSampled,
} from '../../src/index.ts';

export const T0 = 1_790_000_000_000_000;

export const envelope: Envelope = {
  venue: 'venueb',
  market: 'KXBTC-26NOV15',
  observedAt: T0,
  sourceTs: T0 - 1_500,
  session: 's1',
  ordinal: 7,
  provenance: 'captured',
};

export const book: BookObserved = {
  ...envelope,
  type: 'BookObserved',
  outcome: 'yes',
  entry: 0,
  kind: 'snapshot',
  bidPrices: [540_000, 530_000],
  bidSizes: [10_000_000, 2_500_000],
  askPrices: [560_000],
  askSizes: [7_000_000],
  state: 'two_sided',
  flags: ['inexact'],
  nativeBid: 'yes',
  nativeAsk: 'no',
  askComplement: true,
  priceFormat: '4',
  sizeFormat: 'min',
  exceptions: [{ side: 'bid', level: 1, price: '0.53', size: '2.50000001' }],
  hash: null,
  sequence: 12,
  nativeIds: { market_uuid: 'u-1' },
};

export const market: MarketObserved = {
  ...envelope,
  type: 'MarketObserved',
  slug: 'btc-up',
  title: 'BTC up?',
  question: null,
  asset: 'BTC',
  window: '15m',
  status: 'open',
  nativeStatus: 'active',
  eventId: 'KXBTC',
  seriesId: 'KXBTC15M',
  conditionId: null,
  outcomes: [
    { id: 'yes', label: 'Yes', index: 0, tokenId: null, winner: null },
    { id: 'no', label: 'No', index: 1, tokenId: 't-2', winner: false },
  ],
  opensAt: T0,
  closesAt: T0 + 900_000_000,
  listedAt: null,
  expectedResolutionAt: null,
  resolvedAt: null,
  resolution: null,
  winningOutcome: null,
  settlementValue: null,
  strike: '97000.5',
  volume: 1_000_000,
  liquidity: null,
  openInterest: null,
  participantCount: 3,
  chain: null,
  exchangeContract: null,
  collateral: null,
  feeBps: null,
  tickSize: 10_000,
  minSize: null,
  simulated: true,
  native: '{"ticker":"KXBTC-26NOV15"}',
};

export const sample: MetricSampled = {
  ...envelope,
  type: 'MetricSampled',
  outcome: 'yes',
  entry: 1,
  metric: 'last_trade',
  value: 550_000,
  text: '0.55',
  exact: true,
  size: 3_000_000,
  takerSide: 'yes',
};

const track = { dataset: 'books', outcome: 'yes', collector: 'c1' } as const;
export const started: CaptureStarted = { ...envelope, ...track, type: 'CaptureStarted' };
export const beat: CaptureBeat = { ...envelope, ...track, type: 'CaptureBeat', observedAt: T0 + 5_000_000 };
export const stopped: CaptureStopped = {
  ...envelope,
  ...track,
  type: 'CaptureStopped',
  observedAt: T0 + 9_000_000,
  reason: 'resolved',
};

const gap = {
  gapId: 'g1',
  dataset: 'books',
  outcome: null,
  cause: 'disconnected',
  scope: 'connection',
  from: T0 + 1_000_000,
  lastBefore: { session: 's1', ordinal: 7, observedAt: T0 },
} as const;
export const gapOpened: GapOpened = {
  ...envelope,
  ...gap,
  type: 'GapOpened',
  observedAt: T0 + 2_000_000,
  detail: 'code 1006',
};
export const gapClosed: GapClosed = {
  ...envelope,
  ...gap,
  type: 'GapClosed',
  session: 's2',
  ordinal: 0,
  observedAt: T0 + 4_000_000,
  to: T0 + 4_000_000,
  firstAfter: { session: 's2', ordinal: 0, observedAt: T0 + 4_000_000 },
};

export const rejected: FrameRejected = {
  ...envelope,
  type: 'FrameRejected',
  channel: 'ws',
  body: new TextEncoder().encode('{"oops'),
  reason: 'malformed_json',
  detail: 'Unexpected end',
};

export const compared: BookCompared = {
  ...envelope,
  type: 'BookCompared',
  outcome: 'yes',
  method: 'rest',
  equal: false,
  levelsOurs: 3,
  levelsTheirs: 4,
  levelsDiffering: 1,
  sizeDrift: 2_000_000,
  detail: null,
};
