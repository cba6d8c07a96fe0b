// Whether a cursor, the log and the tables belong together. What does not is refused rather than patched up: rebuild.

import { LadderlogError, partitionName } from '@ladderlog/core';
import { anyRow } from '@ladderlog/store';

import type { Claim } from './cursor.ts';
import type { Bounds } from './log-bounds.ts';
import type { Places } from './places.ts';

export async function checkClaim(
  places: Places,
  fingerprint: string,
  claim: Claim,
  log: Bounds,
): Promise<void> {
  const { cursor, key, fresh } = claim;
  const { generation } = key;
  if (cursor.fingerprint !== fingerprint)
    throw new LadderlogError(
      'PROJECTIONS_CHANGED',
      `generation ${generation} was built by ${cursor.fingerprint}, not by ${fingerprint}: rebuild`,
      { details: { generation } },
    );
  const known = Math.max(cursor.hwm, cursor.pending?.last ?? -1);
  if (known >= log.end)
    throw new LadderlogError(
      'LOG_OFFSET_OUT_OF_RANGE',
      `the tables have ${partitionName(key)}/${known}, the log ends at ${log.end}: it is not the log they were built from`,
      { details: { ...key, hwm: known, end: log.end } },
    );
  // Cursors and tables must have begun together: else rows would be missed, or come twice.
  const projected = cursor.hwm >= log.begin;
  if (!fresh && !projected) return;
  if ((await hasRows(places, fresh ? key : { generation })) === fresh)
    throw new LadderlogError(
      'TABLES_FOREIGN',
      fresh
        ? `generation ${generation} has rows of ${partitionName(key)} that no cursor knows: rebuild`
        : `the cursors of generation ${generation} are ahead of tables without rows: rebuild`,
      { details: { ...key } },
    );
}

async function hasRows({ store, projections }: Places, of: Parameters<typeof anyRow>[1]): Promise<boolean> {
  for (const { table } of projections)
    if ((await store.query(anyRow(table, of), { name: 'has-rows', deadlineMs: 60_000 })).length > 0)
      return true;
  return false;
}
