// Venue A speaks Binance Wallet Prediction's dialect (signed REST and WebSocket, decimal strings) and, as fallback, that of the
// exchange behind it, predict.fun (JSON numbers). What they may send, as lists.

import type { JsonObject } from '../../kernel/exact-json.ts';
import { arrayOf, isObject, textOf } from '../../kernel/exact-json.ts';
import type { Level } from '../shared/wire-levels.ts';
import { readLevel } from '../shared/wire-levels.ts';

/** Envelopes on the sockets, by `type`. */
const ENVELOPES = {
  COMMAND: 'command',
  TOPIC: 'topic',
  PING: 'ping',
  PONG: 'pong',
  R: 'reply',
  M: 'message',
} as const;
export type Envelope = (typeof ENVELOPES)[keyof typeof ENVELOPES];

export const envelopeOf = (message: JsonObject): Envelope | null => {
  const type = message['type'];
  return typeof type === 'string' && Object.hasOwn(ENVELOPES, type)
    ? ENVELOPES[type as keyof typeof ENVELOPES]
    : null;
};

/** How the venue writes its ping and pong is not published: as text they are no book either, nor is nothing at all. */
export const isHeartbeat = (text: string): boolean =>
  text.length <= 8 && /^\s*(?:ping|pong)?\s*$/i.test(text);

/** Binance's stream of one market's book, or of all; predict.fun's of one market. */
export const BOOK_TOPICS = {
  one: /^web3_prediction_orderbook_(\d+)$/,
  all: 'web3_prediction_orderbook_data',
  own: /^web3_prediction_pm_/, // the user's own orders: not market data
  predictFun: /^predictOrderbook\/(\d+)$/,
} as const;

/** A market of predict.fun whose number is that of another market of venue A: a name of its own, so that the two do not meet. */
export const predictFunMarket = (id: string): string => `predictfun-${id}`;

/** Ways a level is written: a pair on the sockets and at predict.fun, an object in venue A's REST book. */
const LEVEL_SHAPES: readonly ((level: unknown) => readonly [unknown, unknown] | null)[] = [
  (level) => (Array.isArray(level) && level.length >= 2 ? [level[0], level[1]] : null),
  (level) => (isObject(level) ? [level['price'], level['size']] : null),
];

/** Null when the side is missing or any level of it cannot be read: part of a book is not the book. */
export function readSide(levels: unknown): Level[] | null {
  if (!Array.isArray(levels)) return null;
  const read: Level[] = [];
  for (const entry of levels as readonly unknown[]) {
    let level: Level | null = null;
    for (const shape of LEVEL_SHAPES) {
      const pair = shape(entry);
      if (pair) level = readLevel(textOf(pair[0]), textOf(pair[1]));
      if (level) break;
    }
    if (level === null) return null;
    read.push(level);
  }
  return read;
}

/** True where plain JSON.parse has changed something: levels as numbers, or an id that a double cannot hold. */
export function lostDigits(book: JsonObject): boolean {
  if (typeof book['marketId'] === 'number' && !Number.isSafeInteger(book['marketId'])) return true;
  return [book['bids'], book['asks']].some((side) =>
    arrayOf(side).some((level) => Array.isArray(level) && level.some((part) => typeof part === 'number')),
  );
}

/** Labels of the first and the second outcome of a binary contract, where no catalogue says which token is which. */
export const OUTCOME_LABELS: ReadonlyMap<string, '0' | '1'> = new Map([
  ['up', '0'],
  ['yes', '0'],
  ['down', '1'],
  ['no', '1'],
]);
