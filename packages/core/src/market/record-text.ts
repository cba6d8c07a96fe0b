// A book record as JSON text, from the integers: the same value as JSON.stringify(toRecord(…)), several times quicker, since a
// ladder's numbers are most of it and neighbouring books share most of their numbers. A property test holds the two together.

import type { Micro } from '../kernel/decimal.ts';
import { MICRO, complement } from '../kernel/decimal.ts';
import type { BookObserved } from '../events/events.ts';
import type { MarketIdentity } from './record.ts';
import { toRecord } from './record.ts';
import type { Position } from '../events/topics.ts';
import { adapterOf } from '../venues/registry.ts';

const REMEMBERED = 65_536;
const texts = new Map<Micro, string>();

/** The decimal that `value / 1e6` prints as. */
export function microText(value: Micro): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = written(value);
  if (texts.size >= REMEMBERED) texts.clear();
  texts.set(value, text);
  return text;
}

function written(value: Micro): string {
  if (value < 0) return `-${written(-value)}`;
  const whole = Math.floor(value / MICRO);
  const rest = value - whole * MICRO;
  if (rest === 0) return String(whole);
  const digits = String(MICRO + rest);
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return `${whole}.${digits.slice(1, end)}`;
}

function list(values: readonly Micro[], shown: number): string {
  const count = Math.min(values.length, shown);
  let text = '[';
  for (let at = 0; at < count; at++) text += at === 0 ? microText(values[at]!) : `,${microText(values[at]!)}`;
  return `${text}]`;
}

export function recordText(event: BookObserved, position: Position, market: MarketIdentity | null): string {
  const { levelsShown, twoBidSides: sides } = adapterOf(event.venue).record;
  const rest = JSON.stringify(toRecord(event, position, market, null));
  const shown = levelsShown ?? Infinity;
  const bidPrices = list(event.bidPrices, shown);
  const bidSizes = list(event.bidSizes, shown);
  const askSizes = list(event.askSizes, shown);
  const ladders =
    `"bid_prices":${bidPrices},"bid_sizes":${bidSizes},` +
    `"ask_prices":${list(event.askPrices, shown)},"ask_sizes":${askSizes}`;
  const native = sides
    ? `,"${sides.bids}_prices":${bidPrices},"${sides.bids}_sizes":${bidSizes},` +
      `"${sides.asks}_prices":${list(event.askPrices.map(complement), shown)},"${sides.asks}_sizes":${askSizes}`
    : '';
  return `${rest.slice(0, -1)},"orderbook":{${ladders}${native}}}`;
}
