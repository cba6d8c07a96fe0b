import { complement, decimal } from '@ladderlog/core';
import { dollars } from '../market/wire-text.ts';

const flip = (price: unknown): string => dollars(complement(decimal(String(price)).value));

/**
 * A message with its no side turned over: NO prices to YES prices, or back (the rule is its own inverse). Sizes and order of
 * levels stay as they are but that turned prices, which ascended, are put in ascending order again.
 */
export function withYesPrices(type: string, msg: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (type === 'orderbook_delta')
    return msg['side'] === 'no' ? { ...msg, price_dollars: flip(msg['price_dollars']) } : { ...msg };
  if (type !== 'orderbook_snapshot' || !Array.isArray(msg['no_dollars_fp'])) return { ...msg };
  const levels = (msg['no_dollars_fp'] as [string, string][]).map(([price, size]) => [flip(price), size]);
  return { ...msg, no_dollars_fp: levels.reverse() };
}
