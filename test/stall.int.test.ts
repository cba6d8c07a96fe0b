// A recorder in a process of its own is stopped, and blocked, for longer than a stamp may be late: every watched book of every
// venue has the gap, nothing that came late is an observation, and the audit leaves out the same.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { GapClosed, GapOpened, Venue, VenueEvent } from '@ladderlog/core';
import { VENUES, isLateFrame } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { auditReport, runAudit } from '@ladderlog/replay';
import type { Simulators } from '@ladderlog/simulators';
import { startSimulators } from '@ladderlog/simulators';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { NOON, readAll } from './harness/capture.ts';
import type { RecorderOrder, RecorderReport } from './harness/recorder-process.ts';

const LIMIT_MS = 1_000;
const STOPPED_MS = 3_000;
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-stall-'));
const aheadMs = NOON + 60_000 - Date.now();
const clock = (): number => (Date.now() + aheadMs) * 1_000;

let simulators: Simulators;
let recorder: ChildProcess;
let log: EventLog;
let events: VenueEvent[];
/** Between these it was stopped or blocked, once. */
const held: { readonly from: number; readonly to: number }[] = [];

const tell = (order: RecorderOrder): boolean => recorder.send(order);

async function until(what: string, holds: (report: RecorderReport) => boolean): Promise<RecorderReport> {
  const deadline = performance.now() + 90_000;
  let report: RecorderReport | null = null;
  while (performance.now() < deadline) {
    [report] = (await once(recorder, 'message')) as [RecorderReport];
    if (holds(report)) return report;
  }
  throw new Error(`waited for ${what}: ${JSON.stringify(report)}`);
}

const isWell = ({ venues, stamps }: RecorderReport): boolean =>
  stamps.stalledSince === null &&
  venues.every(({ state, books, gapsOpen }) => state === 'capturing' && books > 0 && gapsOpen === 0);

beforeAll(async () => {
  simulators = await startSimulators({
    seed: 7,
    clock,
    record: false,
    venues: VENUES,
    updatesPerSecond: 20,
    windows: ['15m'],
  });
  recorder = fork(join(import.meta.dirname, 'harness', 'recorder-process.ts'), { stdio: 'inherit' });
  const settings = Object.fromEntries(
    VENUES.map((venue) => [venue, simulators.settings(venue)]),
  ) as unknown as Record<Venue, Record<string, string>>;
  const path = join(folder, 'log.sqlite');
  tell({ type: 'record', path, stampLimitMs: LIMIT_MS, aheadMs, settings });
  await until('books of all venues', isWell);

  const stoppedAt = clock();
  recorder.kill('SIGSTOP');
  await sleep(STOPPED_MS);
  held.push({ from: stoppedAt, to: clock() });
  recorder.kill('SIGCONT');
  const { stamps } = await until(
    'the end of the stop',
    (report) => report.stamps.stalls > 0 && isWell(report),
  );

  const blockedAt = clock();
  tell({ type: 'block', ms: STOPPED_MS });
  await until('the end of the block', (report) => report.stamps.stalls > stamps.stalls && isWell(report));
  held.push({ from: blockedAt, to: clock() });

  tell({ type: 'end' });
  await once(recorder, 'exit');
  log = await openSqliteLog({ path });
  events = await readAll(log);
});
afterAll(async () => {
  recorder.kill('SIGKILL');
  await log?.close();
  await simulators.close();
  rmSync(folder, { recursive: true, force: true });
});

const nameOf = ({ market, outcome }: { market: string; outcome: string | null }): string =>
  `${market}/${outcome}`;
const of = <T extends VenueEvent['type']>(venue: Venue, type: T) =>
  events.filter(
    (event): event is Extract<VenueEvent, { type: T }> => event.venue === venue && event.type === type,
  );

describe.each(VENUES)('%s', (venue) => {
  test('every book that was watched then has the gap, from before the stop to after it', () => {
    const opened = of(venue, 'GapOpened').filter(({ cause }) => cause === 'recorder_stalled');
    const closed = new Map(of(venue, 'GapClosed').map((gap) => [gap.gapId, gap]));
    for (const { from, to } of held) {
      const watched = of(venue, 'CaptureStarted').filter(
        (start) =>
          start.dataset === 'books' &&
          start.observedAt < from &&
          !of(venue, 'CaptureStopped').some(
            (end) => nameOf(end) === nameOf(start) && end.dataset === 'books' && end.observedAt < to,
          ),
      );
      expect(watched.length).toBeGreaterThan(0);
      const covers = (gap: GapOpened, end: GapClosed | undefined): boolean =>
        gap.dataset === 'books' &&
        gap.from < to &&
        end !== undefined &&
        end.to > from &&
        end.to - gap.from >= STOPPED_MS * 1_000;
      const inGap = new Set(opened.filter((gap) => covers(gap, closed.get(gap.gapId))).map(nameOf));
      expect(watched.map(nameOf).filter((name) => !inGap.has(name))).toEqual([]);
    }
  });

  test('nothing that came late is an observation; what came is on the tape', () => {
    const late = of(venue, 'GapClosed').filter(({ late: frames }) => frames.length > 0);
    const gaps = of(venue, 'GapClosed').filter(({ cause }) => cause === 'recorder_stalled');
    expect(gaps.length).toBeGreaterThan(0);
    const inside = of(venue, 'BookObserved').filter((book) =>
      gaps.some(
        (gap) =>
          gap.dataset === 'books' &&
          nameOf(book) === nameOf(gap) &&
          book.observedAt > gap.from &&
          book.observedAt < gap.to,
      ),
    );
    expect(inside).toEqual([]);
    const taped = of(venue, 'FrameCaptured').filter((frame) =>
      late.some((gap) => isLateFrame(gap.late, frame.session, frame.ordinal)),
    );
    expect(taped.length).toBeGreaterThan(0);
  });

  test('the audit leaves out the same: nothing differs, and nothing is left unjudged', async () => {
    const result = await runAudit({ log, venue });
    expect(auditReport(result).differences).toEqual([]);
    expect(result.notJudged).toEqual({});
    expect(result.books.judged).toBe(of(venue, 'BookObserved').length);
  });

  test('beats tell how late stamps were, within the limit', () => {
    const delays = of(venue, 'CaptureBeat').flatMap(({ stampDelay }) => stampDelay ?? []);
    expect(delays.length).toBeGreaterThan(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(LIMIT_MS * 1_000);
  });
});
