// Limits shared by two instances through Redis: a real server where there is one, else one that speaks its protocol (fakeredis
// from PyPI, with Lua). Skipped, visibly, where neither can be had.

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PLAN_TERMS } from '@ladderlog/core';
import { createRateLimits } from '@ladderlog/api';
import { SILENT } from './api-harness.ts';

const CACHE = join(resolve(import.meta.dirname, '../../..'), '.cache');
const VENV = join(CACHE, 'fakeredis-venv');
const SERVER = `
from fakeredis import TcpFakeServer
server = TcpFakeServer(("127.0.0.1", 0), server_type="redis")
print(server.server_address[1], flush=True)
server.serve_forever()
`;

function install(): boolean {
  if (existsSync(join(VENV, 'ready'))) return true;
  mkdirSync(CACHE, { recursive: true });
  const run = (command: string, ...args: string[]): boolean =>
    spawnSync(command, args, { stdio: 'ignore', timeout: 120_000 }).status === 0;
  return (
    run('python3', '-m', 'venv', VENV) &&
    run(join(VENV, 'bin/pip'), 'install', '-q', 'fakeredis[lua]') &&
    run('touch', join(VENV, 'ready'))
  );
}

const given = process.env['LADDERLOG_TEST_REDIS'];
const possible = given !== undefined || install();
if (!possible) console.warn('no Redis and no fakeredis here: skipped');
let child: ChildProcess | null = null;
afterAll(() => {
  child?.kill();
});

test.skipIf(!possible)('two instances together let exactly the limit pass', async () => {
  let redisUrl = given;
  if (redisUrl === undefined) {
    child = spawn(join(VENV, 'bin/python'), ['-c', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await once(child.stdout!, 'data')) as [Buffer];
    redisUrl = `redis://127.0.0.1:${port.toString().trim()}`;
  }
  const rates = [{ requests: 40, seconds: 300 }];
  const options = {
    plans: { ...PLAN_TERMS, quant: { ...PLAN_TERMS.quant, rates } },
    anonymous: rates,
    redisUrl,
    logger: SILENT,
  };
  const instances = [createRateLimits(options), createRateLimits(options)];
  const who = `key-${process.pid}`;
  // The first call waits for the connection: until then each instance counts for itself.
  await expect.poll(() => instances.every((one) => one.connected())).toBe(true);
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) => instances[at % 2]!.count('quant', who)),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(40);
  for (const one of instances) await one.close();
});
