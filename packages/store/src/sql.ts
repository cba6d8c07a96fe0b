// How values and names become part of a statement, where a parameter cannot stand.

import { LadderlogError } from '@ladderlog/core';

/** A ClickHouse text literal. */
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

/** A bound time, given in microseconds. */
export const timeParam = (name: string): string => `fromUnixTimestamp64Micro({${name}:Int64}, 'UTC')`;

/** A column of time, in microseconds. */
export const microsOf = (column: string): string => `toUnixTimestamp64Micro(${column})`;
