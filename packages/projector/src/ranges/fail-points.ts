// Where tests may stop the world. Production passes none.

import type { CursorKey, OffsetRange } from './cursor.ts';

export const FAIL_POINTS = ['afterIntent', 'afterInsert', 'beforeCursor', 'afterCursor'] as const;
export type FailPoint = (typeof FAIL_POINTS)[number];

/** afterInsert comes once per table, the others once per range. A throw ends the projector there. */
export type FailPoints = Partial<
  Readonly<Record<FailPoint, (key: CursorKey, range: OffsetRange) => void | Promise<void>>>
>;
