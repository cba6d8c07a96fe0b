// Starts the readers.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { cleanEnv } from '../../harness/ladderlog.ts';

export type ReaderTask = {
  readonly url: string;
  readonly key: string;
  readonly sqlUrl: string;
  /** Since when the feed's clients read. */
  readonly from: string;
  /** Paths below /v3. */
  readonly pages: readonly string[];
  readonly feedClients: number;
  readonly pageLoops: number;
  readonly sqlLoops: number;
};

export type ReaderStats = {
  readonly histories: number;
  readonly messages: number;
  readonly pages: number;
  readonly statements: number;
  readonly errors: number;
  readonly cpuSeconds: number;
  readonly mistakes: Readonly<Record<string, number>>;
};

export type Readers = { stats(): Promise<ReaderStats>; close(): Promise<void> };

export function startReaders(task: ReaderTask): Readers {
  const child = fork(join(import.meta.dirname, 'reader-process.ts'), [JSON.stringify(task)], {
    env: cleanEnv(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  return {
    async stats() {
      const answer = once(child, 'message');
      child.send('stats');
      const [stats] = await Promise.race([
        answer,
        ended.then(() => Promise.reject(new Error('the readers ended'))),
      ]);
      return stats as ReaderStats;
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
