// Runs projectors one after another and kills each: at a random moment, or at a fail point; now and then the engine with it.

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
  /** Kills the engine too, where it is another process, and starts it again. */
  readonly killEngine?: () => Promise<void>;
};

export type KillReport = {
  readonly random: number;
  readonly atFailPoints: number;
  /** Lives that had reached the end of the log and were killed idle. */
  readonly idle: number;
  /** Lives after which the engine was killed too. */
  readonly engine: number;
};

type Death = Exclude<keyof KillReport, 'engine'>;

/** A kill of the engine comes with every so many. */
const ENGINE_EVERY = 5;

const CHILD = join(import.meta.dirname, 'projector-child.ts');

export async function killRepeatedly(plan: KillPlan): Promise<KillReport> {
  const report = { random: 0, atFailPoints: 0, idle: 0, engine: 0 };
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
    if (!plan.killEngine || kill % ENGINE_EVERY !== ENGINE_EVERY - 1) continue;
    await plan.killEngine();
    report.engine++;
  }
  return report;
}

/** A last projector that is left alive until all is in the tables. */
export async function finish(plan: Omit<ChildOptions, 'dieAt' | 'untilCaughtUp'>): Promise<void> {
  const child = start({ ...plan, dieAt: null, untilCaughtUp: true });
  const { code, errors } = await child.ended;
  if (code !== 0) throw new Error(`the last projector ended with ${code}: ${errors}`);
}

type Life = {
  readonly dieAt: ChildOptions['dieAt'];
  readonly killAfter: { readonly events: number; readonly ms: number } | null;
};

async function live(plan: KillPlan, life: Life): Promise<Death> {
  const { log, store, generation, maxRecords } = plan;
  const child = start({ log, store, generation, maxRecords, dieAt: life.dieAt, untilCaughtUp: false });
  let events = 0;
  let how: Death = life.killAfter ? 'random' : 'atFailPoints';
  let timer: NodeJS.Timeout | undefined;
  const killIn = (ms: number, as: Death): void => {
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

/** How much is asked for: a little, all of it (LADDERLOG_FULL=1), or what these variables say. */
export function sizeOf(usual: { readonly observations: number; readonly kills: number }): typeof usual {
  const { LADDERLOG_FULL, LADDERLOG_OBSERVATIONS, LADDERLOG_KILLS } = process.env;
  const isFull = LADDERLOG_FULL === '1';
  return {
    observations: Number(LADDERLOG_OBSERVATIONS ?? (isFull ? 1_000_000 : usual.observations)),
    kills: Number(LADDERLOG_KILLS ?? (isFull ? 100 : usual.kills)),
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
