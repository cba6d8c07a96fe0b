import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

import { openSqliteCursors } from '../src/index.ts';
import { cursorContract } from './cursor-contract.ts';

const directory = mkdtempSync(join(tmpdir(), 'cursors-'));
const cursors = openSqliteCursors(join(directory, 'log.db'));
afterAll(async () => {
  await cursors.close();
  rmSync(directory, { recursive: true });
});

cursorContract('SQLite', async () => cursors);
