// Levels as the wire states them, to one side-by-side book of integers that can give every text back: parse, sort best first,
// choose the text formats that leave the fewest exceptions, and keep the rest as exceptions.

import type { Ladders } from '../checks.ts';
import type { Micro, TextFormat } from '../decimal.ts';
import { MAX_MICRO, formatMicro, formatOf, parseDecimal } from '../decimal.ts';
import type { TextException } from '../events.ts';

export type Level = {
  readonly price: Micro;
  readonly size: Micro;
  readonly priceText: string;
  readonly sizeText: string;
  readonly exact: boolean;
};

/** Null when a text is no decimal or out of range. */
export function readLevel(priceText: string | null, sizeText: string | null): Level | null {
  if (priceText === null || sizeText === null) return null;
  const price = parseDecimal(priceText);
  const size = parseDecimal(sizeText);
  if (price === null || size === null) return null;
  return { price: price.value, size: size.value, priceText, sizeText, exact: price.exact && size.exact };
}

export type Formats = { readonly price: TextFormat; readonly size: TextFormat };

export type ComposedBook = Ladders & {
  readonly priceFormat: TextFormat;
  readonly sizeFormat: TextFormat;
  readonly exceptions: readonly TextException[];
  readonly exact: boolean;
};

/** Sorts in place, stably: the venue's order among equal prices stays. */
export function sortBestFirst(levels: Level[], side: 'bid' | 'ask'): Level[] {
  return levels.sort(side === 'bid' ? (a, b) => b.price - a.price : (a, b) => a.price - b.price);
}

/** Takes both sides in any order. `before` are the formats of the book's previous state, tried first. */
export function composeBook(bids: Level[], asks: Level[], before: Formats = MINIMAL): ComposedBook {
  sortBestFirst(bids, 'bid');
  sortBestFirst(asks, 'ask');
  const formats = chooseFormats(bids, asks, before);
  const exceptions: TextException[] = [];
  let exact = true;
  for (const [side, levels] of [
    ['bid', bids],
    ['ask', asks],
  ] as const) {
    for (let at = 0; at < levels.length; at++) {
      const level = levels[at]!;
      if (!level.exact) exact = false;
      if (!reproduces(level, formats))
        exceptions.push({ side, level: at, price: level.priceText, size: level.sizeText });
    }
  }
  return {
    bidPrices: bids.map((level) => level.price),
    bidSizes: bids.map((level) => level.size),
    askPrices: asks.map((level) => level.price),
    askSizes: asks.map((level) => level.size),
    priceFormat: formats.price,
    sizeFormat: formats.size,
    exceptions,
    exact,
  };
}

const MINIMAL: Formats = { price: 'min', size: 'min' };

export const reproduces = (level: Level, formats: Formats): boolean =>
  formatMicro(level.price, formats.price) === level.priceText &&
  formatMicro(level.size, formats.size) === level.sizeText;

function chooseFormats(bids: readonly Level[], asks: readonly Level[], before: Formats): Formats {
  return {
    price: chooseFormat(bids, asks, before.price, (level) => [level.price, level.priceText]),
    size: chooseFormat(bids, asks, before.size, (level) => [level.size, level.sizeText]),
  };
}

/** The format that reproduces most texts; on a tie the one in use. */
function chooseFormat(
  bids: readonly Level[],
  asks: readonly Level[],
  before: TextFormat,
  pick: (level: Level) => readonly [Micro, string],
): TextFormat {
  let best = before;
  let fewest = Infinity;
  const tried = new Set<TextFormat>();
  const candidates: TextFormat[] = [before, 'min'];
  for (let next = 0; next < candidates.length && fewest > 0; next++) {
    const format = candidates[next]!;
    if (tried.has(format)) continue;
    tried.add(format);
    let misses = 0;
    for (const levels of [bids, asks]) {
      for (const level of levels) {
        const [value, text] = pick(level);
        if (formatMicro(value, format) === text) continue;
        misses++;
        const own = formatOf(text);
        if (!tried.has(own)) candidates.push(own);
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
