// Where tests stop a projector: its ports, wrapped. Nothing of this is in the projector itself.

import { LadderlogError } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';

import type { CursorKey, CursorStore, OffsetRange } from '../src/index.ts';
import type { ClaimedRange, CursorSets } from '../src/ranges/cursor.ts';

export const FAIL_POINTS = ['afterIntent', 'afterInsert', 'beforeCursor', 'afterCursor'] as const;
export type FailPoint = (typeof FAIL_POINTS)[number];

/** afterInsert comes once per table, the others once per range or set; the range is the one intended last, of a set its first. */
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
  const intend = (ranges: readonly ClaimedRange[], work: () => Promise<boolean>): Promise<boolean> =>
    alive(async () => {
      const ours = await work();
      last = { key: ranges[0]!.claim.key, range: ranges[0]!.range };
      await reach('afterIntent');
      return ours;
    });
  const advance = (work: () => Promise<boolean>): Promise<boolean> =>
    alive(async () => {
      await reach('beforeCursor');
      const ours = await work();
      await reach('afterCursor');
      return ours;
    });
  const withSets = (sets: CursorSets): CursorSets => ({
    claim: (...claim) => alive(() => sets.claim(...claim)),
    owns: (claims) => alive(() => sets.owns(claims)),
    intend: (ranges, set) => intend(ranges, () => sets.intend(ranges, set)),
    advance: (ranges) => advance(() => sets.advance(ranges)),
  });
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
      ...(cursors.sets ? { sets: withSets(cursors.sets) } : {}),
      claim: (...claim) => alive(() => cursors.claim(...claim)),
      owns: (claim) => alive(() => cursors.owns(claim)),
      intend: (claim, range) => intend([{ claim, range }], () => cursors.intend(claim, range)),
      advance: (claim, hwm) => advance(() => cursors.advance(claim, hwm)),
    }),
  };
}

/** The same cursors with some of their functions replaced. */
export const withCursors = (cursors: CursorStore, changes: Partial<CursorStore>): CursorStore =>
  Object.assign(Object.create(cursors) as CursorStore, changes);
