import { EVENT_TYPES } from '@ladderlog/core';
import type { SchemaIds } from '../../src/avro/codec.ts';
import { EVENT_SCHEMAS } from '../../src/avro/schemas.ts';

/** This version's own schemas as 1, 2, 3 …, and any others under the ids given. */
export const localSchemaIds = (others: Readonly<Record<number, string>> = {}): SchemaIds => ({
  idOf: (type) => EVENT_TYPES.indexOf(type) + 1,
  schemaOf: (id) => {
    const type = EVENT_TYPES[id - 1];
    return others[id] ?? (type ? EVENT_SCHEMAS[type].text : null);
  },
});

/** The wire header of a schema id. */
export const headerOf = (id: number): Buffer => {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(id, 1);
  return header;
};
