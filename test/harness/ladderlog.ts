// The command `ladderlog` as a process of its own, as an operator runs it.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const REPOSITORY = join(import.meta.dirname, '..', '..');
const MAIN = 'packages/cli/src/main.ts';

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Started = {
  readonly pid: number;
  readonly ended: Promise<Finished>;
  stdout(): string;
  stderr(): string;
  /** The first match in standard output; rejects with what was said when the process ends before. */
  says(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  /** Ctrl-C. */
  interrupt(): Promise<Finished & { readonly tookMs: number }>;
  /** Ends whatever still runs, at once. */
  kill(): Promise<void>;
};

export type LaunchOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Instead of the command itself, e.g. `npm start`; its children get the signals too. */
  readonly program?: readonly [string, ...string[]];
};

/** On a machine that is busy with other tests the recorder may be late; only tests of that want to hear of it. */
const USUAL = { LADDERLOG_STAMP_LIMIT_MS: '60000' };

/** Settings of whoever runs the tests must not reach the process under test. */
export function cleanEnv(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(
    ([name, value]) => !name.startsWith('LADDERLOG_') && !name.startsWith('VITEST') && value !== undefined,
  ) as [string, string][];
  return { ...Object.fromEntries(own), ...USUAL, ...extra };
}

/** A test run that is ended from outside must not leave processes behind. */
const open = new Set<() => void>();
process.on('exit', () => {
  for (const kill of open) kill();
});
process.once('SIGTERM', () => process.exit(143));

export function launch(args: readonly string[], options: LaunchOptions = {}): Started {
  const cwd = options.cwd ?? REPOSITORY;
  const [program, ...before] = options.program ?? [process.execPath, join(cwd, MAIN)];
  const child = spawn(program, [...before, ...args], {
    cwd,
    env: cleanEnv(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.program !== undefined,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  ended.catch(() => undefined);
  let isOver = false;
  const signal = (name: NodeJS.Signals): void => signalTo(child, name, options.program !== undefined);
  const kill = (): void => signal('SIGKILL');
  open.add(kill);
  void ended
    .finally(() => {
      isOver = true;
      open.delete(kill);
    })
    .catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    async says(pattern, timeoutMs = 200_000) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const match = pattern.exec(stdout);
        if (match) return match;
        if (isOver || performance.now() > deadline)
          throw new Error(
            `${isOver ? 'ended' : 'waited'} without saying ${pattern}:\n${stdout}\n${stderr.slice(-4_000)}`,
          );
        await sleep(25);
      }
    },
    async interrupt() {
      const began = performance.now();
      signal('SIGINT');
      return { ...(await ended), tookMs: performance.now() - began };
    },
    async kill() {
      if (isOver) return;
      signal('SIGKILL');
      await ended.catch(() => undefined);
    },
  };
}

function signalTo(child: ChildProcess, name: NodeJS.Signals, group: boolean): void {
  if (child.pid === undefined) return;
  try {
    process.kill(group ? -child.pid : child.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Runs a command to its end. */
export const ladderlog = (args: readonly string[], options: LaunchOptions = {}): Promise<Finished> =>
  launch(args, options).ended;

/** What `--json` prints when a role is ready. */
export async function readyFacts<T>(started: Started): Promise<T> {
  const [line] = await started.says(/^\{"event":"ready".*\}$/m);
  return JSON.parse(line) as T;
}

/** Asks until the answer satisfies; the last answer is in the failure. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T>,
  satisfies: (answer: T) => boolean,
  timeoutMs = 150_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let answer: T | undefined;
    let failure: unknown = null;
    try {
      answer = await ask();
      if (satisfies(answer)) return answer;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline)
      throw new Error(
        `${what} did not come: ${failure instanceof Error ? failure.message : JSON.stringify(answer).slice(0, 2_000)}`,
      );
    await sleep(100);
  }
}

export const isCheckout = (path: string): boolean => existsSync(join(path, MAIN));
