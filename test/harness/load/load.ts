// Starts the load process, and tells a recorder how to reach it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Venue } from '@ladderlog/core';
import { adapterOf, venueSettingEnv } from '@ladderlog/core';

import { cleanEnv } from '../ladderlog.ts';

export const LOAD_VENUES = ['venueb', 'venuec'] as const;
export type LoadVenue = (typeof LOAD_VENUES)[number];

export type LoadReady = {
  /** By setting name, with the texts of keys that a recorder wants as files. */
  readonly settings: Readonly<Record<LoadVenue, Readonly<Record<string, string>>>>;
  /** Of the API, of each market: `venueb/<ticker>`. */
  readonly paths: readonly string[];
};

export type LoadStats = {
  readonly answers: number;
  /** Books that left: as many observations are recorded when nothing is lost. */
  readonly sent: Readonly<Record<LoadVenue, number>>;
  /** Books that clients watch now, of so many. */
  readonly watched: number;
  readonly books: number;
  readonly cpuSeconds: number;
  /** How late the load itself was at most since the rate was set, and how many frames it gave up. */
  readonly behindMs: number;
  readonly givenUp: number;
  /** Waiting for the slowest reader. */
  readonly unsentBytes: number;
};

export type Load = LoadReady & {
  readonly pid: number;
  /** Environment of a recorder. */
  readonly env: Readonly<Record<string, string>>;
  rate(framesPerSecond: number): void;
  stats(): Promise<LoadStats>;
  close(): Promise<void>;
};

export async function startLoad(): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-load-'));
  const child = fork(join(import.meta.dirname, 'load-process.ts'), {
    env: cleanEnv(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const [ready] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the load ended with ${String(code)}`))),
  ])) as [LoadReady];
  const waiting = new Map<number, (stats: LoadStats) => void>();
  child.on('message', (stats: LoadStats) => {
    waiting.get(stats.answers)?.(stats);
    waiting.delete(stats.answers);
  });
  let asked = 0;
  return {
    ...ready,
    pid: child.pid!,
    env: recorderEnv(ready.settings, folder),
    rate: (framesPerSecond) => void child.send({ rate: framesPerSecond }),
    stats: () =>
      new Promise((resolve) => {
        waiting.set(++asked, resolve);
        child.send({ ask: asked });
      }),
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Settings as a recorder's environment; the text of a key becomes a file. */
export function recorderEnv(
  settings: Readonly<Record<string, Readonly<Record<string, string>>>>,
  folder: string,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [venue, values] of Object.entries(settings))
    for (const [name, { textAs }] of Object.entries(adapterOf(venue as Venue).settings)) {
      const value = values[textAs ?? name];
      if (value === undefined) continue;
      const path = join(folder, `${venue}-${name}.pem`);
      if (textAs !== undefined) writeFileSync(path, value, { mode: 0o600 });
      env[venueSettingEnv(venue, name)] = textAs === undefined ? value : path;
    }
  return env;
}
