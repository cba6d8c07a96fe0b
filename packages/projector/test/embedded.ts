// A log and a store on real files, for tests. chDB allows one data directory a process, so a test file has one store; each
// test has a log of its own and projects it into a generation of its own.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { LadderEvent } from '@ladderlog/core';
import { PROJECTIONS } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { openChdbStore } from '@ladderlog/store';
import pino from 'pino';

import type { CursorStore, Projector, ProjectorOptions, VerifyResult } from '../src/index.ts';
import { createProjector, openSqliteCursors, verify } from '../src/index.ts';
import { sumTables } from '../src/verify/sums.ts';
import type { TableSummary } from '../src/verify/verify.ts';
import { summaryOf } from '../src/verify/verify.ts';
import type { FailPoints } from './fail-points.ts';
import { withFailPoints } from './fail-points.ts';
import { inBatches } from './generate.ts';

export const silent = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });

export type Embedded = { readonly folder: string; readonly store: Store; close(): Promise<void> };

export async function openEmbedded(): Promise<Embedded> {
  const folder = mkdtempSync(join(tmpdir(), 'projector-'));
  const store = await openChdbStore({ path: join(folder, 'store') });
  await store.migrate();
  return {
    folder,
    store,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Bench = {
  readonly log: EventLog;
  readonly cursors: CursorStore;
  readonly path: string;
  close(): Promise<void>;
};

let logs = 0;

export async function openBench(folder: string, events: Iterable<LadderEvent> = []): Promise<Bench> {
  const path = join(folder, `log-${++logs}.db`);
  const log = await openSqliteLog({ path, partitions: 2, heartbeatMs: 200, sessionMs: 5_000, upkeepMs: 0 });
  for (const batch of inBatches(events, 1_000)) await log.append(batch);
  const cursors = openSqliteCursors(path);
  return {
    log,
    cursors,
    path,
    async close() {
      await cursors.close();
      await log.close();
    },
  };
}

type Some = Partial<ProjectorOptions> &
  Pick<ProjectorOptions, 'log' | 'store' | 'cursors' | 'generation'> & {
    readonly failPoints?: FailPoints;
    /** All partitions as one set; the only member of the group has them all. */
    readonly together?: boolean;
  };

export const projectorOf = ({ failPoints = {}, together = false, ...options }: Some): Projector =>
  createProjector({
    input: { consume: (request) => options.log.consume(request), together },
    projections: PROJECTIONS,
    logger: silent,
    ...options,
    ...withFailPoints(options, failPoints),
    limits: { maxWaitMs: 20, minBackoffMs: 1, maxBackoffMs: 20, repairDelayMs: 20, ...options.limits },
  });

/** Runs a projector until all of the log is in the tables, or until it fails. */
export async function projectAll(options: Some): Promise<Projector> {
  const projector = projectorOf(options);
  await until(projector, (signal) => projector.caughtUp(signal));
  return projector;
}

/** Runs a projector until it fails by itself. */
export const runs = (options: Some): Promise<void> => projectorOf(options).run(new AbortController().signal);

export async function until(
  projector: Projector,
  condition: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const running = projector.run(stop.signal);
  try {
    await Promise.race([condition(stop.signal), running]);
  } finally {
    stop.abort();
    await running;
  }
}

export const verifyAll = (options: Some): Promise<VerifyResult> =>
  verify({
    log: options.log,
    store: options.store,
    cursors: options.cursors,
    projections: options.projections ?? PROJECTIONS,
    generation: options.generation,
  });

/** What the tables hold, without the log: enough to hold two builds against each other. */
export async function tableChecksums(store: Store, generation: number): Promise<TableSummary[]> {
  const tables = await sumTables(store, PROJECTIONS, generation);
  return PROJECTIONS.map(({ table }) => summaryOf(table, tables.get(table)!));
}
