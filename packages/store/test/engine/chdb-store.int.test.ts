import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openChdbStore } from '@ladderlog/store';
import { storeContract } from '../../../../test/contract/store.ts';
import { lockDirectory } from '../../src/engine/directory-lock.ts';

const root = mkdtempSync(join(tmpdir(), 'ladderlog-chdb-'));
const path = join(root, 'store');
afterAll(() => rmSync(root, { recursive: true, force: true }));

storeContract('chDB', async () => {
  const store = await openChdbStore({ path, purpose: 'contract suite' });
  return { store, close: () => store.close() };
});

test('nothing is left of the inserts', () => {
  expect(readdirSync(join(path, 'spool'))).toEqual([]);
});

test('a second owner of the directory is refused and told who holds it', async () => {
  const directory = join(root, 'locked');
  const lock = lockDirectory(directory, 'the first');
  await expect(openChdbStore({ path: directory })).rejects.toMatchObject({
    code: 'STORE_LOCKED',
    message: expect.stringContaining(`process ${process.pid}`) as string,
    details: { owner: { pid: process.pid, purpose: 'the first' } },
  });
  lock.release();
  lockDirectory(directory, 'the second').release();
});

test('a killed owner leaves no lock', async () => {
  const directory = join(root, 'killed');
  const script = `
    const { lockDirectory } = await import(${JSON.stringify(new URL('../../src/engine/directory-lock.ts', import.meta.url).href)});
    lockDirectory(${JSON.stringify(directory)}, 'to be killed');
    process.stdout.write('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  expect(() => lockDirectory(directory, 'too early')).toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockDirectory(directory, 'after').release();
});
