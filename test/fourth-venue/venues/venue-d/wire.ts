// Venue D is made up: matches with three outcomes, asked for over REST. It has no socket, states no time of its books and
// numbers nothing. What it may send, as lists: a format change is a new entry here.

import { isObject, textOf } from '../../kernel/exact-json.ts';
import type { Level } from '../shared/wire-levels.ts';
import { readLevel } from '../shared/wire-levels.ts';

export const OUTCOMES = ['home', 'draw', 'away'] as const;

/** An outcome's book: `[price, size]` in texts, in any order. */
export type WireBook = {
  readonly bids: readonly [string, string][];
  readonly asks: readonly [string, string][];
};

/** Null when the side is missing or any level of it cannot be read: part of a book is not the book. */
export function readSide(levels: unknown): Level[] | null {
  if (!Array.isArray(levels)) return null;
  const read: Level[] = [];
  for (const entry of levels as readonly unknown[]) {
    const level = Array.isArray(entry) ? readLevel(textOf(entry[0]), textOf(entry[1])) : null;
    if (level === null) return null;
    read.push(level);
  }
  return read;
}

export type Route =
  | { readonly read: 'matches' }
  | { readonly read: 'match' }
  | { readonly read: 'book'; readonly match: string };

/** What a REST path asks for; null: the path is not known. */
export function routeOf(path: string): Route | null {
  if (path === '/matches') return { read: 'matches' };
  const [, match, book] = /^\/matches\/([^/]+)(\/book)?$/.exec(path) ?? [];
  if (match === undefined) return null;
  return book === undefined ? { read: 'match' } : { read: 'book', match: decodeURIComponent(match) };
}

/** The venue's own words for what went wrong: `{"error":"no such match"}`. */
export const errorOf = (answer: unknown): string | null =>
  isObject(answer) ? textOf(answer['error']) : null;
