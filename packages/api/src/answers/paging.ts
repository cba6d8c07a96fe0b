// Cursors of one request: what it carries, and how the next one is written. The filters are those the client sent, so a cursor
// cannot be used with others.

import type { Context } from '../server/context.ts';
import { text } from '../server/context.ts';
import type { CursorKey, CursorScope } from './cursor.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { LadderlogError, parseIso, parsePosition } from '@ladderlog/core';

export type Paging = {
  readonly generation: number;
  /** Sort key of the last record of the page before; null on the first page. */
  readonly after: CursorKey | null;
  write(key: CursorKey): string;
};

/** Neither changes which records there are, only how many at a time. */
const NOT_A_FILTER: ReadonlySet<string> = new Set(['cursor', 'limit']);

export async function cursorFor(context: Context): Promise<Paging> {
  const { parts } = context;
  const generation = await parts.generation();
  const scope: CursorScope = {
    route: context.operation.name,
    generation,
    filters: { ...context.params, ...filtersOf(context) },
  };
  const given = text(context, 'cursor');
  return {
    generation,
    after: given === null ? null : readCursor(parts.cursorSecret, scope, given),
    write: (key) => writeCursor(parts.cursorSecret, scope, key),
  };
}

export const filtersOf = (context: Context): Record<string, unknown> =>
  Object.fromEntries(Object.entries(context.query).filter(([name]) => !NOT_A_FILTER.has(name)));

export type RecordKey = { readonly observedAt: number; readonly offset: number; readonly outcome: string };

/** The sort key of a record the engine printed. */
export function keyOfRecord(line: Uint8Array): RecordKey {
  const record = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.length).toString()) as {
    timestamp: string;
    position: string;
    outcome_id: string;
  };
  const observedAt = parseIso(record.timestamp);
  const position = parsePosition(record.position);
  if (observedAt === null || position === null)
    throw new LadderlogError('INTERNAL', 'a record of the store has no sort key');
  return { observedAt, offset: position.offset, outcome: record.outcome_id };
}
