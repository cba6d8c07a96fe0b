import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { socketsOf } from '../src/data/sockets.ts';
import { lockUp, runningUp, writeUp } from '../src/data/up-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-up-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('one up at a time, and who it is', async () => {
  expect(runningUp(folder)).toBeNull();
  const lock = await lockUp(folder);
  const up = { pid: 7, processes: { recorder: { pid: 8, restarts: 1 } } };
  writeUp(folder, up);
  expect(runningUp(folder)).toEqual(up);
  await expect(lockUp(folder)).rejects.toMatchObject({
    code: 'DATA_DIRECTORY_IN_USE',
    message: expect.stringContaining(folder) as string,
  });
  lock.release();
  expect(runningUp(folder)).toBeNull();
});

test('sockets lie in the data directory, or where their path is short enough for the kernel', () => {
  expect(socketsOf('/var/lib/ladderlog').control).toBe('/var/lib/ladderlog/control.sock');
  const long = join(folder, 'x'.repeat(120));
  const { control, engine, status } = socketsOf(long);
  for (const path of [control, engine, status('simulators')]) expect(path.length).toBeLessThanOrEqual(107);
  expect(socketsOf(long).control).toBe(control);
  expect(socketsOf(`${long}y`).control).not.toBe(control);
  rmSync(join(control, '..'), { recursive: true });
});
