import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';

import { openSqliteCursors } from '../../src/index.ts';
import { cursorContract } from './cursor-contract.ts';

const directory = mkdtempSync(join(tmpdir(), 'cursors-'));
const path = join(directory, 'log.db');
const cursors = openSqliteCursors(path);
afterAll(async () => {
  await cursors.close();
  rmSync(directory, { recursive: true });
});

cursorContract('SQLite', async () => cursors);

test('a file that another connection holds is waited for, and the event loop goes on', async () => {
  const claim = await cursors.claim({ generation: 1, topic: 'venuec', partition: 0 }, 0, 'a:v1');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const intended = cursors.intend(claim, { first: 0, last: 5 });
  // Held, the loop would not come here before the wait was over.
  other.exec('ROLLBACK');
  other.close();
  expect(await intended).toBe(true);
});

test('what SQLite reports is an error of the log', async () => {
  const other = new DatabaseSync(path);
  other.exec('ALTER TABLE projector_cursors RENAME TO moved');
  await expect(cursors.list(1)).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  other.exec('ALTER TABLE moved RENAME TO projector_cursors');
  other.close();
  expect(await cursors.list(1)).not.toEqual([]);
});
