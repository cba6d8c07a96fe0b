import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adapterOf, feeOf } from '../../src/index.ts';
import { ratio, times } from '../../src/backtest/amounts.ts';

const taker = (price: number, size: number, marketBps: number | null = null) => ({
  price,
  size,
  liquidity: 'taker' as const,
  marketBps,
});

describe('fees', () => {
  test("venue B's published examples: ceil to the cent of 0.07 C p (1 − p)", () => {
    const fee = (price: number, contracts: number) =>
      feeOf(adapterOf('venueb').trading.fees, taker(price * 10_000, contracts * 1_000_000)) / 10_000;
    expect(fee(50, 100)).toBe(175); // $1.75
    expect(fee(50, 1)).toBe(2); // 1.75 ¢ up
    expect(fee(1, 100)).toBe(7); // 6.93 ¢ up
    expect(fee(99, 100)).toBe(7);
    expect(fee(20, 100)).toBe(112); // exactly $1.12: not pushed over
  });

  test("venue A: the market's own rate, else the default, of what is paid", () => {
    expect(feeOf(adapterOf('venuea').trading.fees, taker(500_000, 10_000_000))).toBe(100_000);
    expect(feeOf(adapterOf('venuea').trading.fees, taker(500_000, 10_000_000, 100))).toBe(50_000);
    expect(
      feeOf(adapterOf('venuea').trading.fees, { ...taker(500_000, 10_000_000), liquidity: 'maker' }),
    ).toBe(0);
  });

  test('venue C: none by default', () => {
    expect(feeOf(adapterOf('venuec').trading.fees, taker(500_000, 10_000_000))).toBe(0);
  });
});

describe('products of amounts', () => {
  test('are exact beyond the safe integers', () => {
    expect(times(999_999, 9_000_000_000_000_001, 'down')).toBe(8_999_991_000_000_000);
    expect(times(999_999, 9_000_000_000_000_001, 'up')).toBe(8_999_991_000_000_001);
    expect(() => ratio(Number.MAX_SAFE_INTEGER, 2, 1, 'down')).toThrow(/out of range/);
  });

  test('agree with whole-number arithmetic, rounded as asked', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(1_000_000), (a, b) => {
        const product = BigInt(a) * BigInt(b);
        const down = Number(product / 1_000_000n);
        expect(times(a, b, 'down')).toBe(down);
        expect(times(a, b, 'up')).toBe(down + (product % 1_000_000n > 0n ? 1 : 0));
      }),
    );
  });
});
