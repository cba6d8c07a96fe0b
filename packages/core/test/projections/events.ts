// One event of each kind that gives rows, as small as the types allow.

import type { Envelope } from '../../src/index.ts';
import * as build from '../../../../test/builders/events.ts';

export const T0 = 1_790_000_000_000_000;

export const envelope: Envelope = build.envelope({
  market: 'KXBTC-26NOV15',
  observedAt: T0,
  sourceTs: T0 - 1_500,
  ordinal: 7,
});

export const book = build.book({
  ...envelope,
  bidPrices: [540_000, 530_000],
  bidSizes: [10_000_000, 2_500_000],
  askPrices: [560_000],
  askSizes: [7_000_000],
  flags: ['inexact'],
  sizeFormat: 'min',
  exceptions: [{ side: 'bid', level: 1, price: '0.53', size: '2.50000001' }],
  sequence: 12,
  nativeIds: { market_uuid: 'u-1' },
});

export const market = build.market({
  ...envelope,
  slug: 'btc-up',
  title: 'BTC up?',
  asset: 'BTC',
  window: '15m',
  nativeStatus: 'active',
  eventId: 'KXBTC',
  seriesId: 'KXBTC15M',
  outcomes: [
    { id: 'yes', label: 'Yes', index: 0, tokenId: null, winner: null },
    { id: 'no', label: 'No', index: 1, tokenId: 't-2', winner: false },
  ],
  opensAt: T0,
  closesAt: T0 + 900_000_000,
  strike: '97000.5',
  volume: 1_000_000,
  participantCount: 3,
  tickSize: 10_000,
  simulated: true,
  native: '{"ticker":"KXBTC-26NOV15"}',
});

export const sample = build.sample({
  ...envelope,
  entry: 1,
  metric: 'last_trade',
  value: 550_000,
  text: '0.55',
  size: 3_000_000,
  takerSide: 'yes',
});

export const started = build.started(envelope);
export const beat = build.beat({ ...envelope, observedAt: T0 + 5_000_000 });
export const stopped = build.stopped({ ...envelope, observedAt: T0 + 9_000_000, reason: 'resolved' });

const gap = {
  ...envelope,
  outcome: null,
  from: T0 + 1_000_000,
  lastBefore: { session: 's1', ordinal: 7, observedAt: T0 },
};
export const gapOpened = build.gapOpened({ ...gap, observedAt: T0 + 2_000_000, detail: 'code 1006' });
export const gapClosed = build.gapClosed({
  ...gap,
  session: 's2',
  ordinal: 0,
  observedAt: T0 + 4_000_000,
  firstAfter: { session: 's2', ordinal: 0, observedAt: T0 + 4_000_000 },
});

export const rejected = build.rejected(envelope);

export const compared = build.compared({
  ...envelope,
  equal: false,
  levelsOurs: 3,
  levelsDiffering: 1,
  sizeDrift: 2_000_000,
});
