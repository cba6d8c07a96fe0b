import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';

import { pause } from '../venue/pause.ts';

/** Runs a task now and then again, a while after it ended. What a venue does never ends the loop; a fault of ours does. */
export async function every(
  ms: number,
  signal: AbortSignal,
  about: { readonly venue: string; readonly task: string; readonly logger: Logger },
  task: () => Promise<void>,
): Promise<void> {
  const { logger, ...names } = about;
  while (!signal.aborted) {
    try {
      await task();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LadderlogError)) throw error;
      logger.warn({ event: 'collector.task_failed', ...names, code: error.code }, error.message);
    }
    await pause(ms, signal);
  }
}
