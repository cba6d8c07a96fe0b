// The venues' own spellings of a number.

import type { Micro } from '../../kernel/decimal.ts';
import { parseDecimal } from '../../kernel/decimal.ts';
import { textOf } from '../../kernel/exact-json.ts';

/** A decimal as text or JSON number, to the nearest 1e-6; null when it is none. */
export const microOf = (value: unknown): Micro | null => {
  const text = textOf(value);
  return text === null ? null : (parseDecimal(text)?.value ?? null);
};
