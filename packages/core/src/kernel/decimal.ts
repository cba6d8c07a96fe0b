// Decimal text of the venues to integers of 1e-6 and back. No floating point: a price or size is the digits it came in.

import { LadderlogError } from './errors.ts';

/** Integer count of 1e-6 units; a safe JS integer. */
export type Micro = number;

export const MICRO = 1_000_000;

/** Nearest double of value / 1e6: prints as the decimal itself. */
export const toNumber = (value: Micro): number => value / MICRO;

export const numberOrNull = (value: Micro | null): number | null => (value === null ? null : toNumber(value));

/** Largest magnitude kept, 9.007e9 units: a safe integer, and one that every Avro reader for JavaScript takes. */
export const MAX_MICRO: Micro = Number.MAX_SAFE_INTEGER - 1;

/** `exact` is false when the text had digits past the sixth decimal; the value is then the nearest 1e-6 (half away from 0). */
export type Decimal = { readonly value: Micro; readonly exact: boolean };

const ZERO = 48;
const NINE = 57;
const DOT = 46;
const MINUS = 45;
const PLUS = 43;

/**
 * Parses `-?digits[.digits]`, also `.5` and `5.`, and an exponent (JSON numbers of venue A's own exchange have one).
 * Null when it is not a decimal or is out of range: the caller decides what that means for its frame.
 */
export function parseDecimal(text: string): Decimal | null {
  const value = parseMicro(text);
  if (value !== null) return { value, exact: true };
  return parseLong(text);
}

/**
 * The hot path: the exact integer of a plain decimal with at most six decimals and 15 digits in all, else null (which says
 * only that parseDecimal must look closer).
 */
export function parseMicro(text: string): Micro | null {
  const length = text.length;
  if (length === 0 || length > 17) return null;
  let at = 0;
  let negative = false;
  const first = text.charCodeAt(0);
  if (first === MINUS || first === PLUS) {
    negative = first === MINUS;
    at = 1;
  }
  let value = 0;
  let decimals = -1;
  let digits = 0;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      if (decimals >= 0 && ++decimals > 6) return null;
      value = value * 10 + (code - ZERO);
      digits++;
    } else if (code === DOT && decimals < 0) decimals = 0;
    else return null;
  }
  if (digits === 0 || digits > 15) return null;
  value *= SCALE[decimals < 0 ? 6 : 6 - decimals]!;
  if (value > MAX_MICRO) return null;
  return negative ? 0 - value : value;
}

const SCALE = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

const LONG = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

function parseLong(text: string): Decimal | null {
  if (text.length > 128) return null;
  const match = LONG.exec(text);
  if (!match) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole.length + fraction.length === 0) return null;
  const shift = 6 + Number(exponent) - fraction.length;
  let digits = BigInt(whole + fraction);
  let exact = true;
  if (shift >= 0) {
    if (digits !== 0n && shift > 32) return null;
    digits *= 10n ** BigInt(Math.min(shift, 32));
  } else {
    const divisor = 10n ** BigInt(-shift);
    const remainder = digits % divisor;
    exact = remainder === 0n;
    digits = digits / divisor + (remainder * 2n >= divisor ? 1n : 0n);
  }
  if (digits > BigInt(MAX_MICRO)) return null;
  const value = Number(digits);
  return { value: sign === '-' ? 0 - value : value, exact };
}

/** As parseDecimal, but a text that is no decimal is a BAD_DECIMAL error; for configuration and tests. */
export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text);
  if (!parsed)
    throw new LadderlogError('BAD_DECIMAL', `'${text.slice(0, 64)}' is not a decimal number in range`);
  return parsed;
}

/**
 * How a venue writes its numbers. `min` is the shortest decimal (0.5, 42); a digit is that many decimals (`2`: 13.00).
 * A leading `.` means values below one lack their zero (.48). A text that its format does not reproduce is an exception
 * and is kept whole beside the integer, so the venue's text can always be had back. `cents` is the shortest decimal of a
 * hundred times the value (42 for 0.42): venue B's prices before its fixed-point change.
 */
export type TextFormat =
  | 'cents'
  | 'min'
  | '.min'
  | '0'
  | '1'
  | '2'
  | '3'
  | '4'
  | '5'
  | '6'
  | '.1'
  | '.2'
  | '.3'
  | '.4'
  | '.5'
  | '.6';

/** The text a format gives for a value; for `0`..`5` decimals, values that need more are written with as many as needed. */
export function formatMicro(value: Micro, format: TextFormat = 'min'): string {
  const bare = format.charCodeAt(0) === DOT;
  const wanted = bare ? format.slice(1) : format;
  const unit = format === 'cents' ? MICRO / 100 : MICRO;
  const width = format === 'cents' ? 4 : 6;
  const magnitude = Math.abs(value);
  // The remainder first: dividing first rounds up near the largest values.
  const rest = magnitude % unit;
  const whole = (magnitude - rest) / unit;
  let fraction = String(rest).padStart(width, '0');
  let keep = wanted === 'min' || wanted === 'cents' ? 0 : Number(wanted);
  for (let at = width - 1; at >= keep; at--) {
    if (fraction.charCodeAt(at) !== ZERO) {
      keep = at + 1;
      break;
    }
  }
  fraction = fraction.slice(0, keep);
  const head = bare && whole === 0 && fraction !== '' ? '' : String(whole);
  return `${value < 0 ? '-' : ''}${head}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The format that reproduces this text, by its own shape; `min` when none does. */
export function formatOf(text: string): TextFormat {
  const dot = text.indexOf('.');
  if (dot < 0) return 'min';
  const decimals = text.length - dot - 1;
  const bare = dot === 0 || (dot === 1 && text.charCodeAt(0) === MINUS) ? '.' : '';
  if (decimals < 1 || decimals > 6) return 'min';
  const trailing = text.charCodeAt(text.length - 1) === ZERO;
  return `${bare}${trailing ? decimals : 'min'}` as TextFormat;
}

/** 1 − p, exact: the price of the other side of a binary contract. */
export const complement = (price: Micro): Micro => MICRO - price;
