// What a venue demanded of an order at that moment, from the market's own recorded metadata.

import type { Micro } from '../kernel/decimal.ts';
import { MICRO, parseDecimal } from '../kernel/decimal.ts';
import type { MarketObserved, Venue } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import type { OrderEnd } from './strategy.ts';

/** Used where the recorded metadata states none; null: not checked. */
export type Rules = { readonly tickSize: Micro | null; readonly minSize: Micro | null };

/** Venue B sells hundredths of a contract; its grid, and the minimum of the others, are in their metadata. */
export const DEFAULT_RULES: Readonly<Record<Venue, Rules>> = {
  venuea: { tickSize: null, minSize: null },
  venueb: { tickSize: null, minSize: 10_000 },
  venuec: { tickSize: null, minSize: null },
};

type Grid = readonly { readonly start: Micro; readonly end: Micro; readonly step: Micro }[];

const grids = new WeakMap<MarketObserved, Grid | null>();

/** Venue B's price_ranges: a tapered grid has several steps. */
function gridOf(market: MarketObserved): Grid | null {
  const known = grids.get(market);
  if (known !== undefined) return known;
  const grid = readGrid(market);
  grids.set(market, grid);
  return grid;
}

function readGrid(market: MarketObserved): Grid | null {
  if (market.venue !== 'venueb') return null;
  let native: unknown;
  try {
    native = JSON.parse(market.native);
  } catch {
    return null;
  }
  const ranges = (native as { price_ranges?: unknown } | null)?.price_ranges;
  if (!Array.isArray(ranges)) return null;
  const grid = ranges.flatMap((range: Record<string, unknown> | null) => {
    const [start, end, step] = [range?.['start'], range?.['end'], range?.['step']].map(
      (value) => parseDecimal(String(value))?.value ?? null,
    );
    return start != null && end != null && step ? [{ start, end, step }] : [];
  });
  return grid.length === ranges.length && grid.length > 0 ? grid : null;
}

function isOnGrid(market: MarketObserved | null, rules: Rules, price: Micro): boolean {
  const grid = market && gridOf(market);
  // A price on the border of two ranges is on the grid of either.
  if (grid)
    return grid.some(
      ({ start, end, step }) => price >= start && price <= end && (price - start) % step === 0,
    );
  const tick = market?.tickSize ?? rules.tickSize;
  return tick === null || tick <= 0 || price % tick === 0;
}

/** When trading ends by the venue's own word. Venue C's end is that of the question: it trades on until its status says closed. */
export const closeOf = ({ venue, closesAt }: MarketObserved): Micros | null =>
  venue === 'venuec' ? null : closesAt;

/** The status of a closed market may be recorded late, or never. */
export function isClosed(market: MarketObserved, now: Micros): boolean {
  const { status } = market;
  return (
    status === 'closed' ||
    status === 'resolved' ||
    status === 'voided' ||
    now >= (closeOf(market) ?? Infinity)
  );
}

/** Null when the venue would have taken the order. */
export function refusal(
  market: MarketObserved | null,
  rules: Rules,
  size: Micro,
  limit: Micro | null,
  now: Micros,
): OrderEnd | null {
  if (!Number.isSafeInteger(size) || size <= 0) return 'bad_request';
  if (market && isClosed(market, now)) return 'market_closed';
  const minSize = market?.minSize ?? rules.minSize;
  if (minSize !== null && size < minSize) return 'below_min_size';
  if (limit === null) return null;
  if (!Number.isSafeInteger(limit)) return 'bad_request';
  if (limit <= 0 || limit >= MICRO) return 'price_out_of_bounds';
  return isOnGrid(market, rules, limit) ? null : 'off_tick';
}
