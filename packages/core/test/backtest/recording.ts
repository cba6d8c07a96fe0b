// Small hand-made recordings, and a run of the engine over them.

import type {
  BookObserved,
  EngineOptions,
  EngineResult,
  GapRow,
  MarketObserved,
  Strategy,
  VenueEvent,
} from '../../src/index.ts';
import { BacktestEngine } from '../../src/index.ts';
import * as build from '../../../../test/builders/events.ts';
import { SECOND, T0 } from '../../../../test/builders/events.ts';

export { SECOND, T0 };
export const M = '0xaa';
export const TOKEN = '71';

const OF = { venue: 'venuec', market: M, session: 's' } as const;

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
  return build.book({ ...OF, observedAt: T0 + at * SECOND, ...ladders, ...more });
}

export function market(at: number, more: Partial<MarketObserved> = {}): MarketObserved {
  return build.market({
    ...OF,
    observedAt: T0 + at * SECOND,
    conditionId: M,
    outcomes: [
      { id: TOKEN, label: 'Up', index: 0, tokenId: TOKEN, winner: null },
      { id: '72', label: 'Down', index: 1, tokenId: '72', winner: null },
    ],
    ...more,
  });
}

/** A gap from `from`, noticed at `seen`, over at `to`. */
export function gap(id: string, from: number, seen: number, to: number) {
  const common = { ...OF, gapId: id, outcome: TOKEN, from: T0 + from * SECOND };
  const opened = build.gapOpened({ ...common, observedAt: T0 + seen * SECOND });
  const closed = build.gapClosed({ ...common, observedAt: T0 + to * SECOND });
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
  fees: {},
  rules: {},
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
