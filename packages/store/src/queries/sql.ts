// Pieces of SQL that several queries are made of.

import type { TableName } from '@ladderlog/core';
import { LadderlogError, POSITION_COLUMNS, TABLES } from '@ladderlog/core';

/** A text literal. Values are bound where they can be; some statements take no parameters. */
export const quoteText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Names come from configuration, never from a client; refusing odd ones is simpler than quoting them everywhere. */
export function checkedName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name))
    throw new LadderlogError(
      'BAD_CONFIG',
      `'${name}' cannot be a database or cluster name: use letters, digits and _`,
    );
  return name;
}

/** The bound parameter of that name, microseconds, as a time of the tables. */
export const at = (name: string): string => `fromUnixTimestamp64Micro({${name}:Int64}, 'UTC')`;

/** A time of the tables in microseconds. */
export const micros = (column: string): string => `toUnixTimestamp64Micro(${column})`;

/** Every column of the table for its StoredRow: as it is stored, times in microseconds. */
export const storedColumns = (table: TableName, alias: string): string =>
  Object.entries({ ...POSITION_COLUMNS, ...TABLES[table] })
    .map(([name, type]) => {
      const column = `${alias}.${name}`;
      return `${type.includes('DateTime64') ? micros(column) : column} AS ${name}`;
    })
    .join(', ');

/** Conditions that hold only where a value is given, and the values that are bound. */
export class Conditions {
  readonly texts: string[] = [];
  readonly params: Record<string, unknown>;

  constructor(params: Readonly<Record<string, unknown>>) {
    this.params = { ...params };
  }

  add(text: string, params: Readonly<Record<string, unknown>> = {}): this {
    this.texts.push(text);
    Object.assign(this.params, params);
    return this;
  }

  /** Binds the value under the name. */
  when(name: string, value: unknown, text: string): this {
    return value === undefined ? this : this.add(text, { [name]: value });
  }
}
