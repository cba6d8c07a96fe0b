// Cursors in a ClickHouse table, for any number of projectors on a server. ClickHouse has no conditional update, but a
// deduplication token is one: of all writers that want to be revision n of a cursor, one gets in, the others are dropped, and
// reading back says who it was. A writer outside the deduplication window is of a lower epoch, and its row loses by rank.

import { randomUUID } from 'node:crypto';

import { LadderlogError } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { quoteText } from '@ladderlog/store';

import type { Claim, Cursor, CursorKey, CursorStore, OffsetRange } from './cursor.ts';

type CursorRow = Cursor & { readonly revision: number; readonly owner: string };

type StoredRow = {
  generation: number;
  topic: string;
  partition: number;
  epoch: number;
  revision: number;
  owner: string;
  hwm: number;
  pending_first: number | null;
  pending_last: number | null;
  fingerprint: string;
};

/** A dropped generation leaves this in place of its fingerprint: its number and its tokens are never used again. */
const DROPPED = '';

const CLAIM_ATTEMPTS = 100;
const SPENT_REVISIONS = 5;

export function openClickhouseCursors(store: Pick<Store, 'query' | 'exec'>): CursorStore {
  const revisions = new WeakMap<Claim, CursorRow>();

  const select = async (where: string, params: Record<string, unknown>): Promise<StoredRow[]> =>
    store.query<StoredRow>(
      {
        sql: `SELECT generation, topic, partition, epoch, revision, owner, hwm, pending_first, pending_last, fingerprint
              FROM projection_cursors FINAL WHERE ${where} ORDER BY generation, topic, partition`,
        params,
      },
      { name: 'cursors', lane: 'write' },
    );
  const read = async (key: CursorKey): Promise<CursorRow | null> => {
    const [row] = await select(
      'generation = {generation:UInt32} AND topic = {topic:String} AND partition = {partition:UInt16}',
      { ...key },
    );
    return row ? rowOf(row) : null;
  };

  /** True when this very row is now the cursor. */
  async function write(key: CursorKey, row: CursorRow): Promise<boolean> {
    const token = `cursor:g${key.generation}:${key.topic}:${key.partition}:${row.revision}`;
    const { pending } = row;
    await store.exec(
      `INSERT INTO projection_cursors
       (generation, topic, partition, epoch, revision, owner, hwm, pending_first, pending_last, fingerprint)
       SETTINGS async_insert = 0, insert_deduplicate = 1, insert_deduplication_token = ${quoteText(token)}
       VALUES (${key.generation}, ${quoteText(key.topic)}, ${key.partition}, ${row.epoch}, ${row.revision},
         ${quoteText(row.owner)}, ${row.hwm}, ${pending?.first ?? 'NULL'}, ${pending?.last ?? 'NULL'},
         ${quoteText(row.fingerprint)})`,
      { name: 'cursor' },
    );
    const now = await read(key);
    return (
      now !== null &&
      now.epoch === row.epoch &&
      now.revision === row.revision &&
      now.owner === row.owner &&
      now.hwm === row.hwm &&
      now.pending?.last === pending?.last
    );
  }

  async function update(claim: Claim, change: Pick<CursorRow, 'hwm' | 'pending'>): Promise<boolean> {
    const held = revisions.get(claim);
    if (!held) return false;
    for (let skip = 1; skip <= SPENT_REVISIONS; skip++) {
      const next = { ...held, ...change, revision: held.revision + skip };
      if (await write(claim.key, next)) {
        revisions.set(claim, next);
        return true;
      }
      // Nobody else wrote: the token was spent by an attempt whose row an engine, killed in between, never had.
      const now = await read(claim.key);
      if (now?.owner !== held.owner || now.revision !== held.revision) return false;
    }
    throw new LadderlogError('STORE_UNAVAILABLE', 'the cursor takes no write', { retryable: true });
  }

  async function take(
    key: CursorKey,
    next: (before: CursorRow | null) => Pick<Cursor, 'hwm' | 'pending' | 'fingerprint'>,
  ): Promise<{ before: CursorRow | null; row: CursorRow }> {
    const owner = randomUUID();
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
      const before = await read(key);
      const epoch = (before?.epoch ?? 0) + 1;
      // Later attempts pass over revisions whose token was spent without a row.
      const revision = (before?.revision ?? 0) + 1 + attempt;
      const row = { ...next(before), epoch, revision, owner };
      if (await write(key, row)) return { before, row };
    }
    throw new LadderlogError('STORE_BUSY', `no claim on ${key.topic}/${key.partition}`, { retryable: true });
  }

  const isLive = (row: { readonly fingerprint: string }): boolean => row.fingerprint !== DROPPED;

  return {
    async claim(key: CursorKey, begin: number, fingerprint: string): Promise<Claim> {
      const { before, row } = await take(key, (old) =>
        old && isLive(old) ? old : { hwm: begin - 1, pending: null, fingerprint },
      );
      const { epoch, hwm, pending } = row;
      const cursor = { epoch, hwm, pending, fingerprint: row.fingerprint };
      const claim = { key, cursor, fresh: before === null || !isLive(before) };
      revisions.set(claim, row);
      return claim;
    },
    intend: (claim: Claim, range: OffsetRange) =>
      update(claim, { hwm: revisions.get(claim)?.hwm ?? claim.cursor.hwm, pending: range }),
    advance: (claim: Claim, hwm: number) => update(claim, { hwm, pending: null }),
    async owns(claim: Claim): Promise<boolean> {
      const now = await read(claim.key);
      return now !== null && now.epoch === claim.cursor.epoch && now.owner === revisions.get(claim)?.owner;
    },
    async list(generation: number): Promise<(CursorKey & Cursor)[]> {
      const rows = await select('generation = {generation:UInt32}', { generation });
      return rows.filter(isLive).map((row) => {
        const { epoch, hwm, pending, fingerprint } = rowOf(row);
        const { topic, partition } = row;
        return { generation, topic, partition, epoch, hwm, pending, fingerprint };
      });
    },
    async generations(): Promise<number[]> {
      const rows = await store.query<{ generation: number }>(
        'SELECT DISTINCT generation FROM projection_cursors ORDER BY generation',
        { name: 'cursors', lane: 'write' },
      );
      return rows.map(({ generation }) => generation);
    },
    async drop(generation: number): Promise<void> {
      for (const { topic, partition } of await select('generation = {generation:UInt32}', { generation }))
        await take({ generation, topic, partition }, () => ({
          hwm: -1,
          pending: null,
          fingerprint: DROPPED,
        }));
    },
    async close(): Promise<void> {
      // The store is its owner's.
    },
  };
}

const rowOf = (row: StoredRow): CursorRow => ({
  epoch: row.epoch,
  revision: row.revision,
  owner: row.owner,
  hwm: row.hwm,
  pending:
    row.pending_first === null || row.pending_last === null
      ? null
      : { first: row.pending_first, last: row.pending_last },
  fingerprint: row.fingerprint,
});
