import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextFormat } from '../src/kernel/decimal.ts';
import {
  MAX_MICRO,
  complement,
  decimal,
  formatMicro,
  formatOf,
  parseDecimal,
  parseMicro,
} from '../src/kernel/decimal.ts';

const micro = fc.integer({ min: -MAX_MICRO, max: MAX_MICRO });
const FORMATS: readonly TextFormat[] = [
  'cents',
  'min',
  '.min',
  ...(['0', '1', '2', '3', '4', '5', '6'] as const),
  ...(['.1', '.2', '.3', '.4', '.5', '.6'] as const),
];

/** Independent of the code under test: digits shifted in BigInt, rounded half away from zero. */
function oracle(text: string): { value: bigint; exact: boolean } {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text)!;
  const digits = BigInt(whole + fraction) * 10n ** 400n;
  const scaled = digits * 10n ** BigInt(Number(exponent) + 206) * 10n ** BigInt(200 - fraction.length);
  const unit = 10n ** 800n;
  const floor = scaled / unit;
  const rest = scaled % unit;
  const value = rest * 2n >= unit ? floor + 1n : floor;
  return { value: sign === '-' ? -value : value, exact: rest === 0n };
}

const same = (expected: { value: bigint; exact: boolean }, value: number): boolean =>
  expected.exact && expected.value === BigInt(value);

const plainDecimal = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.stringMatching(/^\d{0,12}$/),
    fc.option(fc.stringMatching(/^\d{0,12}$/), { nil: null }),
    fc.option(fc.integer({ min: -20, max: 8 }), { nil: null }),
  )
  .filter(([, whole, fraction]) => whole.length + (fraction?.length ?? 0) > 0)
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
  );

describe('parseDecimal', () => {
  it.each([
    ['0', 0, true],
    ['1', 1_000_000, true],
    ['.48', 480_000, true],
    ['5.', 5_000_000, true],
    ['0.0000015', 2, false],
    ['-0.0000015', -2, false],
    ['0.00000149', 1, false],
    ['0.1000000000', 100_000, true],
    ['219.217767', 219_217_767, true],
    ['1e-6', 1, true],
    ['3E7', 30_000_000_000_000, true],
    ['9007199254.74099', MAX_MICRO, true],
    ['-9007199254.74099', -MAX_MICRO, true],
    ['30192.260000000002', 30_192_260_000, false],
  ])('reads %s', (text, value, exact) => {
    expect(parseDecimal(text)).toEqual({ value, exact });
  });

  it.each([
    '',
    '.',
    '-',
    '+.',
    'e5',
    '1e',
    ' 1',
    '1 ',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '1.2.3',
    '--1',
    '9007199254.740991',
    '1e30',
    '1e999',
    '9'.repeat(200),
  ])('refuses %s', (text) => {
    expect(parseDecimal(text)).toBeNull();
    expect(() => decimal(text)).toThrow(expect.objectContaining({ code: 'BAD_DECIMAL' }));
  });

  it('agrees with exact arithmetic on any decimal text', () => {
    fc.assert(
      fc.property(plainDecimal, (text) => {
        const { value, exact } = oracle(text);
        const inRange = value <= BigInt(MAX_MICRO) && value >= -BigInt(MAX_MICRO);
        expect(parseDecimal(text)).toEqual(inRange ? { value: Number(value), exact } : null);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, and gives safe integers only', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const parsed = parseDecimal(text);
        expect(parsed === null || Number.isSafeInteger(parsed.value)).toBe(true);
        expect(Object.is(parsed?.value, -0)).toBe(false);
      }),
    );
  });

  it('takes the fast path only where it is exact', () => {
    fc.assert(
      fc.property(plainDecimal, (text) => {
        const fast = parseMicro(text);
        expect(fast === null || same(oracle(text), fast)).toBe(true);
      }),
    );
    expect(parseMicro('0.1234567')).toBeNull();
  });
});

describe('formatMicro', () => {
  it.each<[number, TextFormat, string]>([
    [0, 'min', '0'],
    [0, '4', '0.0000'],
    [0, '.2', '.00'],
    [480_000, '.min', '.48'],
    [480_000, '4', '0.4800'],
    [-480_000, '.min', '-.48'],
    [1_000_000, '.2', '1.00'],
    [123_456, '2', '0.123456'],
    [13_000_000, '0', '13'],
    [13_000_000, '2', '13.00'],
    [420_000, 'cents', '42'],
    [425_000, 'cents', '42.5'],
    [1, 'cents', '0.0001'],
    [-6445_030_000, '2', '-6445.03'],
    [MAX_MICRO, 'min', '9007199254.74099'],
    // Dividing first would round this up to 9000000000.
    [8_999_999_999_999_999, 'min', '8999999999.999999'],
  ])('writes %d as %s: %s', (value, format, text) => {
    expect(formatMicro(value, format)).toBe(text);
  });

  it('is read back as the same value in every format', () => {
    fc.assert(
      fc.property(micro, fc.constantFrom(...FORMATS), (value, format) => {
        const text = formatMicro(value, format);
        const read = oracle(format === 'cents' ? `${text}e-2` : text);
        expect(read).toEqual({ value: BigInt(value), exact: true });
      }),
    );
  });

  it('gives back any text that was written in a format, by the format the text shows', () => {
    fc.assert(
      fc.property(micro, fc.constantFrom(...FORMATS.filter((name) => name !== 'cents')), (value, format) => {
        const text = formatMicro(value, format);
        expect(formatMicro(value, formatOf(text))).toBe(text);
      }),
    );
  });

  it('names min for text that no format gives', () => {
    for (const text of ['1e5', '5.', '0.1234567', '']) expect(formatOf(text)).toBe('min');
  });
});

describe('complement', () => {
  it('is exact and its own inverse', () => {
    expect(complement(111_500)).toBe(888_500);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (price) => {
        expect(complement(complement(price))).toBe(price);
        expect(price + complement(price)).toBe(1_000_000);
      }),
    );
  });
});
