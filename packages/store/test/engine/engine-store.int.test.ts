// The embedded engine through its socket, in this process and in one of its own.

import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openChdbStore, openEngineStore, startEngineServer } from '@ladderlog/store';
import { storeContract } from '../../../../test/contract/store.ts';

const root = mkdtempSync(join(tmpdir(), 'ladderlog-engine-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const socket = join(root, 'engine.sock');
let mode: number | null = null;

storeContract('engine through its socket', async () => {
  // What a killed engine leaves.
  writeFileSync(socket, '');
  const chdb = await openChdbStore({ path: join(root, 'store') });
  const server = await startEngineServer({ store: chdb, socket });
  mode = statSync(socket).mode & 0o777;
  const store = await openEngineStore({ socket });
  return {
    store,
    async close() {
      await store.close();
      await server.close();
      await chdb.close();
    },
  };
});

test('the socket is its owner’s alone, and nothing is left of it or of the inserts', () => {
  expect(mode).toBe(0o600);
  expect(existsSync(socket)).toBe(false);
  expect(readdirSync(join(root, 'store', 'spool'))).toEqual([]);
});
