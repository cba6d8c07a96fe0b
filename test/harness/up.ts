// A running `ladderlog up` and its processes, as tests and benches see them.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Started } from './ladderlog.ts';
import { eventually, launch, readyFacts } from './ladderlog.ts';
import { processState, processTree } from './processes.ts';

export type Role = 'recorder' | 'service' | 'engine' | 'simulators';

type Ready = { readonly url: string; readonly demoKey: string; readonly sqlUrl: string | null };

export type RunningUp = Ready & {
  readonly started: Started;
  readonly data: string;
  /** The processes now, by role; one that is being started again is left out. */
  pids(): Readonly<Partial<Record<Role, number>>>;
  pid(role: Role): number;
  restarts(role: Role): number;
  /** All of them, the supervisor too. */
  everyPid(): readonly number[];
  signal(role: Role, name: NodeJS.Signals): void;
  /** Kills it; resolves when another process has its place. */
  killAndAwait(role: Role): Promise<void>;
  /** SIGKILL of all of them, and the directory is removed. */
  remove(): Promise<void>;
};

type Listed = Readonly<Record<string, { readonly pid: number | null; readonly restarts: number }>>;

export type UpOptions = {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export async function startUp({ args = [], env = {} }: UpOptions = {}): Promise<RunningUp> {
  const data = mkdtempSync(join(tmpdir(), 'ladderlog-up-'));
  // As the product has it, where the test does not say otherwise.
  const limit = { LADDERLOG_STAMP_LIMIT_MS: '1000' };
  const started = launch(['up', '--json', '--port', '0', '--data', data, ...args], {
    env: { ...limit, ...env },
  });
  const ready = await readyFacts<Ready>(started).catch(async (error: unknown) => {
    await started.kill();
    rmSync(data, { recursive: true, force: true });
    throw error;
  });
  const listed = (): Listed =>
    (JSON.parse(readFileSync(join(data, 'processes.json'), 'utf8')) as { processes: Listed }).processes;
  const pid = (role: Role): number => {
    const found = listed()[role]?.pid ?? null;
    if (found === null) throw new Error(`there is no ${role} now`);
    return found;
  };
  const everyPid = (): number[] => processTree(started.pid);
  return {
    ...ready,
    started,
    data,
    pids: () =>
      Object.fromEntries(
        Object.entries(listed()).flatMap(([role, one]) => (one.pid ? [[role, one.pid]] : [])),
      ),
    pid,
    restarts: (role) => listed()[role]?.restarts ?? 0,
    everyPid,
    signal: (role, name) => void process.kill(pid(role), name),
    async killAndAwait(role) {
      const before = pid(role);
      process.kill(before, 'SIGKILL');
      await eventually(
        `another ${role}`,
        () => Promise.resolve(listed()[role]?.pid ?? null),
        (now) => now !== null && now !== before,
      );
    },
    async remove() {
      const left = everyPid();
      await started.kill();
      for (const one of left) endNow(one);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function endNow(pid: number): void {
  try {
    if (processState(pid) !== 'gone') process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Resolves when none of these processes is left. */
export const allGone = (pids: readonly number[], timeoutMs = 60_000): Promise<unknown> =>
  eventually(
    'the end of every process',
    () => Promise.resolve(pids.filter((pid) => processState(pid) !== 'gone')),
    (left) => left.length === 0,
    timeoutMs,
  );
