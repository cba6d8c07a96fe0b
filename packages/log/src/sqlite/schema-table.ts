// The file's own registry: every schema that any version wrote with, by number.

import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { EventType } from '@ladderlog/core';
import { EVENT_TYPES } from '@ladderlog/core';
import type { SchemaIds } from '../avro/codec.ts';
import { EVENT_SCHEMAS } from '../avro/schemas.ts';
import { transaction } from './file.ts';

/** Whether the file knows all schemas that this version writes. */
export function hasSchemas(db: DatabaseSync): boolean {
  const find = db.prepare('SELECT id FROM schemas WHERE sha256 = ?');
  return EVENT_TYPES.every((type) => find.get(sha256(compact(EVENT_SCHEMAS[type].text))) !== undefined);
}

export function schemaTable(db: DatabaseSync): SchemaIds {
  const find = db.prepare('SELECT id FROM schemas WHERE sha256 = ?');
  const add = db.prepare('INSERT OR IGNORE INTO schemas (name, sha256, schema) VALUES (?, ?, ?)');
  const byId = db.prepare('SELECT schema FROM schemas WHERE id = ?');
  const idOf = (type: EventType): number | undefined =>
    (find.get(sha256(compact(EVENT_SCHEMAS[type].text))) as { id: number } | undefined)?.id;
  if (!hasSchemas(db))
    transaction(db, () => {
      for (const type of EVENT_TYPES) {
        const schema = compact(EVENT_SCHEMAS[type].text);
        add.run(EVENT_SCHEMAS[type].name, sha256(schema), schema);
      }
    });
  const ids = new Map(EVENT_TYPES.map((type) => [type, idOf(type)!]));
  const own = new Map(EVENT_TYPES.map((type) => [ids.get(type)!, EVENT_SCHEMAS[type].text]));
  return {
    idOf: (type) => ids.get(type)!,
    // Our own need not be read back: they are at hand even where the file is damaged.
    schemaOf: (id) => own.get(id) ?? (byId.get(id) as { schema: string } | undefined)?.schema ?? null,
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const compact = (text: string): string => JSON.stringify(JSON.parse(text));
