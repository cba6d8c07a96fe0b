// How late frames are stamped: observed_at minus the load's time of sending, alone and beside readers of every kind.

import { setTimeout as sleep } from 'node:timers/promises';

import { ladderlog, launch } from '../../harness/ladderlog.ts';
import type { Load } from '../../harness/load/load.ts';
import { startReaders } from './readers.ts';
import type { Running, Span } from './running.ts';
import { difference, named } from './running.ts';
import { gapsWithin } from './sustained.ts';

const FEED_CLIENTS = 20;
const LIMIT_MS = 250;
/** So many times as long as without readers, a rebuild may take. */
const ENOUGH = 6;

type Late = { readonly p50: number; readonly p99: number; readonly p999: number; readonly max: number };

export async function stamps(up: Running, load: Load, rate: number, seconds: number): Promise<void> {
  const since = new Date(Date.now() - 10 * 60_000).toISOString();
  const key = await deskKey(up.data);
  load.rate(rate);
  await sleep(3_000);
  const alone = await during(() => sleep(seconds * 1_000));
  console.log(`stamps at ${rate} observations/s, ${seconds} s without readers, then with them:`);
  const readers = startReaders({
    url: up.url,
    key,
    sqlUrl: up.sqlUrl,
    from: since,
    pages: load.paths.map((path) => `${path}/snapshots?include_orderbook=true&limit=500`),
    feedClients: FEED_CLIENTS,
    pageLoops: 4,
    sqlLoops: 2,
  });
  const cpu = up.cpu();
  let rebuilds = 0;
  const beside = await during(async () => {
    const until = Date.now() + seconds * 1_000;
    do rebuilds += await rebuild(up.data, ENOUGH * seconds * 1_000);
    while (Date.now() < until);
  });
  const did = await readers.stats();
  const spent = difference(up.cpu(), cpu);
  await readers.close();
  load.rate(0);
  await up.caughtUp();
  const [without, besides] = [await late(up, alone), await late(up, beside)];
  console.log(`  without readers: ${text(without)}; ${await gapsWithin(up, alone)} gaps`);
  console.log(`  with readers:    ${text(besides)}; ${await gapsWithin(up, beside)} gaps`);
  console.log(
    `  p99.9 is ${(besides.p999 - without.p999).toFixed(1)} ms later beside readers (aim ≤ ${LIMIT_MS} and 0 gaps); ${FEED_CLIENTS} clients read ${did.histories} histories and ${did.messages} messages, ` +
      `${did.pages} pages, ${did.statements} statements, ${rebuilds} rebuilds in ${((beside.to - beside.from) / 1_000).toFixed(0)} s; ${did.errors} refused ${JSON.stringify(did.mistakes)}`,
  );
  console.log(`  processor seconds beside readers: ${named(spent, 1)}, readers ${did.cpuSeconds.toFixed(1)}`);
}

/** 1 when it ended well; one that takes too long is left alone (it goes on where the tables are), and counts as none. */
async function rebuild(data: string, timeoutMs: number): Promise<number> {
  const running = launch(['rebuild', '--json', '--data', data]);
  const ended = await Promise.race([running.ended, sleep(timeoutMs, null, { ref: false })]);
  await running.kill();
  if (ended === null) return 0;
  if (ended.code !== 0) throw new Error(`rebuild ended with ${ended.code}: ${ended.stderr}`);
  return 1;
}

async function during(act: () => Promise<unknown>): Promise<Span> {
  const from = Date.now();
  await act();
  return { from, to: Date.now() };
}

async function deskKey(data: string): Promise<string> {
  const { code, stdout, stderr } = await ladderlog([
    'keys',
    'issue',
    '--plan',
    'desk',
    '--name',
    'bench',
    '--json',
    '--data',
    data,
  ]);
  if (code !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { key: string }).key;
}

const within = ({ from, to }: Span): string =>
  `observed_at >= fromUnixTimestamp64Milli(${from}) AND observed_at < fromUnixTimestamp64Milli(${to})`;

/** Milliseconds. */
async function late(up: Running, span: Span): Promise<Late> {
  const lateness = 'toUnixTimestamp64Micro(observed_at) - toUnixTimestamp64Micro(source_ts)';
  const [row] = await up.sql<{ parts: number[]; most: string }>(
    `SELECT quantilesExact(0.5, 0.99, 0.999)(${lateness}) AS parts, max(${lateness}) AS most FROM v_books WHERE source_ts IS NOT NULL AND ${within(span)}`,
  );
  const [p50, p99, p999] = row!.parts.map((micros) => micros / 1_000);
  return { p50: p50!, p99: p99!, p999: p999!, max: Number(row!.most) / 1_000 };
}

const text = ({ p50, p99, p999, max }: Late): string =>
  `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, p99.9 ${p999.toFixed(1)}, max ${max.toFixed(1)} ms`;
