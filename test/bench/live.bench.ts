// Live capture in the default `ladderlog up`, all processes: what it holds, what it costs at rest, how late frames are stamped
// beside readers, and how much memory all of it takes. The load is a process of its own (test/harness/load).
//
// LADDERLOG_BENCH_SECONDS: how long a step takes (20). LADDERLOG_BENCH_PARTS: some of rest,sustained,stamps.

import { startLoad } from '../harness/load/load.ts';
import { eventually } from '../harness/ladderlog.ts';
import type { Bulk } from './live/bulk.ts';
import { bulkCapture, parseMicros } from './live/bulk.ts';
import { costAtRest } from './live/rest.ts';
import { named, startRunning, sum } from './live/running.ts';
import { stamps } from './live/stamps.ts';
import { sustained } from './live/sustained.ts';

const SECONDS = Number(process.env['LADDERLOG_BENCH_SECONDS'] ?? 20);
const PARTS = (process.env['LADDERLOG_BENCH_PARTS'] ?? 'rest,sustained,stamps').split(',');
/** At what part of bulk stamps are looked at, unless less is held. */
const STAMPED_PART = 0.2;

export async function run(): Promise<void> {
  const parse = parseMicros();
  const bulk = await bulkCapture();
  console.log(
    `bulk capture: ${bulk.perSecond.toFixed(0)} observations/s, ${bulk.cpuMicros.toFixed(0)} µs of processor time each, frames of ${bulk.frameBytes.toFixed(0)} bytes on average; JSON.parse of a 2.9 KB book ${parse.toFixed(1)} µs`,
  );
  if (PARTS.includes('rest')) await costAtRest(3 * SECONDS, parse);
  if (PARTS.includes('sustained') || PARTS.includes('stamps')) await underLoad(bulk);
}

async function underLoad(bulk: Bulk): Promise<void> {
  const load = await startLoad();
  try {
    const up = await startRunning(['--venues', 'venueb,venuec'], load.env);
    try {
      await eventually(
        'every book watched',
        () => load.stats(),
        ({ watched, books }) => watched === books,
      );
      let rate = STAMPED_PART * bulk.perSecond;
      if (PARTS.includes('sustained'))
        rate = Math.min(rate, (await sustained(up, load, bulk, SECONDS)) || rate / 4);
      if (PARTS.includes('stamps')) await stamps(up, load, Math.round(rate), SECONDS);
      const memory = up.memoryMb();
      console.log(`memory after the load: ${sum(memory).toFixed(0)} MB (${named(memory, 0)}; aim ≤ 700)`);
    } finally {
      await up.close();
    }
  } finally {
    await load.close();
  }
}
