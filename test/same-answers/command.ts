// The command as a process, and nothing else of this repository: these tests must run unchanged on any version of the code.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MAIN = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'src', 'main.ts');
const CLOCK = pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts')).href;

export type Ended = { readonly code: number | null; readonly stdout: Buffer; readonly stderr: string };

export type Running = {
  readonly ended: Promise<Ended>;
  /** The line of JSON that a role prints when it is ready. */
  ready(): Promise<Readonly<Record<string, unknown>>>;
  /** SIGTERM, then the end. */
  stop(): Promise<Ended>;
};

/** Settings of whoever runs the tests must not reach the process. */
const ownEnv = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name, value]) => value !== undefined && !/^(LADDERLOG_|VITEST|NODE_OPTIONS)/.test(name),
    ) as [string, string][],
  );

const open = new Set<() => void>();
process.on('exit', () => {
  for (const kill of open) kill();
});

/** @param at what the wall clock of the process shows at its start, in milliseconds. */
export function start(
  args: readonly string[],
  options: { readonly at: number; readonly cwd: string },
): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd,
    env: {
      ...ownEnv(),
      NODE_OPTIONS: `--import ${CLOCK}`,
      SHIFTED_CLOCK_MS: String(options.at - Date.now()),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  open.add(kill);
  const stdout: Buffer[] = [];
  let stderr = '';
  let isOver = false;
  child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => {
    isOver = true;
    open.delete(kill);
    return { code: code as number | null, stdout: Buffer.concat(stdout), stderr };
  });
  ended.catch(() => undefined);
  return {
    ended,
    async ready() {
      for (;;) {
        const line = /^\{"event":"ready".*\}$/m.exec(Buffer.concat(stdout).toString());
        if (line) return JSON.parse(line[0]) as Record<string, unknown>;
        if (isOver) throw new Error(`${args.join(' ')} ended before it was ready:\n${stderr.slice(-4_000)}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
