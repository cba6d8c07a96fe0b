// Version 0.1.0 kept the cursors in the file of the log. They are copied once, in one transaction with a mark, and then removed
// there: 0.1.0, run again on the same directory, then builds its tables anew instead of going on where the cursors were once.

import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const OLD_TABLE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'projector_cursors'";
const OLD_ROWS = `SELECT generation, topic, partition, epoch, hwm, pending_first, pending_last, fingerprint
  FROM projector_cursors`;
const COPY = `INSERT INTO projector_cursors
  (generation, topic, partition, epoch, hwm, pending_first, pending_last, fingerprint)
  VALUES (:generation, :topic, :partition, :epoch, :hwm, :pending_first, :pending_last, :fingerprint)`;

/** In user_version of the file of the cursors: whether they were taken over, or had nothing to be taken over. */
const TAKEN_OVER = 1;
/** The recorder may be writing: removing the old table can wait for the next start. */
const REMOVE_BUSY_MS = 50;

/** `cursors` has its table already. */
export function takeOverCursors(cursors: DatabaseSync, logPath: string): void {
  if (!existsSync(logPath)) return;
  copyOnce(cursors, logPath);
  removeOld(logPath);
}

function copyOnce(cursors: DatabaseSync, logPath: string): void {
  cursors.exec('BEGIN IMMEDIATE');
  try {
    if (!wasTakenOver(cursors)) {
      const copy = cursors.prepare(COPY);
      for (const row of oldRows(logPath)) copy.run(row);
      cursors.exec(`PRAGMA user_version = ${TAKEN_OVER}`);
    }
    cursors.exec('COMMIT');
  } catch (error) {
    cursors.exec('ROLLBACK');
    throw error;
  }
}

const wasTakenOver = (cursors: DatabaseSync): boolean =>
  cursors.prepare('PRAGMA user_version').get()!['user_version'] === TAKEN_OVER ||
  cursors.prepare('SELECT 1 FROM projector_cursors LIMIT 1').get() !== undefined;

function oldRows(logPath: string) {
  const log = new DatabaseSync(logPath, { readOnly: true, timeout: 10_000 });
  try {
    return log.prepare(OLD_TABLE).get() ? log.prepare(OLD_ROWS).all() : [];
  } finally {
    log.close();
  }
}

/** Only a safety for who goes back to 0.1.0, so a file that is held or may not be written is left as it is until the next start. */
function removeOld(logPath: string): void {
  let log: DatabaseSync | null = null;
  try {
    log = new DatabaseSync(logPath, { timeout: REMOVE_BUSY_MS });
    if (log.prepare(OLD_TABLE).get()) log.exec('DROP TABLE projector_cursors');
  } catch {
    // The mark says that they were taken over, so nobody reads them any more.
  } finally {
    log?.close();
  }
}
