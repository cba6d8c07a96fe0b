// Runs projectors one after another and kills each: at a random moment, or at a fail point.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { FAIL_POINTS } from '../../packages/projector/test/fail-points.ts';
import type { ChildOptions } from './projector-child.ts';

export type KillPlan = Omit<ChildOptions, 'dieAt' | 'untilCaughtUp'> & {
  readonly kills: number;
  /** About so many records are to pass between two kills. */
  readonly recordsPerLife: number;
  /** A projector that has written nothing for so long has no more to do, and is killed idle. */
  readonly idleMs: number;
  readonly random: () => number;
};

export type KillReport = {
  readonly random: number;
  readonly atFailPoints: number;
  /** Lives that had reached the end of the log and were killed idle. */
  readonly idle: number;
};

const CHILD = join(import.meta.dirname, 'projector-child.ts');

export async function killRepeatedly(plan: KillPlan): Promise<KillReport> {
  const report = { random: 0, atFailPoints: 0, idle: 0 };
  const { random } = plan;
  for (let kill = 0; kill < plan.kills; kill++) {
    const atFailPoint = kill % 2 === 0;
    const ranges = Math.max(1, Math.round((plan.recordsPerLife / plan.maxRecords) * 2 * random()));
    const point = FAIL_POINTS[Math.floor(random() * FAIL_POINTS.length)]!;
    const died = await live(plan, {
      dieAt: atFailPoint ? { point, times: point === 'afterInsert' ? ranges * 3 : ranges } : null,
      killAfter: atFailPoint ? null : { events: 2 * plan.recordsPerLife * random(), ms: 40 * random() },
    });
    report[died]++;
  }
  return report;
}

/** A last projector that is left alive until all is in the tables. */
export async function finish(
  plan: Omit<KillPlan, 'kills' | 'recordsPerLife' | 'idleMs' | 'random'>,
): Promise<void> {
  const { log, storePath, generation, maxRecords } = plan;
  const child = start({ log, storePath, generation, maxRecords, dieAt: null, untilCaughtUp: true });
  const { code, errors } = await child.ended;
  if (code !== 0) throw new Error(`the last projector ended with ${code}: ${errors}`);
}

type Life = {
  readonly dieAt: ChildOptions['dieAt'];
  readonly killAfter: { readonly events: number; readonly ms: number } | null;
};

async function live(plan: KillPlan, life: Life): Promise<keyof KillReport> {
  const { log, storePath, generation, maxRecords } = plan;
  const child = start({ log, storePath, generation, maxRecords, dieAt: life.dieAt, untilCaughtUp: false });
  let events = 0;
  let how: keyof KillReport = life.killAfter ? 'random' : 'atFailPoints';
  let timer: NodeJS.Timeout | undefined;
  const killIn = (ms: number, as: keyof KillReport): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      how = as;
      child.kill();
    }, ms);
  };
  child.onLine((line) => {
    events += line.events ?? 0;
    if (life.killAfter && events >= life.killAfter.events) killIn(life.killAfter.ms, 'random');
    else killIn(plan.idleMs, 'idle');
  });
  const { signal, errors } = await child.ended;
  clearTimeout(timer);
  if (signal !== 'SIGKILL') throw new Error(`a projector ended by itself: ${errors}`);
  return how;
}

function start(options: ChildOptions) {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  const ended = new Promise<{ code: number | null; signal: string | null; errors: string }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, errors }));
  });
  return {
    ended,
    kill: () => child.kill('SIGKILL'),
    onLine(listener: (line: { ready?: boolean; events?: number }) => void): void {
      lines.on('line', (line) => {
        try {
          listener(JSON.parse(line) as { events?: number });
        } catch {
          // A line cut short by the kill.
        }
      });
    },
  };
}

/** Seeded, so that a failure can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
