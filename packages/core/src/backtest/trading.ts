// What a backtest must know of a venue: what it charges, which orders it takes, until when, and which outcomes share a book.

import type { MarketObserved } from '../events/events.ts';
import type { Micro } from '../kernel/decimal.ts';
import type { FeeModel } from './fees.ts';

/** Used where the recorded metadata states none; null: not checked. */
export type Rules = { readonly tickSize: Micro | null; readonly minSize: Micro | null };

/** Price steps by range of prices, both ends included. */
export type PriceGrid = readonly { readonly start: Micro; readonly end: Micro; readonly step: Micro }[];

export type VenueTrading = {
  /** In force unless a run is given others. A venue changes its fees: docs/backtest.md says where these come from. */
  readonly fees: FeeModel;
  readonly rules: Rules;
  /** The grid that the recorded metadata states; null where one step (`tickSize`) holds for all prices. */
  readonly priceGrid: (market: MarketObserved) => PriceGrid | null;
  /** Trading ends at `closesAt`. Else that is the end of the question, and trading goes on until the status says closed. */
  readonly endsAtClose: boolean;
  /** Books are recorded for the first outcome, and the second trades against their mirror; null: every outcome has its own. */
  readonly mirror: { readonly first: string; readonly second: string } | null;
};
