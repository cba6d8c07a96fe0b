// Small hand-made recordings, and a run of the engine over them.

import type {
  BookObserved,
  EngineOptions,
  EngineResult,
  GapRow,
  MarketObserved,
  Strategy,
  Venue,
  VenueEvent,
} from '../../src/index.ts';
import { BacktestEngine, DEFAULT_FEES, DEFAULT_RULES, UNKNOWN_MARKET, bookState } from '../../src/index.ts';

export const T0 = 1_794_700_800_000_000;
export const SECOND = 1_000_000;
export const M = '0xaa';
export const TOKEN = '71';

export type Level = readonly [price: number, size: number];

const micro = (value: number): number => Math.round(value * 1e6);

/** Levels in decimals, best first. */
export function book(
  at: number,
  bids: readonly Level[],
  asks: readonly Level[],
  more: Partial<BookObserved> = {},
): BookObserved {
  const ladders = {
    bidPrices: bids.map(([price]) => micro(price)),
    bidSizes: bids.map(([, size]) => micro(size)),
    askPrices: asks.map(([price]) => micro(price)),
    askSizes: asks.map(([, size]) => micro(size)),
  };
  return {
    type: 'BookObserved',
    venue: 'venuec',
    market: M,
    observedAt: T0 + at * SECOND,
    sourceTs: null,
    session: 's',
    ordinal: 0,
    provenance: 'captured',
    outcome: TOKEN,
    entry: 0,
    kind: 'snapshot',
    ...ladders,
    state: bookState(ladders),
    flags: [],
    nativeBid: 'bids',
    nativeAsk: 'asks',
    askComplement: false,
    priceFormat: 'min',
    sizeFormat: 'min',
    exceptions: [],
    hash: null,
    sequence: null,
    nativeIds: {},
    ...more,
  };
}

export function market(at: number, more: Partial<MarketObserved> = {}): MarketObserved {
  return {
    type: 'MarketObserved',
    venue: 'venuec',
    market: M,
    observedAt: T0 + at * SECOND,
    sourceTs: null,
    session: 's',
    ordinal: 0,
    provenance: 'captured',
    ...UNKNOWN_MARKET,
    status: 'open',
    conditionId: M,
    outcomes: [
      { id: TOKEN, label: 'Up', index: 0, tokenId: TOKEN, winner: null },
      { id: '72', label: 'Down', index: 1, tokenId: '72', winner: null },
    ],
    ...more,
  };
}

const gapBase = (at: number, id: string, from: number) => ({
  venue: 'venuec' as Venue,
  market: M,
  observedAt: T0 + at * SECOND,
  sourceTs: null,
  session: 's',
  ordinal: 0,
  provenance: 'captured' as const,
  gapId: id,
  dataset: 'books' as const,
  outcome: TOKEN,
  cause: 'disconnected' as const,
  scope: 'connection' as const,
  from: T0 + from * SECOND,
  lastBefore: null,
});

/** A gap from `from`, noticed at `seen`, over at `to`. */
export function gap(id: string, from: number, seen: number, to: number) {
  const opened: VenueEvent = { ...gapBase(seen, id, from), type: 'GapOpened', detail: null };
  const closed: VenueEvent = {
    ...gapBase(to, id, from),
    type: 'GapClosed',
    to: T0 + to * SECOND,
    firstAfter: null,
  };
  const row: GapRow = {
    gap_id: id,
    venue: 'venuec',
    market: M,
    outcome: TOKEN,
    dataset: 'books',
    cause: 'disconnected',
    scope: 'connection',
    from_at: T0 + from * SECOND,
    to_at: T0 + to * SECOND,
    last_before_session: null,
    last_before_at: null,
    first_after_session: null,
    first_after_at: null,
    detail: '',
  };
  return { opened, closed, row };
}

export const OPTIONS: EngineOptions = {
  from: T0,
  to: T0 + 1_000 * SECOND,
  latency: 0,
  jitter: 0,
  maxBookAge: 60 * SECOND,
  cash: 1_000 * 1_000_000,
  seed: 1,
  fees: DEFAULT_FEES,
  rules: DEFAULT_RULES,
  voidRule: 'refund',
  params: {},
  gaps: [],
  coveredUntil: new Map([[M, T0 + 1_000 * SECOND]]),
  markets: [],
};

export function run(
  strategy: Omit<Strategy, 'name'>,
  events: readonly VenueEvent[],
  options: Partial<EngineOptions> = {},
): EngineResult {
  const engine = new BacktestEngine({ name: 'test', ...strategy }, { ...OPTIONS, ...options });
  events.forEach((event, offset) => engine.feed(event, { topic: event.venue, partition: 0, offset }));
  return engine.finish();
}

/** Sends these once, at the first book at or after each time. */
export function sending(
  orders: readonly (readonly [
    at: number,
    Parameters<import('../../src/index.ts').StrategyContext['send']>[0],
  ])[],
): Omit<Strategy, 'name'> {
  const left = [...orders];
  return {
    onBook(_book, context) {
      while (left.length > 0 && context.now >= T0 + left[0]![0] * SECOND) context.send(left.shift()![1]);
    },
  };
}

export const buy = (size: number, limit?: number, remainder?: 'rest' | 'now', outcome = TOKEN) => ({
  market: M,
  outcome,
  side: 'buy' as const,
  size: micro(size),
  ...(limit === undefined ? {} : { limit: micro(limit) }),
  ...(remainder ? { remainder } : {}),
});
export const sell = (size: number, limit?: number, remainder?: 'rest' | 'now', outcome = TOKEN) => ({
  ...buy(size, limit, remainder, outcome),
  side: 'sell' as const,
});
