import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { OffsetCounts } from '../src/audit/clock-offsets.ts';

test('quantiles are those of the sorted offsets, within a hundredth', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -5_000_000, max: 5_000_000_000 }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0, 0.01, 0.5, 0.9, 0.99, 1),
      (offsets, part) => {
        const counts = new OffsetCounts();
        for (const offset of offsets) counts.add(offset);
        const sorted = [...offsets].sort((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]!;
        expect(Math.abs(counts.quantile(part)! - exact)).toBeLessThanOrEqual(Math.abs(exact) * 0.01 + 1);
      },
    ),
  );
});

test('nothing counted, nothing claimed', () => {
  expect(new OffsetCounts().quantile(0.5)).toBeNull();
});
