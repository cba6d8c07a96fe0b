// What venue B may send. The wire dialect is Kalshi's trade API v2: WebSocket frames {type, sid?, seq?, msg} and REST bodies
// (rest.ts has their paths). A book is two lists of bids, YES and NO; nothing here trusts their order. A change of format is an entry in a list below.

import type { Decimal, Micro, TextFormat } from '../../kernel/decimal.ts';
import { MAX_MICRO, MICRO, complement, formatMicro, parseDecimal } from '../../kernel/decimal.ts';
import type { JsonObject } from '../../kernel/exact-json.ts';
import { textOf } from '../../kernel/exact-json.ts';
import type { SideLevel } from '../../market/ladder.ts';
import { exceptionText } from '../../market/ladder.ts';
import type { Micros } from '../../kernel/time.ts';
import { fromMillis, parseIso } from '../../kernel/time.ts';
import { inRange, secondsOf } from '../shared/source-time.ts';

export type Json = JsonObject;

/** Dollars are decimals of the contract value; cents are hundredths of it, whole or not. */
type Unit = 'dollars' | 'cents';

export type LevelShape = {
  readonly name: string;
  /** When the venue spoke it; null: still. Archives are told apart by their keys, the dates are for people. */
  readonly until: string | null;
  readonly yes: string;
  readonly no: string;
  readonly unit: Unit;
  readonly priceFormat: TextFormat;
  readonly sizeFormat: TextFormat;
};

const CENTS = { unit: 'cents', priceFormat: 'cents', sizeFormat: '0' } as const;
const FIXED = { unit: 'dollars', priceFormat: '4', sizeFormat: '2' } as const;
const DOLLARS = { unit: 'dollars', priceFormat: '4', sizeFormat: '0' } as const;

/** Newest first: where a body speaks two dialects at once, the finer one is read. */
export const SNAPSHOT_SHAPES: readonly LevelShape[] = [
  { name: 'fixed_point', until: null, yes: 'yes_dollars_fp', no: 'no_dollars_fp', ...FIXED },
  { name: 'dollars', until: '2026-03', yes: 'yes_dollars', no: 'no_dollars', ...DOLLARS },
  { name: 'cents', until: '2026-03', yes: 'yes', no: 'no', ...CENTS },
];

/** REST books by the key that holds them: the older one with every dialect, the newer one never in cents. */
export const REST_SHAPES: readonly { readonly key: string; readonly shapes: readonly LevelShape[] }[] = [
  {
    key: 'orderbook_fp',
    shapes: [
      { name: 'fixed_point', until: null, yes: 'yes_dollars', no: 'no_dollars', ...FIXED },
      SNAPSHOT_SHAPES[0]!,
    ],
  },
  { key: 'orderbook', shapes: SNAPSHOT_SHAPES },
];

/** A message with one price and one size. */
type PriceShape = {
  readonly name: string;
  readonly until: string | null;
  readonly price: string;
  readonly size: string;
  readonly unit: Unit;
};

const DELTA_SHAPES: readonly PriceShape[] = [
  { name: 'fixed_point', until: null, price: 'price_dollars', size: 'delta_fp', unit: 'dollars' },
  { name: 'dollars', until: '2026-03', price: 'price_dollars', size: 'delta', unit: 'dollars' },
  { name: 'cents', until: '2026-03', price: 'price', size: 'delta', unit: 'cents' },
];

const TRADE_SHAPES: readonly PriceShape[] = [
  { name: 'fixed_point', until: null, price: 'yes_price_dollars', size: 'count_fp', unit: 'dollars' },
  { name: 'dollars', until: '2026-03', price: 'yes_price_dollars', size: 'count', unit: 'dollars' },
  { name: 'cents', until: '2026-03', price: 'yes_price', size: 'count', unit: 'cents' },
];

/** Kinds that are understood and hold neither a book nor a trade. They stay on the tape. */
export const SKIPPED_KINDS: ReadonlySet<string> = new Set([
  'ticker', // best prices and totals: derived from the book, and without its sequence
  'ticker_v2',
  'cfbenchmarks_value',
  'cfbenchmarks_value_5hz',
  'event_lifecycle',
  'fill', // the recorder's own account
]);

/** After these the venue sends no more on the subscription: 10 channel error, 25 buffer overflow. */
export const TERMINAL_CODES: ReadonlySet<unknown> = new Set([10, 25]);

/** A decimal of the wire: text, or a JSON number of the older dialects. Null when it is neither. */
export function decimalOf(value: unknown, unit: Unit = 'dollars'): Decimal | null {
  const text = textOf(value);
  const parsed = text === null ? null : parseDecimal(text);
  if (!parsed || unit === 'dollars') return parsed;
  const scaled = Math.round(parsed.value / 100);
  return { value: scaled, exact: parsed.exact && parsed.value % 100 === 0 };
}

/** A price that can be complemented too: a NO price at the far end of the range has no YES price in it. */
function priceOf(value: unknown, unit: Unit): Decimal | null {
  const price = decimalOf(value, unit);
  return price !== null && complement(price.value) <= MAX_MICRO ? price : null;
}

/** A native market id, or null: printable and short, since it becomes the key of records and rows. */
export const tickerOf = (value: unknown): string | null =>
  typeof value === 'string' && TICKER.test(value) ? value : null;

const TICKER = /^[\x21-\x7e]{1,200}$/;

/** `ts` (RFC 3339, microseconds) is finer than `ts_ms`; where both are given and disagree, `ts_ms` is the current one. */
export function sourceTime(message: Json): Micros | null {
  const { ts, ts_ms: ms } = message as { ts?: unknown; ts_ms?: unknown };
  const coarse = typeof ms === 'number' ? inRange(fromMillis(ms)) : null;
  if (typeof ts !== 'string') return coarse ?? secondsOf(ts);
  if (coarse !== null) return coarse + (finerDigits(ts, ms as number) ?? 0);
  return inRange(parseIso(ts));
}

/** Microseconds within the millisecond; null where `ts` is not the same millisecond of the hour. Reading it whole is slower. */
function finerDigits(ts: string, ms: number): number | null {
  const match = FRACTION.exec(ts);
  if (!match) return null;
  const [, minute, second, fraction] = match;
  const digits = fraction!.padEnd(6, '0');
  const ofHour = (Number(minute) * 60 + Number(second)) * 1_000 + Number(digits.slice(0, 3));
  return ofHour === ms % 3_600_000 ? Number(digits.slice(3, 6)) : null;
}

const FRACTION = /T\d\d:(\d\d):(\d\d)\.(\d{1,9})Z$/;

export type WireBook = {
  readonly shape: LevelShape;
  readonly bids: readonly SideLevel[];
  readonly asks: readonly SideLevel[];
  readonly priceFormat: TextFormat;
  readonly sizeFormat: TextFormat;
  readonly exact: boolean;
};

/**
 * A whole book. A side that is absent or null is empty, unless there is a list under a name that is not known here: that may
 * be the side. `noIsYes`: NO levels come in YES prices (use_yes_price). The text is an error: why this is no book.
 */
export function readBook(holder: Json, shapes: readonly LevelShape[], noIsYes: boolean): WireBook | string {
  const shape = shapes.find(({ yes, no }) => holder[yes] != null || holder[no] != null) ?? shapes[0]!;
  const unread = unreadList(holder, shapes, shape);
  if (unread !== null) return `${unread.slice(0, 50)} is not a list that is known`;
  const yes = holder[shape.yes] ?? [];
  const no = holder[shape.no] ?? [];
  if (!Array.isArray(yes)) return `${shape.yes} is not a list`;
  if (!Array.isArray(no)) return `${shape.no} is not a list`;
  const priceFormat = observedFormat(yes, no, 0, shape.priceFormat);
  const sizeFormat = observedFormat(yes, no, 1, shape.sizeFormat);
  const formats = { shape, priceFormat, sizeFormat };
  const bids = readSide(yes, shape.yes, formats, false);
  if (typeof bids === 'string') return bids;
  const asks = readSide(no, shape.no, formats, !noIsYes);
  if (typeof asks === 'string') return asks;
  return {
    ...formats,
    bids: bids.levels,
    asks: asks.levels,
    exact: bids.exact && asks.exact,
  };
}

/** A list that may be the side which this shape does not show; the side it shows may be there in other dialects as well. */
function unreadList(holder: Json, shapes: readonly LevelShape[], shape: LevelShape): string | null {
  const hasYes = holder[shape.yes] != null;
  const hasNo = holder[shape.no] != null;
  if (hasYes && hasNo) return null;
  const read = new Set(shapes.flatMap(({ yes, no }) => [...(hasYes ? [yes] : []), ...(hasNo ? [no] : [])]));
  for (const [name, value] of Object.entries(holder))
    if (Array.isArray(value) && value.length > 0 && !read.has(name)) return name;
  return null;
}

type Formats = {
  readonly shape: LevelShape;
  readonly priceFormat: TextFormat;
  readonly sizeFormat: TextFormat;
};

function readSide(
  entries: readonly unknown[],
  name: string,
  { shape, priceFormat, sizeFormat }: Formats,
  complemented: boolean,
): { levels: SideLevel[]; exact: boolean } | string {
  const levels: SideLevel[] = [];
  let exact = true;
  for (let at = 0; at < entries.length; at++) {
    const entry: unknown = entries[at];
    if (!Array.isArray(entry) || entry.length !== 2) return `${name}[${at}] is not a pair of price and size`;
    const price = priceOf(entry[0], shape.unit);
    const size = decimalOf(entry[1]);
    if (!price) return `${name}[${at}] has no price in range`;
    if (!size) return `${name}[${at}] has no size in range`;
    exact &&= price.exact && size.exact;
    const text = exceptionText(
      textOf(entry[0])!,
      price.value,
      textOf(entry[1])!,
      size.value,
      priceFormat,
      sizeFormat,
    );
    levels.push({ price: complemented ? complement(price.value) : price.value, size: size.value, text });
  }
  return { levels, exact };
}

/**
 * The format of this book's numbers: the dialect's own where it gives back the first number, else the number of decimals seen
 * there. Anything else is kept level by level.
 */
function observedFormat(
  yes: readonly unknown[],
  no: readonly unknown[],
  column: 0 | 1,
  usual: TextFormat,
): TextFormat {
  const first: unknown = yes[0] ?? no[0];
  const text = Array.isArray(first) ? textOf(first[column]) : null;
  if (text === null || usual === 'cents') return usual;
  const value = parseDecimal(text)?.value;
  if (value === undefined || formatMicro(value, usual) === text) return usual;
  const decimals = /^\d+\.(\d{1,6})$/.exec(text)?.[1]?.length ?? 0;
  return String(decimals) as TextFormat;
}

export type WireDelta = {
  readonly side: 'yes' | 'no';
  /** Native price, not complemented. */
  readonly price: Micro;
  readonly priceText: string;
  readonly delta: Micro;
  readonly exact: boolean;
};

export function readDelta(message: Json): WireDelta | string {
  const { side } = message as { side?: unknown };
  if (side !== 'yes' && side !== 'no') return 'side is neither yes nor no';
  for (const shape of DELTA_SHAPES) {
    const priceField = message[shape.price];
    const deltaField = message[shape.size];
    if (priceField === undefined || deltaField === undefined) continue;
    const price = priceOf(priceField, shape.unit);
    const delta = decimalOf(deltaField);
    if (!price) return `${shape.price} is not a price in range`;
    if (!delta) return `${shape.size} is not a size in range`;
    return {
      side,
      price: price.value,
      priceText: textOf(priceField)!,
      delta: delta.value,
      exact: price.exact && delta.exact,
    };
  }
  return 'no price and delta';
}

export type WireTrade = {
  readonly price: Decimal;
  readonly text: string;
  readonly size: Micro | null;
  /** yes or no: the outcome the taker bought; null when not stated. */
  readonly takerSide: string | null;
};

const TAKER: Readonly<Record<string, string>> = { yes: 'yes', no: 'no', bid: 'yes', ask: 'no' };

export function readTrade(message: Json): WireTrade | string {
  const shape =
    TRADE_SHAPES.find(({ price, size }) => message[price] !== undefined && message[size] !== undefined) ??
    TRADE_SHAPES.find(({ price }) => message[price] !== undefined);
  if (!shape) return 'no yes price';
  const price = decimalOf(message[shape.price], shape.unit);
  if (!price) return `${shape.price} is not a price in range`;
  const count = message[shape.size];
  const size = count === undefined ? null : decimalOf(count);
  if (count !== undefined && !size) return `${shape.size} is not a size in range`;
  const taker = message['taker_outcome_side'] ?? message['taker_book_side'] ?? message['taker_side'];
  return {
    price,
    text: textOf(message[shape.price])!,
    size: size?.value ?? null,
    takerSide: typeof taker === 'string' && Object.hasOwn(TAKER, taker) ? TAKER[taker]! : null,
  };
}

/** Prices of a valid level: strictly inside the contract's 0 and 1. */
export const PRICE_BOUNDS: readonly [Micro, Micro] = [1, MICRO - 1];
