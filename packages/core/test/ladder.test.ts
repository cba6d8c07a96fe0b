import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextException } from '../src/events/events.ts';
import type { SideLevel } from '../src/market/ladder.ts';
import { Side, exceptionText } from '../src/market/ladder.ts';

const level = (price: number, size: number, text: SideLevel['text'] = null): SideLevel => ({
  price,
  size,
  text,
});

function exceptions(side: Side): TextException[] {
  const found: TextException[] = [];
  side.exceptions(found);
  return found;
}

describe('Side', () => {
  it('keeps bids high to low and asks low to high, whatever the order on the wire', () => {
    for (const [name, expected] of [
      ['bid', [30, 20, 10]],
      ['ask', [10, 20, 30]],
    ] as const) {
      const side = new Side(name);
      side.replace([level(20, 2), level(10, 1), level(30, 3)]);
      expect(side.prices).toEqual(expected);
      expect(side.sizes).toEqual(expected.map((price) => price / 10));
    }
  });

  it('keeps duplicates as they came, in the order of the venue, each with its own text', () => {
    const side = new Side('bid');
    side.replace([
      level(10, 1, { price: 'a', size: 'b' }),
      level(20, 2),
      level(10, 3, { price: 'c', size: 'd' }),
    ]);
    expect(side.prices).toEqual([20, 10, 10]);
    expect(side.sizes).toEqual([2, 1, 3]);
    expect(exceptions(side)).toEqual([
      { side: 'bid', level: 1, price: 'a', size: 'b' },
      { side: 'bid', level: 2, price: 'c', size: 'd' },
    ]);
  });

  it('counts duplicates together, and makes one of them when the price is set', () => {
    const side = new Side('ask');
    side.replace([level(10, 1), level(10, 3), level(20, 2)]);
    expect(side.sizeAt(10)).toBe(4);
    side.set(10, 7);
    expect([side.prices, side.sizes]).toEqual([
      [10, 20],
      [7, 2],
    ]);
    side.replace([level(10, 1), level(10, 3)]);
    side.set(10, 0);
    expect(side.prices).toEqual([]);
  });

  it('forgets the text of a level that is set without one, and moves the others with their levels', () => {
    const side = new Side('ask');
    side.replace([level(20, 1, { price: '.2', size: '1' }), level(30, 1)]);
    side.set(10, 5);
    expect(exceptions(side)).toEqual([{ side: 'ask', level: 1, price: '.2', size: '1' }]);
    side.set(40, 5, { price: '.4', size: '5' });
    expect(exceptions(side)).toEqual([
      { side: 'ask', level: 1, price: '.2', size: '1' },
      { side: 'ask', level: 3, price: '.4', size: '5' },
    ]);
    side.set(20, 6);
    expect(exceptions(side)).toEqual([{ side: 'ask', level: 3, price: '.4', size: '5' }]);
    side.set(40, 0);
    expect(exceptions(side)).toEqual([]);
    side.clear();
    expect([side.prices, side.sizes]).toEqual([[], []]);
  });

  it('removing a price that is not there changes nothing', () => {
    const side = new Side('bid');
    side.replace([level(20, 1)]);
    side.set(10, 0);
    expect(side.prices).toEqual([20]);
  });

  it('is a sorted map of price to size under any changes', () => {
    const change = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 3 }), fc.boolean());
    fc.assert(
      fc.property(fc.constantFrom('bid' as const, 'ask' as const), fc.array(change), (name, changes) => {
        const side = new Side(name);
        const model = new Map<number, { size: number; text: boolean }>();
        for (const [price, size, text] of changes) {
          side.set(price, size, text ? { price: String(price), size: String(size) } : null);
          if (size === 0) model.delete(price);
          else model.set(price, { size, text });
          expect(side.sizeAt(price)).toBe(size);
        }
        const expected = [...model].sort(([a], [b]) => (name === 'ask' ? a - b : b - a));
        expect(side.prices).toEqual(expected.map(([price]) => price));
        expect(side.sizes).toEqual(expected.map(([, { size }]) => size));
        expect(exceptions(side)).toEqual(
          expected.flatMap(([price, { size, text }], at) =>
            text ? [{ side: name, level: at, price: String(price), size: String(size) }] : [],
          ),
        );
      }),
    );
  });
});

describe('exceptionText', () => {
  it('is null where the formats give the text back, and the whole text elsewhere', () => {
    expect(exceptionText('0.4200', 420_000, '13.00', 13_000_000, '4', '2')).toBeNull();
    expect(exceptionText('42', 420_000, '13', 13_000_000, 'cents', '0')).toBeNull();
    expect(exceptionText('0.42', 420_000, '13.00', 13_000_000, '4', '2')).toEqual({
      price: '0.42',
      size: '13.00',
    });
    expect(exceptionText('0.4200', 420_000, '13', 13_000_000, '4', '2')).toEqual({
      price: '0.4200',
      size: '13',
    });
  });
});
