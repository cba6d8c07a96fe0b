import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextFormat } from '../../src/kernel/decimal.ts';
import { formatMicro, parseDecimal } from '../../src/kernel/decimal.ts';
import {
  composeBook,
  conforms,
  measureDrift,
  readLevel,
  shapeOf,
} from '../../src/venues/shared/wire-levels.ts';

const FORMATS: readonly TextFormat[] = [
  ...(['min', '.min', '0', '1', '2', '3', '4', '5', '6'] as const),
  ...(['.1', '.2', '.3', '.4', '.5', '.6'] as const),
];

describe('the shape of a text', () => {
  it('says for every format what writing the value in it would say', () => {
    const text = fc.oneof(
      fc.stringMatching(/^\d{0,9}(\.\d{0,8})?$/),
      fc.stringMatching(/^[-+]?0{0,2}\d{0,3}(\.\d{0,4}0{0,3})?(e[-+]?[0-2])?$/),
    );
    fc.assert(
      fc.property(text, (written) => {
        const parsed = parseDecimal(written);
        fc.pre(parsed !== null);
        // A negative text is an exception in every format.
        const sameIn = (format: TextFormat): boolean =>
          !written.startsWith('-') && formatMicro(parsed.value, format) === written;
        const shape = shapeOf(written);
        expect(FORMATS.filter((format) => conforms(shape, format))).toEqual(FORMATS.filter(sameIn));
      }),
      { numRuns: 2_000 },
    );
  });

  it('chooses the format with the fewest exceptions', () => {
    const levels = (texts: string[]) => texts.map((text, at) => readLevel(`0.${at + 1}`, text)!);
    const chosen = (texts: string[]) => composeBook(levels(texts), []).sizeFormat;
    expect(chosen(['0.50', '0.51', '0.49'])).toBe('2');
    expect(chosen(['0.5', '0.51', '7'])).toBe('min');
    expect(chosen(['.5', '.51', '7'])).toBe('.min');
    expect(chosen(['1.0', '2.0', '3.25', '4'])).toBe('1');
    expect(composeBook(levels(['1.0', '2.0', '4']), []).exceptions).toEqual([
      { side: 'bid', level: 0, price: '0.3', size: '4' },
    ]);
  });

  it('measures both sides of two books', () => {
    const side = (...levels: [string, string][]) => levels.map(([price, size]) => readLevel(price, size)!);
    const ours = composeBook(side(['0.5', '1'], ['0.4', '2']), side(['0.6', '3']));
    const theirs = composeBook(side(['0.5', '1'], ['0.3', '2']), side(['0.6', '1']));
    expect(measureDrift(ours, theirs)).toEqual({
      levelsOurs: 3,
      levelsTheirs: 3,
      levelsDiffering: 3,
      sizeDrift: 6_000_000,
      detail: 'bid 0.4: ours 2, theirs 0; ask 0.6: ours 3, theirs 1',
    });
  });
});
