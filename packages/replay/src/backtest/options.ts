// What a backtest over a log is asked.

import type { FeeModel, Micro, Micros, Rules, Strategy, Venue, VoidRule } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';

export type BacktestOptions = {
  readonly log: EventLog;
  readonly strategy: Strategy;
  readonly venue: Venue;
  /** Native ids; left out: every market of the venue that has books in the range (and this asset and window). */
  readonly markets?: readonly string[];
  readonly asset?: string;
  readonly window?: string;
  /** Half-open, by our clock. */
  readonly from: Micros;
  readonly to: Micros;
  readonly latencyMs?: number;
  readonly jitterMs?: number;
  readonly maxBookAgeMs?: number;
  readonly cash?: Micro;
  readonly seed?: number;
  /** Instead of the venue's own. */
  readonly fees?: FeeModel;
  readonly rules?: Rules;
  readonly voidRule?: VoidRule;
  readonly params?: Readonly<Record<string, string>>;
  /** How far before the range metadata is looked for, and after it resolutions. */
  readonly lookbackMs?: number;
  readonly settleMs?: number;
  readonly versions?: { readonly ladderlog?: string; readonly strategySha256?: string };
  /** Of the range, in microseconds. */
  readonly onProgress?: (progress: { done: Micros; total: Micros }) => void;
  readonly signal?: AbortSignal;
};
