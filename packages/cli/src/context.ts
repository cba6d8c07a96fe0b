// What every command gets: the resolved configuration, a logger, an abort signal for Ctrl-C, and words for its output.

import { existsSync, readFileSync } from 'node:fs';

import { LadderlogError, isLadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';
import { destination, pino } from 'pino';
import { parse as parseYaml } from 'yaml';

import type { Config, ResolvedConfig } from './settings/config.ts';
import { resolveConfig } from './settings/config.ts';
import { masked } from './settings/setting-texts.ts';

/** Documented in docs/operations.md; scripts may rely on them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, different: 3, unavailable: 4, interrupted: 130 } as const;

export type Context = {
  readonly config: Config;
  readonly resolved: ResolvedConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly json: boolean;
  print(text: string): void;
  /** What a command found: as JSON with --json, else in words. */
  answer(value: unknown, words: () => string): void;
};

/** The only reader of the environment and the configuration file. */
export function loadConfig(
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv = process.env,
): ResolvedConfig {
  const path =
    (flags['config'] as string | undefined) ??
    env['LADDERLOG_CONFIG'] ??
    (existsSync('ladderlog.yaml') ? 'ladderlog.yaml' : null);
  let file: Record<string, unknown> = {};
  if (path !== null) {
    let parsed: unknown;
    try {
      parsed = parseYaml(readFileSync(path, 'utf8'));
    } catch (error) {
      throw new LadderlogError(
        'BAD_CONFIG',
        `cannot read the configuration file ${path}: ${(error as Error).message}`,
        { cause: error },
      );
    }
    if (parsed !== null && (typeof parsed !== 'object' || Array.isArray(parsed))) {
      throw new LadderlogError(
        'BAD_CONFIG',
        `${path} must hold a mapping of settings; see 'ladderlog config'`,
      );
    }
    file = (parsed ?? {}) as Record<string, unknown>;
  }
  return resolveConfig(flags, env, file);
}

/** `signal`: what ends it; Ctrl-C and SIGTERM unless given. */
export function createContext(flags: Readonly<Record<string, unknown>>, signal = interrupt()): Context {
  const resolved = loadConfig(flags);
  if (resolved.problems.length > 0) {
    throw new LadderlogError(
      'BAD_CONFIG',
      `the configuration has ${resolved.problems.length} problem${resolved.problems.length === 1 ? '' : 's'}:\n${resolved.problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
  // A person reads the command's own words; a line for every request would bury them.
  const quiet = resolved.origins.logLevel === 'default' && process.stderr.isTTY;
  const logger = pino(
    {
      level: quiet ? 'warn' : resolved.config.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: masked },
    },
    errorOutput(),
  );
  const json = flags['json'] === true;
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  return {
    config: resolved.config,
    resolved,
    logger,
    signal,
    json,
    print,
    answer: (value, words) => print(json ? JSON.stringify(value) : words()),
  };
}

let shared: AbortController | null = null;

/** npm passes on the Ctrl-C that the terminal gave us already; that is not a second one. */
const SAME_SIGNAL_MS = 500;

/** One for the process, however many commands run in it. */
let errors: ReturnType<typeof destination> | null = null;

/** At most this many characters wait for an output that takes none; later lines are dropped until it does. */
const WAITING_LINES = 1 << 20;

/** Log lines must not end what records, nor keep it from ending: where they cannot be written, as on a full disk, they wait. */
function errorOutput(): ReturnType<typeof destination> {
  if (errors) return errors;
  const output = destination({ fd: 2, sync: false, maxLength: WAITING_LINES });
  errors = output;
  let isStuck = false;
  output.on('error', () => (isStuck = true));
  output.on('write', () => (isStuck = false));
  // Before its own listener, which would try again for as long as the disk is full.
  process.prependListener('exit', () => {
    if (isStuck) output.destroy();
  });
  return output;
}

/** Ctrl-C and SIGTERM end cleanly; a second one ends at once. */
export function interrupt(): AbortSignal {
  if (shared) return shared.signal;
  const controller = new AbortController();
  shared = controller;
  let askedAt: number | null = null;
  const onSignal = (): void => {
    const now = performance.now();
    if (askedAt !== null && now - askedAt > SAME_SIGNAL_MS) process.exit(EXIT.interrupted);
    askedAt ??= now;
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  watchNpm(() => controller.abort());
  return controller.signal;
}

const NPM_WATCH_MS = 500;

/** npm and npx may end without passing on the signal that ended them; what they started must not be left behind. */
function watchNpm(onGone: () => void): void {
  if (process.env['npm_command'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, NPM_WATCH_MS).unref();
}

type ListenError = NodeJS.ErrnoException & {
  readonly port?: number;
  readonly address?: string;
  /** That chooses another port. */
  readonly flag?: string;
};

/** Prints an error for a person and returns the exit code. */
export function explain(error: unknown, debug: boolean): number {
  if (isLadderlogError(error)) {
    process.stderr.write(`ladderlog: ${masked(error.message)}\n`);
    if (debug) process.stderr.write(`${masked(error.stack ?? '')}\n`);
    if (error.code === 'BAD_CONFIG' || error.code === 'BAD_ARGUMENT') return EXIT.usage;
    return error.retryable || error.code === 'DATA_DIRECTORY_IN_USE' || error.code === 'STORE_LOCKED'
      ? EXIT.unavailable
      : EXIT.failed;
  }
  if (error instanceof Error && error.name === 'AbortError') return EXIT.interrupted;
  // One of its processes has told the reason already.
  if (error instanceof Error && 'exitCode' in error) return Number(error.exitCode);
  const { code, port, address, flag } = error as ListenError;
  if (code === 'EADDRINUSE') {
    process.stderr.write(
      `ladderlog: port ${port} on ${address} is in use; choose another with ${flag ?? '--port'}, or 0 for any free one\n`,
    );
    return EXIT.unavailable;
  }
  process.stderr.write(
    `ladderlog: ${masked(error instanceof Error ? ((debug ? error.stack : null) ?? error.message) : String(error))}\n`,
  );
  return EXIT.failed;
}
