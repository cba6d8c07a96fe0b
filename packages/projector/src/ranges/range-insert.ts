// Rows of a range, or of a set of ranges, into one table. The first attempt is one insert; whatever repeats an attempt looks before it sends and after.
//
// What must hold for every table of one row an event, after `insertAgain` and after a first `send` that was acknowledged: each
// row of the range is there, once. An acknowledgement proves that only for a token that was never sent before. ClickHouse notes
// a token before it adds the rows, so an engine that was killed (or out of disk) in between has spent the token, drops every
// repeat, and acknowledges it.

import { setTimeout as sleep } from 'node:timers/promises';

import type { TableName } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { offsetsWithRows } from '@ladderlog/store';

import type { ClaimedRange } from './cursor.ts';
import type { ProjectorLimits } from './limits.ts';

export type TableInsert = {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly token: string;
};

export type InsertContext = {
  readonly store: Pick<Store, 'insertRowBinary' | 'query'>;
  readonly limits: Pick<ProjectorLimits, 'insertTimeoutMs' | 'repairDelayMs'>;
  readonly signal: AbortSignal;
};

/** Tokens tried for rows that stay missing before it counts as a failure of the store, which is repeated with growing waits. */
const ATTEMPTS = 5;

export async function send({ store, limits }: InsertContext, insert: TableInsert): Promise<void> {
  const { table, columns, bytes, token } = insert;
  const deadlineMs = limits.insertTimeoutMs;
  await within(deadlineMs, store.insertRowBinary(table, columns, bytes, { token, deadlineMs }));
}

export type Repeat = {
  readonly ranges: readonly ClaimedRange[];
  /** The same rows without those of these offsets, a set a range; null when none is left. */
  readonly without: (present: readonly ReadonlySet<number>[]) => Promise<TableInsert | null>;
  /** Rejects when a partition is no longer ours. */
  readonly confirm: () => Promise<void>;
};

/**
 * Sends what is missing, first under the token of the first attempt: an earlier attempt that is still under way, here or in an
 * engine that outlived its projector, is then dropped, or drops this one. Only rows that are not there are sent, so that a token
 * made of another schema, by the version before an upgrade, doubles nothing. Then under further tokens, each time after a wait:
 * an engine that is alive adds acknowledged rows in an instant.
 */
export async function insertAgain(
  context: InsertContext,
  insert: TableInsert,
  repeat: Repeat,
): Promise<void> {
  const missing = async (): Promise<TableInsert | null> => {
    const present: Set<number>[] = [];
    for (const { claim, range } of repeat.ranges) {
      const rows = await context.store.query<{ offset: number }>(
        offsetsWithRows(insert.table, claim.key, range),
        { name: 'offsets-in', deadlineMs: 60_000 },
      );
      present.push(new Set(rows.map(({ offset }) => offset)));
    }
    const found = present.reduce((sum, { size }) => sum + size, 0);
    if (found >= insert.rows) return null;
    return found === 0 ? insert : repeat.without(present);
  };
  let rest = await missing();
  for (let attempt = 0; rest; attempt++) {
    if (attempt === ATTEMPTS)
      throw new LadderlogError('STORE_UNAVAILABLE', `${insert.table} acknowledged rows that are not there`, {
        retryable: true,
      });
    if (attempt > 0) await repeat.confirm();
    await send(context, {
      ...rest,
      token: attempt === 0 ? insert.token : `${insert.token}:again:${attempt}`,
    });
    rest = await missing();
    if (!rest) return;
    await sleep(context.limits.repairDelayMs, undefined, { signal: context.signal });
    rest = await missing();
  }
}

/** The work itself goes on when time is up; its repeat under the same token adds nothing. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new LadderlogError('STORE_UNAVAILABLE', `no answer to an insert within ${ms} ms`, {
          retryable: true,
        }),
      );
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
