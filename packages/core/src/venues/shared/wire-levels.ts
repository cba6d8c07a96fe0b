// Levels as the wire states them, to one side-by-side book of integers that can give every text back: parse, sort best first,
// choose the text formats that leave the fewest exceptions, and keep the rest as exceptions.

import type { Ladders } from '../../capture/checks.ts';
import type { Micro, TextFormat } from '../../kernel/decimal.ts';
import { MAX_MICRO, formatMicro, formatOf, parseDecimal, parseMicro } from '../../kernel/decimal.ts';
import type { TextException } from '../../events/events.ts';

export type Level = {
  readonly price: Micro;
  readonly size: Micro;
  readonly priceText: string;
  readonly sizeText: string;
  readonly exact: boolean;
  /** How each text is written (see shapeOf). */
  readonly priceShape: number;
  readonly sizeShape: number;
};

/** Null when a text is no decimal or out of range. */
export function readLevel(priceText: string | null, sizeText: string | null): Level | null {
  if (priceText === null || sizeText === null) return null;
  let exact = true;
  let price = parseMicro(priceText);
  if (price === null) {
    const long = parseDecimal(priceText);
    if (long === null) return null;
    price = long.value;
    exact = long.exact;
  }
  let size = parseMicro(sizeText);
  if (size === null) {
    const long = parseDecimal(sizeText);
    if (long === null) return null;
    size = long.value;
    exact &&= long.exact;
  }
  return {
    price,
    size,
    priceText,
    sizeText,
    exact,
    priceShape: shapeOf(priceText),
    sizeShape: shapeOf(sizeText),
  };
}

const BARE = 16;
const ZERO_WHOLE = 32;
const TRAILING_ZERO = 8;

/**
 * How a decimal is written, as bits: its number of decimals (0 to 6), whether the last one is a zero, whether its whole part is
 * missing or a single zero. With these a format is held against a text without writing a single digit. −1: no format writes
 * it (a sign, an exponent, leading zeros, a bare dot, more than six decimals).
 */
export function shapeOf(text: string): number {
  const { length } = text;
  let dot = -1;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === 46 && dot < 0) dot = at;
    else if (code < 48 || code > 57) return -1;
  }
  const whole = dot < 0 ? length : dot;
  const decimals = dot < 0 ? 0 : length - dot - 1;
  if (decimals > 6 || (dot >= 0 && decimals === 0)) return -1;
  const first = text.charCodeAt(0);
  if (whole > 1 && first === 48) return -1;
  return (
    decimals |
    (decimals > 0 && text.charCodeAt(length - 1) === 48 ? TRAILING_ZERO : 0) |
    (whole === 0 ? BARE : whole === 1 && first === 48 ? ZERO_WHOLE : 0)
  );
}

/** Whether the format gives the text of this shape back; equal to comparing with formatMicro, which a test holds it to. */
export function conforms(shape: number, format: TextFormat): boolean {
  if (shape < 0) return false;
  const bare = format.charCodeAt(0) === 46;
  const digit = format.charCodeAt(bare ? 1 : 0) - 48;
  const wanted = digit > 9 ? 0 : digit;
  const decimals = shape & 7;
  if ((shape & BARE) !== 0 && !bare) return false;
  if ((shape & ZERO_WHOLE) !== 0 && bare && decimals > 0) return false;
  return decimals === wanted || (decimals > wanted && (shape & TRAILING_ZERO) === 0);
}

export type Formats = { readonly price: TextFormat; readonly size: TextFormat };

export type ComposedBook = Ladders & {
  readonly priceFormat: TextFormat;
  readonly sizeFormat: TextFormat;
  readonly exceptions: readonly TextException[];
  readonly exact: boolean;
};

/** Sorts both sides in place, stably (the venue's order among equal prices stays), and takes the integers. */
export function laddersOf(bids: Level[], asks: Level[]): Ladders {
  bids.sort((a, b) => b.price - a.price);
  asks.sort((a, b) => a.price - b.price);
  return {
    bidPrices: bids.map((level) => level.price),
    bidSizes: bids.map((level) => level.size),
    askPrices: asks.map((level) => level.price),
    askSizes: asks.map((level) => level.size),
  };
}

/** Takes both sides in any order. `before` are the formats of the book's previous state, tried first. */
export function composeBook(bids: Level[], asks: Level[], before: Formats = MINIMAL): ComposedBook {
  const ladders = laddersOf(bids, asks);
  const formats = {
    price: chooseFormat(
      bids,
      asks,
      before.price,
      (level) => level.priceShape,
      (level) => level.priceText,
    ),
    size: chooseFormat(
      bids,
      asks,
      before.size,
      (level) => level.sizeShape,
      (level) => level.sizeText,
    ),
  };
  const exceptions: TextException[] = [];
  const bidsExact = noteExceptions('bid', bids, formats, exceptions);
  const asksExact = noteExceptions('ask', asks, formats, exceptions);
  return {
    ...ladders,
    priceFormat: formats.price,
    sizeFormat: formats.size,
    exceptions,
    exact: bidsExact && asksExact,
  };
}

const MINIMAL: Formats = { price: 'min', size: 'min' };

/** True when every level of the side is exact. */
function noteExceptions(
  side: 'bid' | 'ask',
  levels: readonly Level[],
  formats: Formats,
  into: TextException[],
): boolean {
  let exact = true;
  for (let at = 0; at < levels.length; at++) {
    const level = levels[at]!;
    if (!level.exact) exact = false;
    if (!reproduces(level, formats))
      into.push({ side, level: at, price: level.priceText, size: level.sizeText });
  }
  return exact;
}

export const reproduces = (level: Level, formats: Formats): boolean =>
  conforms(level.priceShape, formats.price) && conforms(level.sizeShape, formats.size);

/** The format that reproduces most texts; on a tie the one in use. */
function chooseFormat(
  bids: readonly Level[],
  asks: readonly Level[],
  before: TextFormat,
  shape: (level: Level) => number,
  text: (level: Level) => string,
): TextFormat {
  let best = before;
  let fewest = Infinity;
  const candidates: TextFormat[] = before === 'min' ? ['min'] : [before, 'min'];
  for (let next = 0; next < candidates.length && fewest > 0; next++) {
    const format = candidates[next]!;
    let misses = 0;
    for (const levels of [bids, asks]) {
      for (const level of levels) {
        if (conforms(shape(level), format)) continue;
        misses++;
        const own = formatOf(text(level));
        if (!candidates.includes(own)) candidates.push(own);
      }
    }
    if (misses < fewest) {
      best = format;
      fewest = misses;
    }
  }
  return best;
}

export type Drift = {
  readonly levelsOurs: number;
  readonly levelsTheirs: number;
  readonly levelsDiffering: number;
  readonly sizeDrift: Micro;
  readonly detail: string | null;
};

/** Two books of one outcome, both best first, level by level. `detail` names the first difference on each side. */
export function measureDrift(ours: Ladders, theirs: Ladders): Drift {
  const drift = { differing: 0, size: 0, notes: [] as string[] };
  compareSide('bid', -1, ours.bidPrices, ours.bidSizes, theirs.bidPrices, theirs.bidSizes, drift);
  compareSide('ask', 1, ours.askPrices, ours.askSizes, theirs.askPrices, theirs.askSizes, drift);
  return {
    levelsOurs: ours.bidPrices.length + ours.askPrices.length,
    levelsTheirs: theirs.bidPrices.length + theirs.askPrices.length,
    levelsDiffering: drift.differing,
    sizeDrift: Math.min(drift.size, MAX_MICRO),
    detail: drift.notes.length === 0 ? null : drift.notes.join('; '),
  };
}

function compareSide(
  side: 'bid' | 'ask',
  direction: 1 | -1,
  ourPrices: readonly Micro[],
  ourSizes: readonly Micro[],
  theirPrices: readonly Micro[],
  theirSizes: readonly Micro[],
  drift: { differing: number; size: number; notes: string[] },
): void {
  let ours = 0;
  let theirs = 0;
  let noted = false;
  while (ours < ourPrices.length || theirs < theirPrices.length) {
    const a = ourPrices[ours];
    const b = theirPrices[theirs];
    const order = a === undefined ? 1 : b === undefined ? -1 : (a - b) * direction;
    const price = order <= 0 ? a! : b!;
    const ourSize = order <= 0 ? ourSizes[ours++]! : 0;
    const theirSize = order >= 0 ? theirSizes[theirs++]! : 0;
    if (ourSize === theirSize) continue;
    drift.differing++;
    drift.size += Math.abs(ourSize - theirSize);
    if (noted) continue;
    noted = true;
    drift.notes.push(
      `${side} ${formatMicro(price)}: ours ${formatMicro(ourSize)}, theirs ${formatMicro(theirSize)}`,
    );
  }
}
