// The feed in a process of its own (test/e2e/feed-server.ts), and what it says about itself.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FeedLimits } from '@ladderlog/feed';
import { cleanEnv } from './ladderlog.ts';

export type FeedCounts = {
  readonly clients: number;
  readonly sent: number;
  readonly conflated: number;
  readonly closed: Readonly<Record<string, number>>;
  readonly rss: number;
  readonly peakRss: number;
};

export type FeedProcess = {
  readonly port: number;
  readonly url: string;
  counts(): Promise<FeedCounts>;
  /** SIGKILL; resolved when it is gone. */
  kill(): Promise<void>;
};

export async function startFeedProcess(
  path: string,
  port = 0,
  limits: Partial<FeedLimits> = {},
): Promise<FeedProcess> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, '..', 'e2e', 'feed-server.ts'), path, String(port), JSON.stringify(limits)],
    { stdio: ['pipe', 'pipe', 'inherit'], env: cleanEnv() },
  );
  const lines = createInterface({ input: child.stdout! });
  const waiting: ((line: string) => void)[] = [];
  lines.on('line', (line) => waiting.shift()?.(line));
  const ended = once(child, 'close');
  const line = (): Promise<string> =>
    Promise.race([
      new Promise<string>((resolve) => waiting.push(resolve)),
      ended.then(() => Promise.reject(new Error('the feed process ended'))),
    ]);
  ended.catch(() => undefined);
  const listening = JSON.parse(await line()) as { port: number };
  return {
    port: listening.port,
    url: `ws://127.0.0.1:${listening.port}/v3/stream`,
    async counts() {
      const answer = line();
      child.stdin!.write('?\n');
      return JSON.parse(await answer) as FeedCounts;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
