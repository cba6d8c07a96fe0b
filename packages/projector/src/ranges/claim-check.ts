// Whether a cursor, the log and the tables belong together. What does not is refused rather than patched up: rebuild.

import type { Projection } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';

import type { Claim } from './cursor.ts';
import { hasRows } from './tables.ts';

export async function checkClaim(
  places: {
    readonly store: Pick<Store, 'query'>;
    readonly projections: readonly Projection[];
    readonly fingerprint: string;
  },
  claim: Claim,
  log: { readonly begin: number; readonly end: number },
): Promise<void> {
  const { store, projections, fingerprint } = places;
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
      `the tables have ${key.topic}/${key.partition}/${known}, the log ends at ${log.end}: it is not the log they were built from`,
      { details: { ...key, hwm: known, end: log.end } },
    );
  // Cursors and tables must have begun together: else rows would be missed, or come twice.
  const projected = cursor.hwm >= log.begin;
  if (!fresh && !projected) return;
  if ((await hasRows(store, projections, generation, fresh ? key : null)) === fresh)
    throw new LadderlogError(
      'TABLES_FOREIGN',
      fresh
        ? `generation ${generation} has rows of ${key.topic}/${key.partition} that no cursor knows: rebuild`
        : `the cursors of generation ${generation} are ahead of tables without rows: rebuild`,
      { details: { ...key } },
    );
}
