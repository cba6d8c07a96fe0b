// Where tests stop a projector: its ports, wrapped. Nothing of this is in the projector itself.

import { LadderlogError } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';

import type { CursorKey, CursorStore, OffsetRange } from '../src/index.ts';

export const FAIL_POINTS = ['afterIntent', 'afterInsert', 'beforeCursor', 'afterCursor'] as const;
export type FailPoint = (typeof FAIL_POINTS)[number];

/** afterInsert comes once per table, the others once per range; the range is the one intended last. */
export type FailPoints = Partial<
  Readonly<Record<FailPoint, (key: CursorKey, range: OffsetRange) => void | Promise<void>>>
>;

/** A throw of a fail point is the end: from then on no port does anything, as if the process were gone. */
export function withFailPoints<S extends Pick<Store, 'insertRowBinary' | 'query'>>(
  ports: { readonly store: S; readonly cursors: CursorStore },
  points: FailPoints,
): { readonly store: S; readonly cursors: CursorStore } {
  const { store, cursors } = ports;
  let dead: LadderlogError | null = null;
  let last: { key: CursorKey; range: OffsetRange } | null = null;

  const reach = async (point: FailPoint): Promise<void> => {
    try {
      if (last) await points[point]?.(last.key, last.range);
    } catch (error) {
      dead ??= new LadderlogError('INTERNAL', (error as Error).message, { cause: error });
      throw dead;
    }
  };
  const alive = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) throw dead;
    return work();
  };
  return {
    store: {
      ...store,
      query: (...asked: Parameters<Store['query']>) => alive(() => store.query(...asked)),
      insertRowBinary: (...insert: Parameters<Store['insertRowBinary']>) =>
        alive(async () => {
          await store.insertRowBinary(...insert);
          await reach('afterInsert');
        }),
    },
    cursors: withCursors(cursors, {
      claim: (...claim) => alive(() => cursors.claim(...claim)),
      owns: (claim) => alive(() => cursors.owns(claim)),
      intend: (claim, range) =>
        alive(async () => {
          const ours = await cursors.intend(claim, range);
          last = { key: claim.key, range };
          await reach('afterIntent');
          return ours;
        }),
      advance: (claim, hwm) =>
        alive(async () => {
          await reach('beforeCursor');
          const ours = await cursors.advance(claim, hwm);
          await reach('afterCursor');
          return ours;
        }),
    }),
  };
}

/** The same cursors with some of their functions replaced. */
export const withCursors = (cursors: CursorStore, changes: Partial<CursorStore>): CursorStore =>
  Object.assign(Object.create(cursors) as CursorStore, changes);
