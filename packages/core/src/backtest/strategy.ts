// What a strategy is: a small module that is told what was recorded, when it was recorded, and may place orders. It sees no
// clock but `now`, no chance but `random`, and nothing that came later.

import type { Micro } from '../kernel/decimal.ts';
import type { BookObserved, GapCause, MarketObserved, Venue } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import type { Random } from './random.ts';

export type Side = 'buy' | 'sell';

/** Sizes and prices are integers of 1e-6: 0.52 is 520_000, ten contracts are 10_000_000. */
export type OrderRequest = {
  readonly market: string;
  /** As in BookObserved.outcome. On A and B the other outcome (`1`, `no`) trades against the mirrored ladder. */
  readonly outcome: string;
  readonly side: Side;
  readonly size: Micro;
  /** Without a limit: a market order, which walks the whole recorded side. */
  readonly limit?: Micro;
  /** `rest` (default for limit orders): what does not fill at once waits. `now`: it is cancelled. */
  readonly remainder?: 'rest' | 'now';
};

export type OrderState = 'sent' | 'resting' | 'done';

/** Why an order, or what was left of it, ended without a fill. */
export const ORDER_ENDS = [
  'filled',
  'cancelled',
  'in_gap', // the recording has a hole at that moment
  'gap', // it was resting when the recording broke
  'not_covered', // nothing was recorded of this market at that moment, or capture had ended
  'stale_book', // the newest observation was older than the limit
  'suspect_book', // crossed, or failed a row check
  'insufficient_depth', // the recorded side had no more
  'not_marketable', // a limit that may not rest, and nothing at that price
  'insufficient_cash',
  'insufficient_position',
  'off_tick',
  'price_out_of_bounds',
  'below_min_size',
  'market_closed',
  'unknown_market',
  'bad_request',
  'end_of_range',
] as const;
export type OrderEnd = (typeof ORDER_ENDS)[number];

export type Order = {
  readonly id: number;
  readonly venue: Venue | null;
  readonly request: OrderRequest;
  readonly sentAt: Micros;
  readonly arrivesAt: Micros;
  readonly state: OrderState;
  readonly filled: Micro;
  readonly end: OrderEnd | null;
};

export type Fill = {
  readonly order: number;
  readonly venue: Venue;
  readonly market: string;
  readonly outcome: string;
  readonly side: Side;
  readonly liquidity: 'taker' | 'maker';
  readonly at: Micros;
  readonly price: Micro;
  readonly size: Micro;
  /** Paid (buy, rounded up) or received (sell, rounded down), without the fee. */
  readonly amount: Micro;
  readonly fee: Micro;
  /** The observation whose depth it took: `topic/partition/offset`, and how old it was. */
  readonly book: string;
  readonly bookAge: Micros;
};

export type GapNotice = {
  readonly venue: Venue;
  readonly market: string;
  /** Null: every outcome. */
  readonly outcome: string | null;
  readonly change: 'opened' | 'closed';
  readonly cause: GapCause;
  readonly from: Micros;
  /** Null while it is open. */
  readonly to: Micros | null;
};

export type Settlement = {
  readonly venue: Venue;
  readonly market: string;
  readonly outcome: string;
  readonly at: Micros;
  readonly size: Micro;
  /** What one contract paid; null for a refund of what was paid. */
  readonly payout: Micro | null;
  readonly amount: Micro;
  readonly rule: 'winner' | 'settlement_value' | 'void_refund' | 'void_split';
  /** The resolution was recorded after the range. */
  readonly afterRange: boolean;
  readonly position: string;
};

export type StrategyContext = {
  readonly now: Micros;
  readonly cash: Micro;
  readonly random: Random;
  /** Text parameters given with the run. */
  readonly params: Readonly<Record<string, string>>;
  /** Contracts held. */
  position(market: string, outcome: string): Micro;
  /** The newest recorded book, null in a gap or before the first. */
  book(market: string, outcome: string): BookObserved | null;
  market(market: string): MarketObserved | null;
  /** Orders that are on their way or resting. */
  orders(market?: string): readonly Order[];
  /** Returns the order's number; what became of it is told by onFill and onEnd. */
  send(request: OrderRequest): number;
  /** Arrives after the same latency as an order. */
  cancel(order: number): void;
};

export type Strategy = {
  readonly name: string;
  onStart?(context: StrategyContext): void;
  onBook?(book: BookObserved, context: StrategyContext): void;
  onGap?(gap: GapNotice, context: StrategyContext): void;
  onMarket?(market: MarketObserved, context: StrategyContext): void;
  onFill?(fill: Fill, context: StrategyContext): void;
  /** The order is over: filled, refused, cancelled. */
  onEnd?(order: Order, context: StrategyContext): void;
  onResolve?(market: MarketObserved, settled: readonly Settlement[], context: StrategyContext): void;
};
