// What venue C's market objects state in the same way: outcomes, winner, status.

import type { Micro } from '../../kernel/decimal.ts';
import { MICRO } from '../../kernel/decimal.ts';
import type { MarketStatus, Outcome } from '../../events/events.ts';
import type { JsonObject } from '../../kernel/exact-json.ts';
import { boolOf, isObject, textOf } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';

export function outcomesOf(
  tokens: readonly (string | null)[],
  labels: readonly (string | null)[],
  winnerAt: number,
): Outcome[] {
  const outcomes: Outcome[] = [];
  tokens.forEach((token, index) => {
    if (token === null) return;
    const winner = winnerAt < 0 ? null : index === winnerAt;
    outcomes.push({ id: token, label: labels[index] ?? '', index, tokenId: token, winner });
  });
  return outcomes;
}

/** Index of the one outcome that pays 1 while all others pay 0; −1 when the prices say anything else. */
export function winnerIndex(prices: readonly (Micro | null)[]): number {
  const at = prices.indexOf(MICRO);
  return at >= 0 && prices.every((price, index) => price === (index === at ? MICRO : 0)) ? at : -1;
}

export function resolutionOf(
  prices: readonly (Micro | null)[],
  outcomes: readonly Outcome[],
  winnerAt: number,
): string | null {
  if (winnerAt >= 0) return outcomes[winnerAt]?.label ?? null;
  return prices.length > 1 && prices.every((price) => price === MICRO / prices.length) ? 'split' : null;
}

/**
 * `open` is open for trading, which begins about a day before the window. A market that takes no orders is upcoming before its
 * end and closed after it (the venue's `closed` follows a minute or more late).
 */
export function tradingStatus(
  market: JsonObject,
  closed: boolean,
  closesAt: Micros | null,
  observedAt: Micros,
): MarketStatus {
  if (closed || market['archived'] === true) return 'closed';
  const active = boolOf(market['active']);
  const accepting = boolOf(market['acceptingOrders']);
  if (active === null || accepting === null) return 'unknown';
  if (active && accepting && market['enableOrderBook'] !== false) return 'open';
  return closesAt !== null && observedAt >= closesAt ? 'closed' : 'upcoming';
}

export const GAMMA_STATUS_FIELDS = ['active', 'closed', 'archived', 'acceptingOrders', 'umaResolutionStatus'];

export function nativeStatus(market: JsonObject, fields: readonly string[]): string | null {
  const stated = fields
    .filter((name) => typeof market[name] === 'boolean' || typeof market[name] === 'string')
    .map((name) => `${name}=${String(market[name])}`);
  return stated.length === 0 ? null : stated.join(' ');
}

export function strikeOf(event: JsonObject | null): string | null {
  const metadata = event?.['eventMetadata'];
  return isObject(metadata) ? textOf(metadata['priceToBeat']) : null;
}
