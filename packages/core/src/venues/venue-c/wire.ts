// Venue C speaks Polymarket's dialect: the CLOB market channel (WebSocket), the CLOB REST books and the Gamma catalogue.
// What it may send, and what it used to send, as lists: a format change is a new entry here.

import type { JsonObject } from '../../kernel/exact-json.ts';
import { isObject, textOf } from '../../kernel/exact-json.ts';
import type { Level } from '../shared/wire-levels.ts';
import { readLevel } from '../shared/wire-levels.ts';

/** Text frames that are not JSON. */
const PLAIN_TEXT: ReadonlyMap<string, string> = new Map([
  ['PONG', 'pong'],
  ['PING', 'ping'],
  ['NO NEW ASSETS', 'no_new_assets'],
]);

/** Long frames are not looked up: hashing them would cost as much as reading them. */
export const plainText = (text: string): string | undefined =>
  text.length > 20 ? undefined : PLAIN_TEXT.get(text.trim());

const MESSAGE_KINDS = [
  'book',
  'price_change',
  'last_trade_price',
  'tick_size_change',
  'best_bid_ask',
  'new_market',
  'market_resolved',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** Names of the two sides of a full book. An initial book may lack `event_type`; these fields then say what it is. */
const BOOK_SHAPES = [
  { bid: 'bids', ask: 'asks' },
  { bid: 'buys', ask: 'sells' }, // seen by an older recorder on initial dumps
] as const;
export type BookShape = (typeof BOOK_SHAPES)[number];

export const bookShapeOf = (message: JsonObject): BookShape | null =>
  BOOK_SHAPES.find((shape) => shape.bid in message || shape.ask in message) ?? null;

export type WireChange = {
  readonly token: string | null;
  readonly side: unknown;
  readonly price: string | null;
  readonly size: string | null;
};

/** How a price_change was written, newest first. Told apart by shape: archives overlap the dates. */
export type ChangeShape = {
  readonly name: string;
  /** When the venue used it; null: not known. */
  readonly since: string | null;
  readonly until: string | null;
  readonly field: string;
  /** Null when the field does not hold changes. */
  changes(message: JsonObject): readonly WireChange[] | null;
  /** The hash of the book after the message, where this shape states one (the current one's is the order's). */
  hash(message: JsonObject): string | null;
};

const readChange = (entry: unknown, token: string | null): WireChange =>
  isObject(entry)
    ? {
        token: textOf(entry['asset_id']) ?? token,
        side: entry['side'],
        price: textOf(entry['price']),
        size: textOf(entry['size']),
      }
    : { token, side: null, price: null, size: null };

const readChanges = (entries: unknown, token: string | null): readonly WireChange[] | null =>
  Array.isArray(entries) ? entries.map((entry: unknown) => readChange(entry, token)) : null;

const CHANGE_SHAPES: readonly ChangeShape[] = [
  {
    name: 'price_changes',
    since: '2025-09-15T23:00:00Z',
    until: null,
    field: 'price_changes',
    changes: (message) => readChanges(message['price_changes'], null),
    hash: () => null,
  },
  {
    name: 'changes',
    since: null,
    until: '2025-09-15T23:00:00Z',
    field: 'changes',
    changes: (message) => readChanges(message['changes'], textOf(message['asset_id'])),
    hash: (message) => textOf(message['hash']),
  },
  {
    name: 'flat',
    since: null,
    until: null, // before `changes`; the date is not known
    field: 'price',
    changes: (message) => [readChange(message, null)],
    hash: (message) => textOf(message['hash']),
  },
];

export const changeShapeOf = (message: JsonObject): ChangeShape | null =>
  CHANGE_SHAPES.find((shape) => shape.field in message) ?? null;

/** What a message is: by `event_type`, or by its shape where that is missing. */
export function kindOf(message: JsonObject): MessageKind | null {
  const stated = message['event_type'];
  if (stated !== undefined) return MESSAGE_KINDS.find((kind) => kind === stated) ?? null;
  if (bookShapeOf(message)) return 'book';
  return 'price_changes' in message || 'changes' in message ? 'price_change' : null;
}

/** BUY sets bids, SELL sets asks. */
const SIDES: ReadonlyMap<string, 'bid' | 'ask'> = new Map([
  ['BUY', 'bid'],
  ['SELL', 'ask'],
]);

export const sideOf = (side: unknown): 'bid' | 'ask' | undefined =>
  SIDES.get((textOf(side) ?? '').toUpperCase());

/** Null when the side is missing or any level of it cannot be read: part of a book is not the book. */
export function readSide(levels: unknown): Level[] | null {
  if (!Array.isArray(levels)) return null;
  const read: Level[] = [];
  for (const entry of levels as readonly unknown[]) {
    const level = isObject(entry) ? readLevel(textOf(entry['price']), textOf(entry['size'])) : null;
    if (level === null) return null;
    read.push(level);
  }
  return read;
}
