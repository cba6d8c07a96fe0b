// Cost at rest: `ladderlog up` with its simulated venues, which are left out of the count.

import { setTimeout as sleep } from 'node:timers/promises';

import { named, difference, startRunning, sum } from './running.ts';

const WARM_UP_MS = 20_000;
/** Rows of the last seconds are still on their way when they are counted; the same is true at the beginning. */
const SETTLED_SECONDS = 10;

export async function costAtRest(seconds: number, parseMicros: number): Promise<void> {
  const up = await startRunning([]);
  try {
    await sleep(WARM_UP_MS);
    const before = up.cpu();
    const from = Date.now();
    let behind = 0;
    while (Date.now() - from < seconds * 1_000) {
      await sleep(Math.min(15_000, seconds * 1_000));
      behind = Math.max(behind, await up.behind(from));
    }
    const { simulators: _left, ...spent } = difference(up.cpu(), before);
    const took = (Date.now() - from) / 1_000;
    const memory = up.memoryMb();
    const shifted = (ms: number): string => `fromUnixTimestamp64Milli(${ms - SETTLED_SECONDS * 1_000})`;
    const [{ books }] = (await up.sql<{ books: string }>(
      `SELECT count() AS books FROM v_best_quotes WHERE observed_at >= ${shifted(from)} AND observed_at < ${shifted(from + took * 1_000)}`,
    )) as [{ books: string }];
    const micros = (sum(spent) * 1e6) / Number(books);
    console.log(
      `at rest: ${(Number(books) / took).toFixed(0)} observations/s, ${((sum(spent) * 100) / took).toFixed(1)} % of a core (seconds: ${named(spent)} in ${took.toFixed(0)} s), ` +
        `${micros.toFixed(0)} µs an observation = ${(micros / parseMicros).toFixed(1)} JSON.parses of a 2.9 KB book (aim ≤ 15); tables at most ${behind.toFixed(1)} s behind`,
    );
    console.log(`memory at rest: ${sum(memory).toFixed(0)} MB (${named(memory, 0)}; aim ≤ 700)`);
  } finally {
    await up.close();
  }
}
