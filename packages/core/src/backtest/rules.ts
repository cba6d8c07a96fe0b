// What a venue demanded of an order at that moment, from the market's own recorded metadata.

import type { Micro } from '../kernel/decimal.ts';
import { MICRO } from '../kernel/decimal.ts';
import type { MarketObserved } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import { adapterOf } from '../venues/registry.ts';
import type { OrderEnd } from './strategy.ts';
import type { PriceGrid, Rules } from './trading.ts';

const grids = new WeakMap<MarketObserved, PriceGrid | null>();

function gridOf(market: MarketObserved): PriceGrid | null {
  let grid = grids.get(market);
  if (grid === undefined) grids.set(market, (grid = adapterOf(market.venue).trading.priceGrid(market)));
  return grid;
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

/** When trading ends by the venue's own word; null where it does not say beforehand. */
export const closeOf = ({ venue, closesAt }: MarketObserved): Micros | null =>
  adapterOf(venue).trading.endsAtClose ? closesAt : null;

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
