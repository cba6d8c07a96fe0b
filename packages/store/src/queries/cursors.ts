// Where the projectors of a server are (projection_cursors): one row per revision of a cursor, the newest counts.

import { quoteText } from './sql.ts';
import type { Query } from '../store.ts';
import type { PartitionKey } from './log-rows.ts';
import { OF_PARTITION } from './log-rows.ts';

export type CursorRow = PartitionKey & {
  readonly epoch: number;
  readonly revision: number;
  readonly owner: string;
  readonly hwm: number;
  readonly pending_first: number | null;
  readonly pending_last: number | null;
  readonly fingerprint: string;
};

const COLUMNS =
  'generation, topic, partition, epoch, revision, owner, hwm, pending_first, pending_last, fingerprint';

/** Answers CursorRows: of a partition, or of all that the generation has. */
export const cursorRows = (of: PartitionKey | { readonly generation: number }): Query => ({
  sql: `SELECT ${COLUMNS} FROM projection_cursors FINAL
WHERE ${'topic' in of ? OF_PARTITION : 'generation = {generation:UInt32}'} ORDER BY generation, topic, partition`,
  params: { ...of },
});

/** Answers `generation`: every number that ever had a cursor. */
export const CURSOR_GENERATIONS = 'SELECT DISTINCT generation FROM projection_cursors ORDER BY generation';

/** Of all inserts of one revision of a cursor, one gets in: they share a token. */
export function insertCursor(row: CursorRow): string {
  const { generation, topic, partition, epoch, revision, owner, hwm, fingerprint } = row;
  const token = `cursor:g${generation}:${topic}:${partition}:${revision}`;
  return `INSERT INTO projection_cursors (${COLUMNS})
SETTINGS async_insert = 0, insert_deduplicate = 1, insert_deduplication_token = ${quoteText(token)}
VALUES (${generation}, ${quoteText(topic)}, ${partition}, ${epoch}, ${revision}, ${quoteText(owner)}, ${hwm},
  ${row.pending_first ?? 'NULL'}, ${row.pending_last ?? 'NULL'}, ${quoteText(fingerprint)})`;
}
