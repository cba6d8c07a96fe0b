import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openChdbStore } from '@ladderlog/store';
import type { Store } from '@ladderlog/store';
import { afterAll } from 'vitest';

import { openClickhouseCursors } from '../../src/index.ts';
import { cursorContract } from './cursor-contract.ts';

const directory = mkdtempSync(join(tmpdir(), 'cursors-'));
let store: Store | null = null;
afterAll(async () => {
  await store?.close();
  rmSync(directory, { recursive: true });
});

cursorContract('ClickHouse', async () => {
  store = await openChdbStore({ path: directory });
  await store.migrate();
  return openClickhouseCursors(store);
});
