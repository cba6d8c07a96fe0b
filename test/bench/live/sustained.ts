// How many live observations a second are held: steps of the rate, each with no gap and tables at most 5 s behind.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Load } from '../../harness/load/load.ts';
import { busySeconds } from '../../harness/processes.ts';
import type { Bulk } from './bulk.ts';
import type { Running, Span } from './running.ts';
import { difference, named, sum } from './running.ts';

const PARTS = [0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const MOST_BEHIND_SECONDS = 5;
const SETTLE_MS = 5_000;

type Step = { readonly held: boolean; readonly perSecond: number };

/** The highest rate that was held, observations a second. */
export async function sustained(up: Running, load: Load, bulk: Bulk, seconds: number): Promise<number> {
  let held = 0;
  for (const part of PARTS) {
    const step = await tryRate(up, load, part, bulk, seconds);
    if (!step.held) break;
    held = step.perSecond;
  }
  load.rate(0);
  await up.caughtUp();
  console.log(
    `sustained: ${held.toFixed(0)} observations/s of ${bulk.perSecond.toFixed(0)} in bulk: ${(held / bulk.perSecond).toFixed(2)} (aim ≥ 0.7)`,
  );
  return held;
}

async function tryRate(up: Running, load: Load, part: number, bulk: Bulk, seconds: number): Promise<Step> {
  const rate = Math.round(part * bulk.perSecond);
  const [before, cpu] = [await load.stats(), up.cpu()];
  const [busy, own] = [busySeconds(), process.cpuUsage()];
  const from = Date.now();
  load.rate(rate);
  let behind = 0;
  while (Date.now() - from < seconds * 1_000) {
    await sleep(1_000);
    const now = await up.behind(from).catch(() => Infinity);
    if (Date.now() - from > SETTLE_MS) behind = Math.max(behind, now);
    if (behind > 4 * MOST_BEHIND_SECONDS) break;
  }
  const after = await load.stats();
  const took = (Date.now() - from) / 1_000;
  const spent = difference(up.cpu(), cpu);
  const sent = after.sent.venueb + after.sent.venuec - before.sent.venueb - before.sent.venuec;
  const gaps = await gapsWithin(up, { from, to: Date.now() }).catch(() => Infinity);
  const loaded = after.cpuSeconds - before.cpuSeconds;
  const others = busySeconds() - busy - sum(spent) - loaded - secondsOf(process.cpuUsage(own));
  const kept = after.givenUp === before.givenUp;
  const held = behind <= MOST_BEHIND_SECONDS && gaps === 0 && kept;
  console.log(
    `  ${part.toFixed(1)} of bulk, ${(sent / took).toFixed(0)}/s: ${held ? 'held' : 'NOT held'}; tables at most ${behind.toFixed(1)} s behind, ${gaps} gaps; ` +
      `cores: ${named(perSecond(spent, took))}, together ${(sum(spent) / took).toFixed(2)}; load ${(loaded / took).toFixed(2)}` +
      `, all else on this machine ${(Math.max(0, others) / took).toFixed(2)}; the load at most ${after.behindMs} ms late${kept ? '' : ', could NOT keep the rate'}`,
  );
  return { held, perSecond: sent / took };
}

const secondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

const perSecond = (of: Readonly<Record<string, number>>, seconds: number): Record<string, number> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, value / seconds]));

/** Gaps that begin in this time; those of the beginning of capture are older. */
export async function gapsWithin(up: Running, { from, to }: Span): Promise<number> {
  const [row] = await up.sql<{ gaps: string }>(
    `SELECT count() AS gaps FROM v_gaps WHERE from_at >= fromUnixTimestamp64Milli(${from}) AND from_at < fromUnixTimestamp64Milli(${to})`,
  );
  return Number(row!.gaps);
}
