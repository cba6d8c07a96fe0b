// Numbers as the venues write them. Prices and sizes come in as integers of 1e-6.

import { formatMicro } from '@ladderlog/core';
import { mix } from './random.ts';

/** `0.5300` */
export const dollars = (price: number): string => formatMicro(price, '4');
/** `212.50` */
export const contracts = (size: number): string => formatMicro(size, '2');

/** Venue A: as many decimals as the market's precision. */
export const priceA = (price: number, precision: number): string =>
  formatMicro(price, precision === 3 ? '3' : '2');

/**
 * Venue A: the shortest decimal; one size in 1,500 has the dust of a float, beyond the sixth decimal. It stays below half a
 * unit of 1e-6: float error never moves a size to the next unit.
 */
export function sizeA(size: number, price: number): string {
  const text = formatMicro(size);
  const quirk = mix(size >>> 0, price);
  if (quirk % 1_500 !== 0 || size % 1_000_000 === 0) return text;
  const micros = formatMicro(size, '6');
  return `${micros}${String(1 + (quirk % 4_999)).padStart(4, '0')}`;
}

/** Venue C: mostly the shortest (0.5); one in 40 without its zero (.48), one in 40 padded (0.50). */
export function priceC(price: number, quirk: number): string {
  const pick = mix(price, quirk) % 40;
  if (pick === 0) return formatMicro(price, '.min');
  return pick === 1 ? formatMicro(price, '2') : formatMicro(price);
}
export const sizeC = (size: number): string => formatMicro(size);

export const iso = (ms: number): string => new Date(ms).toISOString();
/** Whole seconds: `2026-11-15T00:05:00Z`. */
export const isoSeconds = (ms: number): string => iso(ms).replace('.000Z', 'Z');
