import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCursor, writeCursor } from '../src/answers/cursor.ts';

const SCOPE = {
  route: 'listVenueBSnapshots',
  generation: 1,
  filters: { market_ticker: 'KX', interval: '1m' },
};
const KEY = [1_794_700_800_000_000, 42, 'yes'];

describe('cursors', () => {
  test('come back as they were', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.maxSafeInteger(), fc.string()), { minLength: 1, maxLength: 3 }),
        (key) => {
          expect(readCursor('s', SCOPE, writeCursor('s', SCOPE, key))).toEqual(key);
        },
      ),
    );
  });
  test('a change of any character is noticed', () => {
    const cursor = writeCursor('s', SCOPE, KEY);
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(() => readCursor('s', SCOPE, changed)).toThrow(/not one of ours/);
    }
    for (const text of ['', 'x', '!!!!', `${cursor}A`, ` ${cursor}`, `${cursor}=`])
      expect(() => readCursor('s', SCOPE, text)).toThrow(/not one of ours/);
  });
  test('another route, other filters, another build or another secret: refused', () => {
    const cursor = writeCursor('s', SCOPE, KEY);
    for (const scope of [
      { ...SCOPE, route: 'listVenueCSnapshots' },
      { ...SCOPE, generation: 2 },
      { ...SCOPE, filters: { ...SCOPE.filters, interval: '5m' } },
      { ...SCOPE, filters: { market_ticker: 'KX' } },
    ])
      expect(() => readCursor('s', scope, cursor)).toThrow(/not one of ours/);
    expect(() => readCursor('t', SCOPE, cursor)).toThrow(/not one of ours/);
  });
  test('the order of filters does not matter', () => {
    const cursor = writeCursor('s', SCOPE, KEY);
    expect(
      readCursor(
        's',
        { ...SCOPE, filters: { interval: '1m', market_ticker: 'KX', status: undefined } },
        cursor,
      ),
    ).toEqual(KEY);
  });
});
