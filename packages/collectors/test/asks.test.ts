import { describe, expect, test } from 'vitest';

import { Asks } from '../src/recorder/asks.ts';

const MARKET = 'M';
/** Unanswered questions until a reconnect, on a new connection. */
function questions(asks: Asks): number {
  asks.begin();
  for (let asked = 0; ; asked++) {
    if (asks.inVain(MARKET)) return asked;
    asks.miss(MARKET, asked);
  }
}

describe('a book that was asked for in vain', () => {
  test('is worth a new connection, and less and less so when that does not bring it either', () => {
    const asks = new Asks();
    const patience: number[] = [];
    for (let connection = 0; connection < 4; connection++) {
      patience.push(questions(asks));
      asks.reconnect(MARKET);
    }
    expect(patience).toEqual([3, 12, 48, 192]);
  });

  test('is forgotten when it came', () => {
    const asks = new Asks();
    questions(asks);
    asks.reconnect(MARKET);
    asks.keepOnly(new Set(['other']));
    expect(asks.lastAt(MARKET)).toBe(0);
    expect(questions(asks)).toBe(3);
  });

  test('is not lost because it was asked for often in a short while', () => {
    const asks = new Asks();
    asks.begin();
    for (let at = 1; at <= 100; at++) asks.ask(MARKET, at);
    expect(asks.inVain(MARKET)).toBe(false);
    expect(asks.lastAt(MARKET)).toBe(100);
  });
});
