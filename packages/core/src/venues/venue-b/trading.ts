import type { PriceGrid, VenueTrading } from '../../backtest/trading.ts';
import type { MarketObserved } from '../../events/events.ts';
import { parseDecimal } from '../../kernel/decimal.ts';

/** From `price_ranges`: a tapered grid has several steps. */
function priceGrid({ native }: MarketObserved): PriceGrid | null {
  let market: unknown;
  try {
    market = JSON.parse(native);
  } catch {
    return null;
  }
  const ranges = (market as { price_ranges?: unknown } | null)?.price_ranges;
  if (!Array.isArray(ranges)) return null;
  const grid = ranges.flatMap((range: Record<string, unknown> | null) => {
    const [start, end, step] = [range?.['start'], range?.['end'], range?.['step']].map(
      (value) => parseDecimal(String(value))?.value ?? null,
    );
    return start != null && end != null && step ? [{ start, end, step }] : [];
  });
  return grid.length === ranges.length && grid.length > 0 ? grid : null;
}

export const trading: VenueTrading = {
  fees: { kind: 'variance', rate: 70_000, makerRate: 0, step: 10_000 },
  // Hundredths of a contract are sold.
  rules: { tickSize: null, minSize: 10_000 },
  priceGrid,
  endsAtClose: true,
  mirror: { first: 'yes', second: 'no' },
};
