import type { ArrayLadders, BookRecord } from './types.ts';

/**
 * The venue's own text of each level, [price, size], best first: normalization reversed. Needs a record with
 * `include_orderbook` and array ladders.
 */
export function sourceText(record: BookRecord, side: 'bid' | 'ask'): [string, string][] {
  const ladders = record.orderbook as ArrayLadders | undefined;
  if (!ladders || !('bid_prices' in ladders)) throw new TypeError('the record has no array ladders');
  const { native } = record;
  const complement = side === 'ask' && native.ask_is_complement;
  const prices =
    side === 'bid' ? ladders.bid_prices : complement ? (ladders.no_prices ?? []) : ladders.ask_prices;
  const sizes = side === 'bid' ? ladders.bid_sizes : ladders.ask_sizes;
  const levels = prices.map((price, at): [string, string] => [
    format(price, native.price_format),
    format(sizes[at] ?? 0, native.size_format),
  ]);
  for (const one of native.exceptions) if (one.side === side) levels[one.level] = [one.price, one.size];
  return levels;
}

/** `min`: shortest; `cents`: shortest, in hundredths; a digit: at least that many decimals; a leading `.`: no zero before the point. */
function format(value: number, style: string): string {
  if (style === 'cents') return (value * 100).toFixed(4).replace(/\.?0+$/, '');
  const bare = style.startsWith('.');
  const wanted = bare ? style.slice(1) : style;
  const shortest = value.toFixed(6).replace(/\.?0+$/, '');
  const decimals = shortest.includes('.') ? shortest.length - shortest.indexOf('.') - 1 : 0;
  const text = wanted === 'min' ? shortest : value.toFixed(Math.max(decimals, Number(wanted)));
  return bare ? text.replace(/^(-?)0\./, '$1.') : text;
}
