// Limits shared by two instances through Redis: a real server where there is one, else one that speaks its protocol (fakeredis
// from PyPI, with Lua). Skipped, visibly, where neither can be had.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { PLAN_TERMS } from '@ladderlog/core';
import { createRateLimits } from '@ladderlog/api';
import { pythonWith } from '../../../test/harness/python.ts';
import { SILENT } from './api-harness.ts';

const SERVER = `
from fakeredis import TcpFakeServer
server = TcpFakeServer(("127.0.0.1", 0), server_type="redis")
print(server.server_address[1], flush=True)
server.serve_forever()
`;

const given = process.env['LADDERLOG_TEST_REDIS'];
const python = given === undefined ? await pythonWith('python-redis-1', ['fakeredis[lua]==2.40.0']) : null;
const possible = given !== undefined || python !== null;
let child: ChildProcess | null = null;
afterAll(() => {
  child?.kill();
});

test.skipIf(!possible)('two instances together let exactly the limit pass', async () => {
  let redisUrl = given;
  if (redisUrl === undefined) {
    child = spawn(python!, ['-c', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
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
