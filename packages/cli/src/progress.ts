// A progress bar for anything longer than two seconds, on a terminal only; scripts get none.

import { SingleBar } from 'cli-progress';

export type Progress = { update(done: number, total: number, note?: string): void; end(): void };

const APPEARS_AFTER_MS = 2_000;

export function createProgress(title: string, enabled = process.stderr.isTTY): Progress {
  const began = performance.now();
  let bar: SingleBar | null = null;
  return {
    update(done, total, note = '') {
      if (!enabled || performance.now() - began < APPEARS_AFTER_MS) return;
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
    },
    end() {
      bar?.stop();
    },
  };
}
