// A client in Python with nothing but `requests`, written here as others write theirs, against the running server.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pythonWith } from '../../../test/harness/python.ts';
import type { Running, World } from './api-harness.ts';
import {
  B_YES,
  GENEROUS,
  SECOND,
  VENUE_B_MARKET,
  book,
  captureBeat,
  captureStarted,
  market,
  openWorld,
} from './api-harness.ts';

const python = await pythonWith('python-requests-1', ['requests==2.34.2']);

const T0 = 1_794_700_800_000_000;
let world: World;
let api: Running;
let key: string;

beforeAll(async () => {
  world = await openWorld(T0 + 60 * SECOND);
  key = await world.key('quant');
  await world.append([
    market('venueb', VENUE_B_MARKET, T0),
    captureStarted(B_YES, T0),
    ...Array.from({ length: 22 }, (_, ordinal) =>
      book(B_YES, { observedAt: T0 + Math.floor(ordinal / 3) * SECOND, ordinal }),
    ),
    captureBeat(B_YES, T0 + 30 * SECOND),
  ]);
  api = await world.start({
    validateResponses: false,
    memoMs: 10_000,
    plans: { ...GENEROUS, quant: { ...GENEROUS.quant, rates: [{ requests: 1, seconds: 2 }] } },
  });
});
afterAll(() => world.close());

test.skipIf(!python)('pages to the end, waits when told to, and reads error codes', async () => {
  const script = join(import.meta.dirname, 'python-client.py');
  const { stdout } = await promisify(execFile)(python!, [
    script,
    api.url,
    key,
    `/v3/venueb/${VENUE_B_MARKET}/snapshots`,
  ]);
  const { ids, ladders, code, waits } = JSON.parse(stdout) as {
    ids: string[];
    ladders: number;
    code: string;
    waits: number;
  };
  expect(ids).toHaveLength(22);
  expect(new Set(ids).size).toBe(22);
  expect(ladders).toBe(22);
  expect(code).toBe('MARKET_NOT_FOUND');
  expect(waits).toBeGreaterThan(0);
});
