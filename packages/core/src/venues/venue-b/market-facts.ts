// What venue B's market objects and messages state in the same way: status, outcomes, amounts.

import type { MarketStatus, Outcome } from '../../events/events.ts';
import type { Micro } from '../../kernel/decimal.ts';
import { isObject, textOf } from '../../kernel/exact-json.ts';
import type { Json } from './wire.ts';
import { decimalOf } from './wire.ts';

/** Status of responses, and the filter's words for the same. `nativeStatus` keeps the venue's own word. */
const STATUSES: Readonly<Record<string, MarketStatus>> = {
  initialized: 'upcoming',
  inactive: 'upcoming',
  unopened: 'upcoming',
  active: 'open',
  open: 'open',
  closed: 'closed',
  determined: 'closed',
  disputed: 'closed',
  amended: 'closed',
  finalized: 'resolved',
  settled: 'resolved',
};

const VOID_RESULTS: ReadonlySet<string> = new Set(['void', 'voided', 'cancelled', 'canceled']);

/** Series whose name alone says what they are about: KXBTC15M is BTC over 15 minutes, KXBTCD BTC without a fixed window. */
const SERIES = /^KX(BTC|ETH|SOL|XRP|DOGE|BNB|HYPE)(?:D|(5|15|30)M)?$/;

export function seriesFacts(series: string | null): { asset: string | null; window: string | null } {
  const match = series === null ? null : SERIES.exec(series);
  if (!match) return { asset: null, window: null };
  return { asset: match[1]!, window: match[2] === undefined ? null : `${match[2]}m` };
}

export function statusOf(native: string | null, result: string | null): MarketStatus {
  if (result !== null && VOID_RESULTS.has(result.toLowerCase())) return 'voided';
  return native !== null && Object.hasOwn(STATUSES, native) ? STATUSES[native]! : 'unknown';
}

export function outcomes(yes: string, no: string, result: string | null): Outcome[] {
  const decided = result === 'yes' || result === 'no';
  return [
    { id: 'yes', label: yes, index: 0, tokenId: null, winner: decided ? result === 'yes' : null },
    { id: 'no', label: no, index: 1, tokenId: null, winner: decided ? result === 'no' : null },
  ];
}

export const textField = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

function firstAmount(
  market: Json,
  fields: readonly (readonly [string, 'dollars' | 'cents'])[],
): Micro | null {
  for (const [name, unit] of fields) {
    const amount = decimalOf(market[name], unit);
    if (amount) return amount.value;
  }
  return null;
}

/** The field is dead and says 0 for every market since early 2026: a zero tells nothing. */
export function liquidityOf(market: Json): Micro | null {
  const amount = firstAmount(market, [
    ['liquidity_dollars', 'dollars'],
    ['liquidity', 'cents'],
  ]);
  return amount === 0 ? null : amount;
}

export function strikeOf(market: Json): string | null {
  const floor = textOf(market['floor_strike']);
  const cap = textOf(market['cap_strike']);
  return floor !== null && cap !== null ? `${floor}..${cap}` : (floor ?? cap);
}

/** One step for the whole price range, or null (tapered grids have several). */
export function tickSizeOf(market: Json): Micro | null {
  const ranges: unknown = market['price_ranges'];
  if (!Array.isArray(ranges) || ranges.length === 0) return null;
  const steps = new Set(
    ranges.map((range: unknown) => (isObject(range) ? (decimalOf(range['step'])?.value ?? null) : null)),
  );
  const [step] = steps;
  return steps.size === 1 && step ? step : null;
}

/** The finer dialect's field where both are given. Counts are no money, and are written in the same way. */
export const countField = (market: Json, name: string): Micro | null =>
  firstAmount(market, [
    [`${name}_fp`, 'dollars'],
    [name, 'dollars'],
  ]);

/**
 * What a contract paid, in a market object or a lifecycle message. Without `_dollars` in its name the field has been written in
 * two ways: as text it is of the fixed-point dialect, in dollars; as a number it is of the older one, in cents.
 */
export const settlementValueOf = (stated: Json): Micro | null =>
  firstAmount(stated, [
    ['settlement_value_dollars', 'dollars'],
    ['settlement_value', typeof stated['settlement_value'] === 'string' ? 'dollars' : 'cents'],
  ]);
