// Replay against a bare loop over the log: read and decode in log order, without an order by time. Then what lines cost.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog, positionsFromBeginning } from '@ladderlog/log';
import { Pace, replayBatches, replayLines } from '@ladderlog/replay';
import { books, timeOfBook } from '../harness/log-events.ts';

const OBSERVATIONS = process.env['LADDERLOG_FULL'] === '1' ? 1_000_000 : 200_000;
const LEVELS = 20;
const ROUNDS = 3;

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-replay-bench-'));
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0 });
  try {
    for (let n = 0; n < OBSERVATIONS; n += 1_000)
      await log.append(books(n, n + 1_000, { markets: 40, levels: LEVELS }));
    await log.tidy();
    const range = { venues: ['venueb'] as const, from: timeOfBook(0), to: timeOfBook(OBSERVATIONS) };
    const ways = {
      'bare read + decode': async () => {
        let count = 0;
        for await (const batch of log.read({ from: await positionsFromBeginning(log, ['venueb']) }))
          for (const record of batch.records) if (log.codec.decode(record.value).ok) count++;
        return count;
      },
      'replay, in order of time': async () => {
        let count = 0;
        for await (const items of replayBatches(log, range)) count += items.length;
        return count;
      },
      'replay as lines': async () => {
        let bytes = 0;
        const signal = new AbortController().signal;
        for await (const chunk of replayLines(log, { ...range, format: 'books' }, new Pace('max'), signal))
          bytes += chunk.length;
        return bytes > 0 ? OBSERVATIONS : 0;
      },
    };
    const best = new Map<string, number>();
    // In turns, so that a slow moment of the machine hits all alike; the best of each counts.
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, way] of Object.entries(ways)) {
        const began = performance.now();
        const count = await way();
        if (count !== OBSERVATIONS) throw new Error(`${name}: ${count} of ${OBSERVATIONS}`);
        best.set(name, Math.max(best.get(name) ?? 0, (count * 1_000) / (performance.now() - began)));
      }
    const base = best.get('bare read + decode')!;
    for (const [name, rate] of best)
      console.log(
        `${name.padEnd(26)} ${Math.round(rate).toLocaleString('en').padStart(9)} observations/s at ${LEVELS}+${LEVELS} levels, ratio ${(rate / base).toFixed(2)}`,
      );
  } finally {
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
