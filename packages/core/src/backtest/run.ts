// What goes into a run of the engine, and what comes out.

import type { GapRow } from '../capture/coverage.ts';
import type { Micro } from '../kernel/decimal.ts';
import type { MarketObserved, Venue } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import type { Holding } from './account.ts';
import type { Quote } from './curve.ts';
import type { FeeModel } from './fees.ts';
import type { VoidRule } from './settle.ts';
import type { Fill, Order, Settlement } from './strategy.ts';
import type { Rules } from './trading.ts';

export type EngineOptions = {
  /** Half-open. */
  readonly from: Micros;
  readonly to: Micros;
  readonly latency: Micros;
  /** Up to so much more, drawn from the seed for each order. */
  readonly jitter: Micros;
  readonly maxBookAge: Micros;
  readonly cash: Micro;
  readonly seed: number;
  /** Instead of the venue's own. */
  readonly fees: Readonly<Partial<Record<Venue, FeeModel>>>;
  readonly rules: Readonly<Partial<Record<Venue, Rules>>>;
  readonly voidRule: VoidRule;
  readonly params: Readonly<Record<string, string>>;
  /** Every gap of the markets that touches the range. */
  readonly gaps: readonly GapRow[];
  /** Per market, the newest moment of which the log has any evidence: after it nothing is covered. */
  readonly coveredUntil: ReadonlyMap<string, Micros>;
  /** Metadata as it was known when the range began. */
  readonly markets: readonly MarketObserved[];
};

export type CrossedGap = {
  readonly gapId: string;
  readonly market: string;
  readonly outcome: string | null;
  readonly cause: string;
  readonly from: Micros;
  readonly held: readonly { readonly outcome: string; readonly size: Micro }[];
  readonly ordersCancelled: number;
};

export type EngineResult = {
  readonly cash: Micro;
  readonly equity: Micro;
  readonly fees: Micro;
  readonly realized: Micro;
  readonly maxDrawdown: Micro;
  readonly fills: readonly Fill[];
  readonly orders: readonly Order[];
  readonly settlements: readonly Settlement[];
  readonly open: readonly Readonly<Holding>[];
  readonly crossed: readonly CrossedGap[];
  readonly curve: readonly { readonly at: Micros; readonly value: Micro }[];
  readonly paths: ReadonlyMap<string, readonly { readonly at: Micros; readonly value: Quote }[]>;
  readonly events: number;
  readonly books: number;
  /** Per `topic/partition`, the first and last offset that was fed. */
  readonly positions: ReadonlyMap<string, readonly [number, number]>;
};
