// A process that is stopped at an awkward moment. It says `here` when it has come to it.
// node test/harness/log-stopped.ts <path> <where>

import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteLog, positionsFromBeginning } from '@ladderlog/log';

const [path, where] = process.argv.slice(2) as [string, string];
const here = (): void => void writeSync(1, 'here\n');
const held: unknown[] = [];

/** For ever, without a turn of the event loop. */
const stay = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

if (where === 'statement') {
  // A reader in the middle of its statement, the snapshot in its hands.
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare('SELECT body FROM batches').iterate();
  held.push(db, rows, rows.next());
  here();
  stay();
} else if (where === 'groups') {
  // In the middle of a transaction on the file of the groups.
  const log = await openSqliteLog({ path, role: 'reader' });
  await log.commit('g', [{ topic: 'venueb', partition: 0, offset: 1 }]);
  const db = new DatabaseSync(`${path}-groups`);
  db.exec(`BEGIN IMMEDIATE; UPDATE group_offsets SET next_offset = 2`);
  held.push(db);
  here();
  stay();
} else {
  // Wherever a busy reader happens to be.
  const log = await openSqliteLog({ path, role: 'reader' });
  here();
  for (;;)
    for await (const batch of log.read({ from: await positionsFromBeginning(log, ['venueb']) }))
      held[0] = batch;
}
