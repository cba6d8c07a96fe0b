// Cursors in a SQLite file of their own, with full fsync: nobody who writes the log waits for them. A conditional UPDATE is the
// fence.

import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';

import { retryWhileBusy, toLogError } from '@ladderlog/log';

import type {
  Claim,
  Cursor,
  CursorKey,
  CursorSets,
  CursorStore,
  OffsetRange,
  StoredCursor,
} from './cursor.ts';
import { toCursor } from './cursor.ts';
import { takeOverCursors } from './sqlite-take-over.ts';

type CursorRow = CursorKey & StoredCursor;

const TABLE = `CREATE TABLE IF NOT EXISTS projector_cursors (
  generation INTEGER NOT NULL,
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  hwm INTEGER NOT NULL,
  pending_first INTEGER,
  pending_last INTEGER,
  fingerprint TEXT NOT NULL,
  pending_set TEXT,
  PRIMARY KEY (generation, topic, partition)
) WITHOUT ROWID, STRICT`;

/** A file of version 0.1.0 (tables embedded, log on Kafka) has no sets. */
const HAS_SETS = "SELECT 1 FROM pragma_table_info('projector_cursors') WHERE name = 'pending_set'";
const ADD_SETS = 'ALTER TABLE projector_cursors ADD COLUMN pending_set TEXT';

const OWNED = 'WHERE generation = ? AND topic = ? AND partition = ? AND epoch = ?';

/** A dropped generation leaves an empty fingerprint, and its number stays used. */
const STATEMENTS = {
  known: 'SELECT fingerprint FROM projector_cursors WHERE generation = ? AND topic = ? AND partition = ?',
  claim: `INSERT INTO projector_cursors
    (generation, topic, partition, epoch, hwm, fingerprint) VALUES (?1, ?2, ?3, 1, ?4, ?5)
    ON CONFLICT DO UPDATE SET epoch = epoch + 1,
      hwm = iif(fingerprint = '', ?4, hwm), fingerprint = iif(fingerprint = '', ?5, fingerprint)
    RETURNING *`,
  intend: `UPDATE projector_cursors SET pending_first = ?, pending_last = ?, pending_set = ? ${OWNED}`,
  advance: `UPDATE projector_cursors SET hwm = ?,
    pending_first = NULL, pending_last = NULL, pending_set = NULL ${OWNED}`,
  owns: `SELECT 1 FROM projector_cursors ${OWNED}`,
  list: `SELECT * FROM projector_cursors WHERE generation = ? AND fingerprint <> '' ORDER BY topic, partition`,
  generations: 'SELECT DISTINCT generation FROM projector_cursors ORDER BY generation',
  drop: `UPDATE projector_cursors SET epoch = epoch + 1, hwm = -1,
    pending_first = NULL, pending_last = NULL, pending_set = NULL, fingerprint = '' WHERE generation = ?`,
} as const;

export type SqliteCursorsOptions = {
  /** A log of version 0.1.0, which had the cursors in it: they are moved here, once. */
  readonly takeOverFrom?: string;
};

export function openSqliteCursors(path: string, { takeOverFrom }: SqliteCursorsOptions = {}): CursorStore {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec(TABLE);
    if (!database.prepare(HAS_SETS).get()) database.exec(ADD_SETS);
    if (takeOverFrom !== undefined) takeOverCursors(database, takeOverFrom);
  } catch (error) {
    database.close();
    throw toLogError(error, path);
  }
  // From here on others need the event loop: a busy file is waited for without holding it.
  database.exec('PRAGMA busy_timeout = 20');
  return new SqliteCursors(database, path);
}

class SqliteCursors implements CursorStore {
  readonly sets: CursorSets = {
    claim: (keys, fingerprint) =>
      this.together(() => keys.map((key) => this.claimed(key, key.begin, fingerprint))) as Promise<Claim[]>,
    intend: (ranges, set) => this.allOf(ranges, ({ claim, range }) => this.intended(claim, range, set)),
    advance: (ranges) => this.allOf(ranges, ({ claim, range }) => this.advanced(claim, range.last)),
    owns: (claims) => this.allOf(claims, (claim) => this.owned(claim)),
  };
  private readonly database: DatabaseSync;
  private readonly path: string;
  private readonly statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

  constructor(database: DatabaseSync, path: string) {
    this.database = database;
    this.path = path;
    this.statements = Object.fromEntries(
      Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)]),
    ) as typeof this.statements;
  }

  claim(key: CursorKey, begin: number, fingerprint: string): Promise<Claim> {
    return this.using(() => this.claimed(key, begin, fingerprint));
  }

  intend(claim: Claim, range: OffsetRange): Promise<boolean> {
    return this.using(() => this.intended(claim, range, null));
  }

  advance(claim: Claim, hwm: number): Promise<boolean> {
    return this.using(() => this.advanced(claim, hwm));
  }

  owns(claim: Claim): Promise<boolean> {
    return this.using(() => this.owned(claim));
  }

  list(generation: number): Promise<(CursorKey & Cursor)[]> {
    return this.using(({ list }) =>
      (list.all(generation) as CursorRow[]).map((row) => ({
        generation,
        topic: row.topic,
        partition: row.partition,
        ...toCursor(row),
      })),
    );
  }

  generations(): Promise<number[]> {
    return this.using(({ generations }) =>
      (generations.all() as { generation: number }[]).map(({ generation }) => generation),
    );
  }

  drop(generation: number): Promise<void> {
    return this.using(({ drop }) => void drop.run(generation));
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.database.close();
  }

  private claimed({ generation, topic, partition }: CursorKey, begin: number, fingerprint: string): Claim {
    const { known, claim } = this.statements;
    const before = known.get(generation, topic, partition) as { fingerprint: string } | undefined;
    const row = claim.get(generation, topic, partition, begin - 1, fingerprint) as CursorRow;
    return { key: { generation, topic, partition }, cursor: toCursor(row), fresh: !before?.fingerprint };
  }

  private intended(claim: Claim, { first, last }: OffsetRange, set: string | null): boolean {
    return this.statements.intend.run(first, last, set, ...ownedBy(claim)).changes === 1;
  }

  private advanced(claim: Claim, hwm: number): boolean {
    return this.statements.advance.run(hwm, ...ownedBy(claim)).changes === 1;
  }

  private owned(claim: Claim): boolean {
    return this.statements.owns.get(...ownedBy(claim)) !== undefined;
  }

  private async allOf<T>(all: readonly T[], step: (one: T) => boolean): Promise<boolean> {
    return (await this.together(() => all.every(step) || null)) !== null;
  }

  /** In one transaction, which a null takes back. */
  private together<T>(work: () => T | null): Promise<T | null> {
    return this.using(() => {
      const { database } = this;
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        database.exec(result === null ? 'ROLLBACK' : 'COMMIT');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  private async using<T>(work: (statements: SqliteCursors['statements']) => T): Promise<T> {
    try {
      return await retryWhileBusy(() => work(this.statements));
    } catch (error) {
      throw toLogError(error, this.path);
    }
  }
}

const ownedBy = ({ key, cursor }: Claim): [number, string, number, number] => [
  key.generation,
  key.topic,
  key.partition,
  cursor.epoch,
];
