// Cursors in a ClickHouse table, for any number of projectors on a server. ClickHouse has no conditional update, but a
// deduplication token is one: of all writers that want to be revision n of a cursor, one gets in, the others are dropped, and
// reading back says who it was. A writer outside the deduplication window is of a lower epoch, and its row loses by rank.

import { randomUUID } from 'node:crypto';

import { LadderlogError, partitionName } from '@ladderlog/core';
import type { CursorRow, Store } from '@ladderlog/store';
import { CURSOR_GENERATIONS, cursorRows, insertCursor } from '@ladderlog/store';

import type { Claim, Cursor, CursorKey, CursorStore, OffsetRange } from './cursor.ts';
import { toCursor } from './cursor.ts';

/** What changes from one revision to the next. */
type Content = Pick<CursorRow, 'hwm' | 'pending_first' | 'pending_last' | 'fingerprint'>;

const READ = { name: 'cursors', lane: 'write' } as const;

/** A dropped generation leaves this in place of its fingerprint: its number and its tokens are never used again. */
const DROPPED = '';
const isLive = (row: CursorRow | null): row is CursorRow => row !== null && row.fingerprint !== DROPPED;

const CLAIM_ATTEMPTS = 100;
const SPENT_REVISIONS = 5;

export const openClickhouseCursors = (store: Pick<Store, 'query' | 'exec'>): CursorStore =>
  new ClickhouseCursors(store);

class ClickhouseCursors implements CursorStore {
  private readonly store: Pick<Store, 'query' | 'exec'>;
  /** The row that was written last under each claim. */
  private readonly written = new WeakMap<Claim, CursorRow>();

  constructor(store: Pick<Store, 'query' | 'exec'>) {
    this.store = store;
  }

  async claim(key: CursorKey, begin: number, fingerprint: string): Promise<Claim> {
    const { before, row } = await this.takeOver(key, (old) =>
      isLive(old) ? old : { hwm: begin - 1, pending_first: null, pending_last: null, fingerprint },
    );
    const claim = { key, cursor: toCursor(row), fresh: !isLive(before) };
    this.written.set(claim, row);
    return claim;
  }

  intend(claim: Claim, range: OffsetRange): Promise<boolean> {
    return this.update(claim, { pending_first: range.first, pending_last: range.last });
  }

  advance(claim: Claim, hwm: number): Promise<boolean> {
    return this.update(claim, { hwm, pending_first: null, pending_last: null });
  }

  async owns(claim: Claim): Promise<boolean> {
    const now = await this.read(claim.key);
    return now?.epoch === claim.cursor.epoch && now.owner === this.written.get(claim)?.owner;
  }

  async list(generation: number): Promise<(CursorKey & Cursor)[]> {
    const rows = await this.store.query<CursorRow>(cursorRows({ generation }), READ);
    return rows
      .filter(isLive)
      .map((row) => ({ generation, topic: row.topic, partition: row.partition, ...toCursor(row) }));
  }

  async generations(): Promise<number[]> {
    const rows = await this.store.query<{ generation: number }>(CURSOR_GENERATIONS, READ);
    return rows.map(({ generation }) => generation);
  }

  async drop(generation: number): Promise<void> {
    const content = { hwm: -1, pending_first: null, pending_last: null, fingerprint: DROPPED };
    for (const row of await this.store.query<CursorRow>(cursorRows({ generation }), READ))
      await this.takeOver({ generation, topic: row.topic, partition: row.partition }, () => content);
  }

  async close(): Promise<void> {
    // The store is its owner's.
  }

  private async read(key: CursorKey): Promise<CursorRow | null> {
    const [row] = await this.store.query<CursorRow>(cursorRows(key), READ);
    return row ?? null;
  }

  /** True when this very row is now the cursor. */
  private async write(row: CursorRow): Promise<boolean> {
    await this.store.exec(insertCursor(row), { name: 'cursor' });
    const { generation, topic, partition } = row;
    const now = await this.read({ generation, topic, partition });
    return (
      now?.epoch === row.epoch &&
      now.revision === row.revision &&
      now.owner === row.owner &&
      now.hwm === row.hwm &&
      now.pending_last === row.pending_last
    );
  }

  private async update(claim: Claim, change: Partial<Content>): Promise<boolean> {
    const held = this.written.get(claim);
    if (!held) return false;
    for (let skip = 1; skip <= SPENT_REVISIONS; skip++) {
      const next = { ...held, ...change, revision: held.revision + skip };
      if (await this.write(next)) {
        this.written.set(claim, next);
        return true;
      }
      // Nobody else wrote: the token was spent by an attempt whose row an engine, killed in between, never had.
      const now = await this.read(claim.key);
      if (now?.owner !== held.owner || now.revision !== held.revision) return false;
    }
    throw new LadderlogError('STORE_UNAVAILABLE', 'the cursor takes no write', { retryable: true });
  }

  private async takeOver(
    key: CursorKey,
    next: (before: CursorRow | null) => Content,
  ): Promise<{ before: CursorRow | null; row: CursorRow }> {
    const owner = randomUUID();
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
      const before = await this.read(key);
      const epoch = (before?.epoch ?? 0) + 1;
      // Later attempts pass over revisions whose token was spent without a row.
      const revision = (before?.revision ?? 0) + 1 + attempt;
      const row = { ...next(before), ...key, epoch, revision, owner };
      if (await this.write(row)) return { before, row };
    }
    throw new LadderlogError('STORE_BUSY', `no claim on ${partitionName(key)}`, { retryable: true });
  }
}
