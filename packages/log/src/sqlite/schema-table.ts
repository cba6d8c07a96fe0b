// The file's own registry: every schema that any version wrote with, by number.

import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { EventType } from '@ladderlog/core';
import { EVENT_TYPES, LadderlogError } from '@ladderlog/core';
import type { SchemaIds } from '../avro/codec.ts';
import { EVENT_SCHEMAS } from '../avro/schemas.ts';
import { transaction } from './file.ts';

/** Whether the file knows all schemas that this version writes. Who only reads needs none of them there. */
export const hasSchemas = (db: DatabaseSync): boolean => ownIds(db).size === EVENT_TYPES.length;

export function addSchemas(db: DatabaseSync): void {
  if (hasSchemas(db)) return;
  const add = db.prepare('INSERT OR IGNORE INTO schemas (name, sha256, schema) VALUES (?, ?, ?)');
  transaction(db, () => {
    for (const type of EVENT_TYPES) {
      const schema = compact(EVENT_SCHEMAS[type].text);
      add.run(EVENT_SCHEMAS[type].name, sha256(schema), schema);
    }
  });
}

export function schemaTable(db: DatabaseSync): SchemaIds {
  const byId = db.prepare('SELECT schema FROM schemas WHERE id = ?');
  const ids = ownIds(db);
  const own = new Map([...ids].map(([type, id]) => [id, EVENT_SCHEMAS[type].text]));
  return {
    idOf(type) {
      const id = ids.get(type);
      if (id === undefined)
        throw new LadderlogError(
          'NOT_SUPPORTED_HERE',
          `the log is open for reading only, and has no schema for ${type}`,
        );
      return id;
    },
    // Our own need not be read back: they are at hand even where the file is damaged.
    schemaOf: (id) => own.get(id) ?? (byId.get(id) as { schema: string } | undefined)?.schema ?? null,
  };
}

function ownIds(db: DatabaseSync): Map<EventType, number> {
  const find = db.prepare('SELECT id FROM schemas WHERE sha256 = ?');
  const ids = new Map<EventType, number>();
  for (const type of EVENT_TYPES) {
    const row = find.get(sha256(compact(EVENT_SCHEMAS[type].text))) as { id: number } | undefined;
    if (row) ids.set(type, row.id);
  }
  return ids;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const compact = (text: string): string => JSON.stringify(JSON.parse(text));
