// A soak of `npm start`: simulated venues that misbehave, for as many minutes as asked (30 unless told otherwise).
//
//   node test/soak.ts            30 minutes
//   node test/soak.ts 5          5 minutes
//
// Memory is sampled every ten seconds and its slope printed. At the end `verify` (and `audit`) must be clean, and every gap
// must have a cause and lie where a fault was applied, or at a start or an end. Exit code 1 when anything is unexplained.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { simulatorFaults } from '../packages/cli/src/simulator-faults.ts';
import type { Finished } from './harness/ladderlog.ts';
import { ladderlog, launch, readyFacts } from './harness/ladderlog.ts';

export type SoakReport = {
  readonly minutes: number;
  readonly memory: {
    readonly firstMb: number;
    readonly lastMb: number;
    readonly maxMb: number;
    /** Least squares over the second half: the first half fills caches. */
    readonly slopeMbPerHour: number;
  };
  readonly events: number;
  readonly observations: number;
  readonly logBytes: number;
  readonly gaps: number;
  readonly gapsByCause: Readonly<Record<string, number>>;
  readonly unexplained: readonly string[];
  readonly failures: readonly string[];
  readonly faults: number;
};

type Gap = {
  readonly venue: string;
  readonly market_id: string;
  readonly from: string;
  readonly to: string | null;
  readonly cause: string;
};

const SEED = 1;
const SAMPLE_MS = 10_000;
const MB = 1024 * 1024;
/** A fault is noticed late: silence after its timer, a lost token after the comparison with REST. */
const NOTICE_SECONDS = 90;

export async function soak(minutes: number, say: (line: string) => void): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-soak-'));
  const data = join(folder, 'data');
  const failures: string[] = [];
  const process = launch(['up', '--json', '--port', '0', '--metrics-port', '0', '--data', data], {
    env: {
      LADDERLOG_SIMULATOR_FAULTS: 'true',
      LADDERLOG_SIMULATOR_SEED: String(SEED),
      LADDERLOG_LOG_LEVEL: 'warn',
    },
  });
  const startedAt = Date.now();
  try {
    const ready = await readyFacts<{ url: string; demoKey: string; metricsPort: number }>(process);
    say(`up after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s at ${ready.url}`);
    const samples: { at: number; mb: number }[] = [];
    const until = startedAt + minutes * 60_000;
    while (Date.now() < until) {
      await Promise.race([sleep(Math.min(SAMPLE_MS, until - Date.now())), process.ended]);
      samples.push({ at: (Date.now() - startedAt) / 3_600_000, mb: residentMb(process.pid) });
      const health = await fetch(`${ready.url}/v3/health`);
      if (!health.ok) failures.push(`health answered ${health.status}`);
      if (samples.length % 6 === 0)
        say(`${(samples.length / 6).toFixed(0)} min: ${samples.at(-1)!.mb.toFixed(0)} MB`);
    }
    const gaps = await allGaps(ready.url, ready.demoKey);
    const verified = await clean(failures, 'verify', ladderlog(['verify', '--json', '--data', data]));
    const logBytes = statSync(join(data, 'log.sqlite')).size;
    const { code, tookMs, stderr } = await process.interrupt();
    const endedAt = Date.now();
    if (code !== 0) failures.push(`up ended with ${code}: ${stderr.slice(-500)}`);
    if (tookMs > 10_000) failures.push(`up took ${tookMs} ms to end`);
    await clean(failures, 'verify after the end', ladderlog(['verify', '--json', '--data', data]));
    for (const venue of ['venuea', 'venueb', 'venuec'])
      await clean(
        failures,
        `audit of ${venue}`,
        ladderlog(['audit', '--venue', venue, '--json', '--data', data]),
      );
    const faults = simulatorFaults(SEED).filter(({ at }) => Number(at) * 1_000 < endedAt - startedAt);
    const slopeFrom = samples.slice(Math.floor(samples.length / 2));
    return {
      minutes,
      memory: {
        firstMb: Math.round(samples[0]!.mb),
        lastMb: Math.round(samples.at(-1)!.mb),
        maxMb: Math.round(Math.max(...samples.map(({ mb }) => mb))),
        slopeMbPerHour: Math.round(slope(slopeFrom)),
      },
      events: verified?.events ?? 0,
      observations: verified?.tables.find(({ table }) => table === 'book_snapshots')?.rows ?? 0,
      logBytes,
      gaps: gaps.length,
      gapsByCause: Object.fromEntries(
        [...Map.groupBy(gaps, ({ cause }) => cause)].map(([cause, of]) => [cause, of.length]),
      ),
      unexplained: gaps
        .filter((gap) => !isExplained(gap, faults, startedAt, endedAt))
        .map((gap) => JSON.stringify(gap)),
      failures,
      faults: faults.length,
    };
  } finally {
    await process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Verified = { ok: boolean; events: number; tables: { table: string; rows: number }[] };

async function clean(failures: string[], what: string, running: Promise<Finished>): Promise<Verified | null> {
  const { code, stdout, stderr } = await running;
  if (code !== 0) failures.push(`${what}: exit code ${code} ${stdout.slice(0, 500)} ${stderr.slice(-500)}`);
  return code === 0 && what === 'verify' ? (JSON.parse(stdout) as Verified) : null;
}

/** With a cause, and no more than the time it takes to notice after a fault of its venue, or around the start or the end. */
function isExplained(
  { venue, from, cause }: Gap,
  faults: ReturnType<typeof simulatorFaults>,
  startedAt: number,
  endedAt: number,
): boolean {
  const at = Date.parse(from);
  if (cause === '') return false;
  if (at < startedAt + 15_000 || at > endedAt - 15_000) return true;
  return faults.some((fault) => {
    const began = startedAt + Number(fault.at) * 1_000;
    return (
      fault.venue === venue &&
      at > began - NOTICE_SECONDS * 1_000 &&
      at < began + ((fault.duration ?? 0) + NOTICE_SECONDS) * 1_000
    );
  });
}

async function allGaps(url: string, key: string): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (const venue of ['venuea', 'venueb', 'venuec']) {
    let cursor: string | null = '';
    while (cursor !== null) {
      const answer = await fetch(
        `${url}/v3/gaps?venue=${venue}&limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        { headers: { authorization: `Bearer ${key}` } },
      );
      if (!answer.ok) throw new Error(`gaps: ${answer.status} ${await answer.text()}`);
      const page = (await answer.json()) as { data: Gap[]; pagination: { next_cursor: string | null } };
      gaps.push(...page.data.map((gap) => ({ ...gap, venue })));
      cursor = page.pagination.next_cursor;
    }
  }
  return gaps;
}

function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kb) * 1_024) / MB;
}

function slope(points: readonly { at: number; mb: number }[]): number {
  const n = points.length;
  const meanX = points.reduce((sum, { at }) => sum + at, 0) / n;
  const meanY = points.reduce((sum, { mb }) => sum + mb, 0) / n;
  const above = points.reduce((sum, { at, mb }) => sum + (at - meanX) * (mb - meanY), 0);
  const below = points.reduce((sum, { at }) => sum + (at - meanX) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

if (import.meta.main) {
  const minutes = Number(process.argv[2] ?? 30);
  if (!(minutes > 0)) {
    console.error('how many minutes? node test/soak.ts 30');
    process.exit(2);
  }
  const report = await soak(minutes, (line) => console.log(line));
  console.log(JSON.stringify(report, null, 2));
  const ok = report.failures.length === 0 && report.unexplained.length === 0;
  console.log(ok ? 'clean' : 'NOT clean');
  process.exitCode = ok ? 0 : 1;
}
