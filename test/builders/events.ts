// Events for tests, one builder per kind: whole and valid by default, every field can be given. What a field's default is depends
// on the venue only where the venue's own recordings differ.

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
  Micros,
  Venue,
} from '@ladderlog/core';
import { UNKNOWN_MARKET, bookState } from '@ladderlog/core';

export const T0: Micros = 1_794_700_800_000_000;
export const SECOND = 1_000_000;

type VenueDefaults = {
  readonly market: string;
  readonly outcomes: readonly [id: string, label: string][];
  readonly book: Pick<
    BookObserved,
    'nativeBid' | 'nativeAsk' | 'askComplement' | 'priceFormat' | 'sizeFormat'
  >;
};

const DEFAULTS: Readonly<Record<string, VenueDefaults>> = {
  venuea: {
    market: '4107231',
    outcomes: [
      ['0', 'Up'],
      ['1', 'Down'],
    ],
    book: {
      nativeBid: 'bids',
      nativeAsk: 'asks',
      askComplement: false,
      priceFormat: 'min',
      sizeFormat: 'min',
    },
  },
  venueb: {
    market: 'KXBTC15M-26NOV150015-15',
    outcomes: [
      ['yes', 'Yes'],
      ['no', 'No'],
    ],
    book: { nativeBid: 'yes', nativeAsk: 'no', askComplement: true, priceFormat: '4', sizeFormat: '2' },
  },
  venuec: {
    market: '0xaa',
    outcomes: [
      ['71', 'Up'],
      ['72', 'Down'],
    ],
    book: {
      nativeBid: 'bids',
      nativeAsk: 'asks',
      askComplement: false,
      priceFormat: 'min',
      sizeFormat: 'min',
    },
  },
};

const defaultsOf = (venue: Venue): VenueDefaults => DEFAULTS[venue]!;
const firstOutcome = (venue: Venue): string => defaultsOf(venue).outcomes[0]![0];

export function envelope(of: Partial<Envelope> = {}): Envelope {
  const venue = of.venue ?? 'venueb';
  return {
    venue,
    market: of.market ?? defaultsOf(venue).market,
    observedAt: of.observedAt ?? T0,
    sourceTs: of.sourceTs ?? null,
    session: of.session ?? 's1',
    ordinal: of.ordinal ?? 0,
    provenance: of.provenance ?? 'captured',
  };
}

export function book(fields: Partial<BookObserved> = {}): BookObserved {
  const common = envelope(fields);
  const ladders = {
    bidPrices: fields.bidPrices ?? [530_000, 520_000],
    bidSizes: fields.bidSizes ?? [212_500_000, 1_000_000],
    askPrices: fields.askPrices ?? [550_000, 560_000],
    askSizes: fields.askSizes ?? [3_000_000, 30_000_000_000_000],
  };
  return {
    ...common,
    type: 'BookObserved',
    outcome: firstOutcome(common.venue),
    entry: 0,
    kind: 'snapshot',
    state: bookState(ladders),
    flags: [],
    ...defaultsOf(common.venue).book,
    exceptions: [],
    hash: null,
    sequence: null,
    nativeIds: {},
    ...ladders,
    ...fields,
  };
}

export function market(fields: Partial<MarketObserved> = {}): MarketObserved {
  const common = envelope(fields);
  return {
    ...common,
    type: 'MarketObserved',
    ...UNKNOWN_MARKET,
    status: 'open',
    outcomes: defaultsOf(common.venue).outcomes.map(([id, label], index) => ({
      id,
      label,
      index,
      tokenId: null,
      winner: null,
    })),
    ...fields,
  };
}

export function sample(fields: Partial<MetricSampled> = {}): MetricSampled {
  const common = envelope({ venue: 'venuea', ...fields });
  return {
    ...common,
    type: 'MetricSampled',
    outcome: firstOutcome(common.venue),
    entry: 0,
    metric: 'chance',
    value: 520_000,
    text: '0.52',
    exact: true,
    size: null,
    takerSide: null,
    ...fields,
  };
}

const track = (fields: Partial<CaptureStarted | CaptureBeat | CaptureStopped>) => {
  const common = envelope(fields);
  return {
    ...common,
    dataset: 'books' as const,
    outcome: firstOutcome(common.venue) as string | null,
    collector: 'c1',
  };
};

export const started = (fields: Partial<CaptureStarted> = {}): CaptureStarted => ({
  ...track(fields),
  type: 'CaptureStarted',
  ...fields,
});

export const beat = (fields: Partial<CaptureBeat> = {}): CaptureBeat => ({
  ...track(fields),
  type: 'CaptureBeat',
  stampDelay: null,
  ...fields,
});

export const stopped = (fields: Partial<CaptureStopped> = {}): CaptureStopped => ({
  ...track(fields),
  type: 'CaptureStopped',
  reason: 'market_ended',
  ...fields,
});

const gap = (fields: Partial<GapOpened | GapClosed>) => {
  const common = envelope(fields);
  return {
    ...common,
    gapId: 'g1',
    dataset: 'books' as const,
    outcome: firstOutcome(common.venue) as string | null,
    cause: 'disconnected' as const,
    scope: 'connection' as const,
    from: common.observedAt,
    lastBefore: null,
    late: [],
  };
};

export const gapOpened = (fields: Partial<GapOpened> = {}): GapOpened => ({
  ...gap(fields),
  type: 'GapOpened',
  detail: null,
  ...fields,
});

export const gapClosed = (fields: Partial<GapClosed> = {}): GapClosed => ({
  ...gap(fields),
  type: 'GapClosed',
  to: fields.observedAt ?? T0,
  firstAfter: null,
  ...fields,
});

export const rejected = (fields: Partial<FrameRejected> = {}): FrameRejected => ({
  ...envelope(fields),
  type: 'FrameRejected',
  channel: 'ws',
  body: new TextEncoder().encode('{"oops'),
  reason: 'malformed_json',
  detail: 'Unexpected end',
  ...fields,
});

export function compared(fields: Partial<BookCompared> = {}): BookCompared {
  const common = envelope(fields);
  return {
    ...common,
    type: 'BookCompared',
    outcome: firstOutcome(common.venue),
    method: 'rest',
    equal: true,
    levelsOurs: 4,
    levelsTheirs: 4,
    levelsDiffering: 0,
    sizeDrift: 0,
    detail: null,
    ...fields,
  };
}
