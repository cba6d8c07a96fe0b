// A progress bar for anything longer than two seconds, on a terminal only; scripts get none.

import { SingleBar } from 'cli-progress';

export type OnProgress = (done: number, total: number, note?: string) => void;

const APPEARS_AFTER_MS = 2_000;

/** Shows how far the work is while it runs. */
export async function withProgress<T>(title: string, work: (update: OnProgress) => Promise<T>): Promise<T> {
  const began = performance.now();
  let bar: SingleBar | null = null;
  const update: OnProgress = (done, total, note = '') => {
    if (!process.stderr.isTTY || performance.now() - began < APPEARS_AFTER_MS) return;
    if (!bar) {
      bar = new SingleBar({
        stream: process.stderr,
        format: `${title} [{bar}] {percentage}% {note} ETA {eta_formatted}`,
        hideCursor: true,
        clearOnComplete: true,
        etaBuffer: 100,
      });
      bar.start(Math.max(1, total), done, { note });
    }
    bar.setTotal(Math.max(1, total));
    bar.update(Math.min(done, total), { note });
  };
  return work(update).finally(() => bar?.stop());
}
