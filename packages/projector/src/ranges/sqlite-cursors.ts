// Cursors in the file of the embedded log: own connection, full fsync. A conditional UPDATE is the fence.

import { DatabaseSync } from 'node:sqlite';

import { retryWhileBusy, toLogError } from '@ladderlog/log';

import type { Claim, Cursor, CursorKey, CursorStore, OffsetRange } from './cursor.ts';

type CursorRow = {
  generation: number;
  topic: string;
  partition: number;
  epoch: number;
  hwm: number;
  pending_first: number | null;
  pending_last: number | null;
  fingerprint: string;
};

export function openSqliteCursors(path: string): CursorStore {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(`CREATE TABLE IF NOT EXISTS projector_cursors (
    generation INTEGER NOT NULL,
    topic TEXT NOT NULL,
    partition INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    hwm INTEGER NOT NULL,
    pending_first INTEGER,
    pending_last INTEGER,
    fingerprint TEXT NOT NULL,
    PRIMARY KEY (generation, topic, partition)
  ) WITHOUT ROWID, STRICT`);
  // From here on others need the event loop: a busy file is waited for without holding it.
  database.exec('PRAGMA busy_timeout = 20');
  const using = async <T>(work: () => T): Promise<T> => {
    try {
      return await retryWhileBusy(work);
    } catch (error) {
      throw toLogError(error, path);
    }
  };
  const known = database.prepare(
    'SELECT fingerprint FROM projector_cursors WHERE generation = ? AND topic = ? AND partition = ?',
  );
  const claim = database.prepare(`INSERT INTO projector_cursors
    (generation, topic, partition, epoch, hwm, fingerprint) VALUES (?1, ?2, ?3, 1, ?4, ?5)
    ON CONFLICT DO UPDATE SET epoch = epoch + 1,
      hwm = iif(fingerprint = '', ?4, hwm), fingerprint = iif(fingerprint = '', ?5, fingerprint)
    RETURNING *`);
  const mine = 'WHERE generation = ? AND topic = ? AND partition = ? AND epoch = ?';
  const intend = database.prepare(`UPDATE projector_cursors SET pending_first = ?, pending_last = ? ${mine}`);
  const advance = database.prepare(
    `UPDATE projector_cursors SET hwm = ?, pending_first = NULL, pending_last = NULL ${mine}`,
  );
  const owns = database.prepare(`SELECT 1 FROM projector_cursors ${mine}`);
  const list = database.prepare(
    `SELECT * FROM projector_cursors WHERE generation = ? AND fingerprint <> '' ORDER BY topic, partition`,
  );
  const generations = database.prepare(
    'SELECT DISTINCT generation FROM projector_cursors ORDER BY generation',
  );
  // A dropped generation leaves an empty fingerprint, and its number stays used.
  const drop = database.prepare(`UPDATE projector_cursors SET epoch = epoch + 1, hwm = -1,
    pending_first = NULL, pending_last = NULL, fingerprint = '' WHERE generation = ?`);
  const which = ({ key, cursor }: Claim): [number, string, number, number] => [
    key.generation,
    key.topic,
    key.partition,
    cursor.epoch,
  ];

  return {
    claim: (key: CursorKey, begin: number, fingerprint: string): Promise<Claim> =>
      using(() => {
        const { generation, topic, partition } = key;
        const before = known.get(generation, topic, partition) as { fingerprint: string } | undefined;
        const row = claim.get(generation, topic, partition, begin - 1, fingerprint);
        return { key, cursor: cursorOf(row as CursorRow), fresh: !before?.fingerprint };
      }),
    intend: (held: Claim, range: OffsetRange): Promise<boolean> =>
      using(() => intend.run(range.first, range.last, ...which(held)).changes === 1),
    advance: (held: Claim, hwm: number): Promise<boolean> =>
      using(() => advance.run(hwm, ...which(held)).changes === 1),
    owns: (held: Claim): Promise<boolean> => using(() => owns.get(...which(held)) !== undefined),
    list: (generation: number): Promise<(CursorKey & Cursor)[]> =>
      using(() =>
        (list.all(generation) as CursorRow[]).map((row) => ({
          generation: row.generation,
          topic: row.topic,
          partition: row.partition,
          ...cursorOf(row),
        })),
      ),
    generations: (): Promise<number[]> =>
      using(() => (generations.all() as { generation: number }[]).map(({ generation }) => generation)),
    drop: (generation: number): Promise<void> => using(() => void drop.run(generation)),
    async close(): Promise<void> {
      if (database.isOpen) database.close();
    },
  };
}

const cursorOf = (row: CursorRow): Cursor => ({
  epoch: row.epoch,
  hwm: row.hwm,
  pending:
    row.pending_first === null || row.pending_last === null
      ? null
      : { first: row.pending_first, last: row.pending_last },
  fingerprint: row.fingerprint,
});
