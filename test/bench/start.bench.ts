// From `ladderlog up` on an empty data directory, with simulated venues, to ready and to the first book over REST: what a
// newcomer waits. Aim: 10 s.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { launch, readyFacts } from '../harness/ladderlog.ts';

const ROUNDS = 3;
const AIM_MS = 10_000;
const GIVE_UP_MS = 120_000;

type Ready = { readonly url: string; readonly demoKey: string };

export async function run(): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    const data = mkdtempSync(join(tmpdir(), 'ladderlog-start-bench-'));
    const began = performance.now();
    const up = launch(['up', '--json', '--port', '0', '--data', data, '--log-level', 'error']);
    try {
      const { url, demoKey } = await readyFacts<Ready>(up);
      const readyMs = performance.now() - began;
      const get = async (path: string): Promise<{ data?: { market_id: string }[] }> =>
        (await (
          await fetch(`${url}/v3/${path}`, { headers: { authorization: `Bearer ${demoKey}` } })
        ).json()) as { data?: { market_id: string }[] };
      const isServed = async (): Promise<boolean> => {
        const now = new Date().toISOString();
        const [open] = (await get(`btc/markets?start_time=${now}&end_time=${now}&limit=1`)).data ?? [];
        if (!open) return false;
        return ((await get(`btc/markets/${open.market_id}/orderbook/latest`)).data ?? []).length > 0;
      };
      while (!(await isServed())) {
        if (performance.now() - began > GIVE_UP_MS) throw new Error('no book was served');
        await sleep(20);
      }
      const bookMs = performance.now() - began;
      console.log(
        `round ${round}: ready after ${(readyMs / 1_000).toFixed(2)} s, first book after ${(bookMs / 1_000).toFixed(2)} s (aim ${AIM_MS / 1_000} s: ${bookMs <= AIM_MS ? 'met' : 'MISSED'})`,
      );
    } finally {
      await up.interrupt();
      rmSync(data, { recursive: true, force: true });
    }
  }
}
