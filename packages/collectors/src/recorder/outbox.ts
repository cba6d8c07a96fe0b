// Between the sockets and the log: events wait here, in order, to be appended in batches. Policy at this border: nothing is
// ever dropped. When the log cannot accept and the buffer is full, `blocked` turns true: the streams then close their
// sockets (a gap with cause log_unavailable) and connect again when the buffer has drained.

import type { LadderEvent } from '@ladderlog/core';
import { isLadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';

import { backoffMs } from '../venue/backoff.ts';
import { encodable } from './encodable.ts';

export type OutboxOptions = {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly maxEvents?: number;
  readonly maxBatch?: number;
  /** How long a lone event may wait for company. */
  readonly maxDelayMs?: number;
  readonly onAppended?: (events: readonly LadderEvent[], tookMs: number) => void;
  /** The log failed in a way that a retry cannot mend. */
  readonly onFatal: (error: unknown) => void;
};

export type Outbox = {
  push(events: readonly LadderEvent[]): void;
  /** Resolves when everything pushed so far is durable. */
  flush(): Promise<void>;
  readonly blocked: boolean;
  readonly size: number;
  /** Resolves when the buffer accepts again; at once when it does now. */
  unblocked(): Promise<void>;
  close(): Promise<void>;
};

export function createOutbox(options: OutboxOptions): Outbox {
  const { log, logger, maxEvents = 50_000, maxBatch = 2_000, maxDelayMs = 25 } = options;
  let queue: LadderEvent[] = [];
  let blocked = false;
  let running: Promise<void> | null = null;
  let closed = false;
  let wakeRetry: (() => void) | null = null;
  const waiting: (() => void)[] = [];

  const drain = async (): Promise<void> => {
    if (queue.length < maxBatch) await delay(maxDelayMs);
    let attempt = 0;
    let most = maxBatch;
    while (queue.length > 0) {
      const batch = queue.slice(0, most);
      const began = performance.now();
      try {
        await log.append(batch);
      } catch (error) {
        if (!isLadderlogError(error) || !error.retryable) {
          const sound = encodable(log.codec, batch);
          if (sound !== batch) {
            logger.error({ event: 'outbox.not_encodable' }, (error as Error).message);
            queue.splice(0, batch.length, ...sound);
            continue;
          }
          // Each fits, all of them together do not: after an outage large frames lie close together.
          if (isLadderlogError(error) && error.code === 'LOG_RECORD_TOO_LARGE' && batch.length > 1) {
            most = Math.ceil(batch.length / 2);
            continue;
          }
          options.onFatal(error);
          throw error;
        }
        if (attempt === 0)
          logger.warn(
            { event: 'outbox.append_failed', code: error.code, waiting: queue.length },
            error.message,
          );
        const waitMs = backoffMs(attempt++, Math.random(), { baseMs: 100, maxMs: 5_000 });
        await new Promise<void>((resolve) => {
          wakeRetry = resolve;
          setTimeout(resolve, waitMs).unref();
        });
        wakeRetry = null;
        if (closed && attempt > 20) throw error;
        continue;
      }
      if (attempt > 0)
        logger.info({ event: 'outbox.append_recovered', attempts: attempt }, 'the log accepts again');
      attempt = 0;
      most = maxBatch;
      queue = queue.slice(batch.length);
      options.onAppended?.(batch, performance.now() - began);
      // A commit of the embedded log may settle without a turn of the event loop; sockets and timers get theirs here.
      await new Promise((resolve) => setImmediate(resolve));
      if (blocked && queue.length < maxEvents / 2) {
        blocked = false;
        for (const resolve of waiting.splice(0)) resolve();
      }
    }
  };

  const kick = (): Promise<void> => {
    running ??= drain().finally(() => {
      running = null;
    });
    return running;
  };

  const drained = async (): Promise<void> => {
    for (let work = running; work !== null || queue.length > 0; work = running) await (work ?? kick());
  };

  return {
    push(events) {
      if (events.length === 0) return;
      for (const event of events) queue.push(event);
      if (!blocked && queue.length >= maxEvents) {
        blocked = true;
        logger.error(
          { event: 'outbox.blocked', waiting: queue.length },
          'the log does not accept; capture stops until it does',
        );
      }
      kick().catch(() => undefined);
    },
    flush: drained,
    get blocked() {
      return blocked;
    },
    get size() {
      return queue.length;
    },
    unblocked() {
      return blocked ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve();
    },
    async close() {
      closed = true;
      wakeRetry?.();
      await drained();
    },
  };
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
