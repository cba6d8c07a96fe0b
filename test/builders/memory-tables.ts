// Tables in memory: rows as the projections give them, merged as the projections say that the engine merges.

import type { LadderEvent, Position, Projection, StoredRow, TableName, TableRow } from '@ladderlog/core';
import { PROJECTIONS, isNewer } from '@ladderlog/core';

export function memoryTable<T extends TableName>(
  table: T,
  events: readonly { readonly event: LadderEvent; readonly position: Position }[],
): StoredRow<T>[] {
  const projection = PROJECTIONS.find((one) => one.table === table) as unknown as Projection<T>;
  const rows = new Map<string, TableRow<T>>();
  for (const { event, position } of events) {
    if (!projection.handles.includes(event.type)) continue;
    for (const row of projection.project(event, position)) {
      const key =
        projection.newestBy?.(event) ??
        projection.merging?.key(row) ??
        `${position.topic}/${position.offset}`;
      const before = rows.get(key);
      if (before && projection.merging) rows.set(key, projection.merging.merge(before, row));
      else if (!before || !projection.newestBy || replaces(row, before)) rows.set(key, row);
    }
  }
  return [...rows.values()] as StoredRow<T>[];
}

function replaces(row: object, before: object): boolean {
  const [a, b] = [row, before] as { observed_at: number; offset: number }[];
  return isNewer(a!.observed_at, a!.offset, b!.observed_at, b!.offset);
}
