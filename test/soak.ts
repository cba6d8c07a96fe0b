// A soak of `npm start`: simulated venues that misbehave, for as many minutes as asked (30 unless told otherwise).
//
//   node test/soak.ts            30 minutes
//   node test/soak.ts 5          5 minutes
//   node test/soak.ts 5 11       5 minutes, beginning with the eleventh fault (it is the seed)
//
// One fault every half minute; after the last the process is killed and started again. Then everything must hold: each gap in
// the log is one that an applied fault of its venue gives, or the kill, or a market that is new or near its end; each fault that
// must give a gap has one; `verify` and `audit` find nothing; memory of all processes together is flat and within its aim. Exit
// code 1 when not.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { EventType } from '@ladderlog/core';
import { VENUES, toIso } from '@ladderlog/core';
import { openSqliteLog, positionsFromBeginning, readEvents } from '@ladderlog/log';

import type { AppliedFault, Judgement, Kill, RecordedGap } from './harness/explain-gaps.ts';
import { judge } from './harness/explain-gaps.ts';
import type { Finished, Started } from './harness/ladderlog.ts';
import { eventually, ladderlog, launch, readyFacts } from './harness/ladderlog.ts';
import type { MemoryReport } from './harness/memory-samples.ts';
import { memoryReport } from './harness/memory-samples.ts';
import { processTree, sumPssMb } from './harness/processes.ts';

export type SoakReport = {
  readonly minutes: number;
  readonly memory: MemoryReport;
  readonly events: number;
  readonly observations: number;
  readonly logBytes: number;
  readonly gaps: number;
  readonly judgement: Judgement;
  /** Empty when all is well; for a person. */
  readonly problems: readonly string[];
};

const SAMPLE_MS = 10_000;
/** It takes a second; a machine that is shared may take its time. */
const END_MS = 30_000;

type Ready = { readonly url: string; readonly demoKey: string };

export async function soak(
  minutes: number,
  say: (line: string) => void = () => undefined,
  seed = 1,
): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-soak-'));
  const data = join(folder, 'data');
  const problems: string[] = [];
  const start = (): Started =>
    launch(['up', '--json', '--port', '0', '--data', data], {
      env: {
        LADDERLOG_SIMULATOR_FAULTS: 'true',
        LADDERLOG_SIMULATOR_SEED: String(seed),
        LADDERLOG_LOG_LEVEL: 'info',
      },
    });
  let up = start();
  try {
    const startedAt = Date.now();
    const { url } = await readyFacts<Ready>(up);
    say(`up after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s at ${url}`);
    const samples: number[] = [];
    const until = startedAt + minutes * 60_000;
    while (Date.now() < until) {
      const early = await Promise.race([sleep(Math.min(SAMPLE_MS, until - Date.now())), up.ended]);
      if (early) throw new Error(`up ended with ${early.code}: ${early.stderr.slice(-2_000)}`);
      samples.push(sumPssMb(processTree(up.pid)));
      const health = await fetch(`${url}/v3/health`);
      if (!health.ok) problems.push(`health answered ${health.status}`);
      if (samples.length % 6 === 0) say(`${samples.length / 6} min: ${samples.at(-1)!.toFixed(0)} MB`);
    }
    const verified = await clean(problems, 'verify', ladderlog(['verify', '--json', '--data', data]));

    const killedAt = Date.now() * 1_000;
    await up.kill();
    const before = up.stderr();
    up = start();
    const back = await readyFacts<Ready>(up);
    await eventually('capture of every venue after the kill', () => venueStates(back.url), all('capturing'));
    const kill: Kill = { at: killedAt, backAt: Date.now() * 1_000 };
    const { code, tookMs, stderr } = await up.interrupt();
    if (code !== 0) problems.push(`up ended with ${code}: ${stderr.slice(-500)}`);
    if (tookMs > END_MS) problems.push(`up took ${Math.round(tookMs)} ms to end`);

    await clean(problems, 'verify after the end', ladderlog(['verify', '--json', '--data', data]));
    for (const venue of VENUES)
      await clean(
        problems,
        `audit of ${venue}`,
        ladderlog(['audit', '--venue', venue, '--json', '--data', data]),
      );
    const path = join(data, 'log.sqlite');
    const gaps = await recordedGaps(path);
    const faults = [...appliedFaults(before), ...appliedFaults(stderr)];
    const judgement = judge(gaps, faults, [kill], killedAt);
    problems.push(
      ...judgement.unexplained.map((gap) => `unexplained gap: ${gapText(gap)}`),
      ...judgement.unnoticed.map(
        ({ venue, kind, at }) => `no gap after ${venue} ${kind} at ${toIso(at)}, which must give one`,
      ),
    );
    if (judgement.byKill === 0) problems.push('no gap of the kill');
    const memory = memoryReport(samples, minutes);
    if (memory.problem !== null) problems.push(memory.problem);
    return {
      minutes,
      memory,
      events: verified?.events ?? 0,
      observations: verified?.tables.find(({ table }) => table === 'book_snapshots')?.rows ?? 0,
      logBytes: statSync(path).size,
      gaps: gaps.length,
      judgement,
      problems,
    };
  } finally {
    await up.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Verified = { ok: boolean; events: number; tables: { table: string; rows: number }[] };

async function clean(problems: string[], what: string, running: Promise<Finished>): Promise<Verified | null> {
  const { code, stdout, stderr } = await running;
  if (code !== 0) problems.push(`${what}: exit code ${code} ${stdout.slice(0, 500)} ${stderr.slice(-500)}`);
  return code === 0 && what === 'verify' ? (JSON.parse(stdout) as Verified) : null;
}

async function venueStates(url: string): Promise<readonly (string | undefined)[]> {
  const answer = await fetch(`${url}/v3/health`);
  const { data } = (await answer.json()) as { data: { checks: Record<string, { state?: string }> } };
  return VENUES.map((venue) => data.checks[venue]?.state);
}

const all =
  (state: string) =>
  (states: readonly (string | undefined)[]): boolean =>
    states.every((one) => one === state);

/** Straight from the log: that the tables say the same is for `verify`. An open gap is restated under its own id. */
async function recordedGaps(path: string): Promise<RecordedGap[]> {
  const log = await openSqliteLog({ path });
  try {
    const gaps = new Map<string, RecordedGap>();
    const types: ReadonlySet<EventType> = new Set(['GapOpened', 'GapClosed']);
    for await (const events of readEvents(log, { from: await positionsFromBeginning(log, VENUES), types }))
      for (const { event } of events) {
        if (event?.type === 'GapClosed') {
          const opened = gaps.get(event.gapId);
          if (opened) gaps.set(event.gapId, { ...opened, to: event.to });
        } else if (event?.type === 'GapOpened' && !gaps.has(event.gapId))
          gaps.set(event.gapId, {
            venue: event.venue,
            market: event.market,
            outcome: event.outcome,
            cause: event.cause,
            from: event.from,
            openedAt: event.observedAt,
            to: null,
            hadBook: event.lastBefore !== null,
          });
      }
    return [...gaps.values()];
  } finally {
    await log.close();
  }
}

/** What the simulators did, from the log lines of the process they ran in. */
function appliedFaults(stderr: string): AppliedFault[] {
  return stderr
    .split('\n')
    .filter((line) => line.includes('"event":"simulator.fault"'))
    .map((line) => JSON.parse(line) as AppliedFault);
}

const gapText = ({ venue, market, outcome, cause, from, openedAt }: RecordedGap): string =>
  `${venue} ${market}${outcome === null ? '' : `/${outcome.slice(0, 12)}`} ${cause} from ${toIso(from)}, noticed ${toIso(openedAt)}`;

function table({ memory, judgement, ...report }: SoakReport): string {
  const rows = judgement.faults.map(({ venue, kind, applied, expects, gaps, noticedSeconds }) =>
    [
      venue.padEnd(7),
      kind.padEnd(18),
      String(applied).padStart(3),
      `  ${expects.padEnd(22)}`,
      String(gaps).padStart(5),
      noticedSeconds === null ? '' : `  ${noticedSeconds.toFixed(1)} s`,
    ].join(' '),
  );
  return [
    '',
    'venue   fault              applied expects               gaps  noticed after',
    ...rows,
    '',
    `${report.gaps} gaps: ${judgement.faults.reduce((sum, { gaps }) => sum + gaps, 0)} of faults, ${judgement.byKill} of the kill, ${judgement.byRotation} of markets that began or were near their end, ${judgement.unexplained.length} unexplained`,
    `memory: ${memory.secondQuarterMb} MB in the second quarter, ${memory.lastQuarterMb} MB in the last (${memory.rule}), at most ${memory.maxMb} MB`,
    `${report.events} events, ${report.observations} books, log ${(report.logBytes / 1024 / 1024).toFixed(1)} MB`,
    ...report.problems.map((problem) => `PROBLEM ${problem}`),
    report.problems.length === 0 ? 'clean' : 'NOT clean',
  ].join('\n');
}

if (import.meta.main) {
  const minutes = Number(process.argv[2] ?? 30);
  if (!(minutes > 0)) {
    console.error('how many minutes? node test/soak.ts 30');
    process.exit(2);
  }
  const report = await soak(minutes, (line) => console.log(line), Number(process.argv[3] ?? 1));
  console.log(table(report));
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
