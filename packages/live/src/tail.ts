// The one reader of the log's tail. After an error of the log it goes on where it was: nothing is skipped, and nothing is handed
// over twice.

import type { Position } from '@ladderlog/core';
import type { EventLog, LogBatch, LogRecord } from '@ladderlog/log';
import type { Logger } from 'pino';

export type Tail = {
  /** The next offset that will be handed over. */
  next(topic: string, partition: number): number;
  partitions(topic: string): number;
  /** Resolved when everything that was in the log at the start was handed over. */
  readonly caughtUp: Promise<void>;
  /** Begins to read. */
  follow(): void;
  close(): Promise<void>;
};

export type TailHandler = {
  /** Synchronous: when it returns, `next` has moved past the record. */
  onRecord(topic: string, partition: number, record: LogRecord, end: number): void;
  /** Between slices of a batch; the tail waits for it. */
  onSlice(): Promise<void> | null;
};

/** Others get their turn between slices. */
const SLICE = 64;
const AGAIN_MS = 100;
const RETRY_MS = 500;

export function createTail(
  log: EventLog,
  start: readonly Position[],
  ends: readonly Position[],
  handler: TailHandler,
  logger: Logger,
): Tail {
  const stop = new AbortController();
  const next = new Map(start.map((position) => [nameOf(position), { ...position }]));
  const missing = new Map(
    ends
      .filter((end) => (next.get(nameOf(end))?.offset ?? end.offset) < end.offset)
      .map((end) => [nameOf(end), end.offset]),
  );
  const caughtUp = Promise.withResolvers<void>();
  if (missing.size === 0) caughtUp.resolve();

  const handOver = async ({ topic, partition, records, end }: LogBatch): Promise<void> => {
    const name = `${topic}/${partition}`;
    const place = next.get(name)!;
    let inSlice = 0;
    for (const record of records) {
      if (record.offset < place.offset) continue;
      place.offset = record.offset + 1;
      handler.onRecord(topic, partition, record, end);
      if (++inSlice < SLICE) continue;
      inSlice = 0;
      await handler.onSlice();
      if (stop.signal.aborted) return;
    }
    await handler.onSlice();
    if (place.offset < (missing.get(name) ?? Infinity)) return;
    missing.delete(name);
    if (missing.size === 0) caughtUp.resolve();
  };

  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      let pauseMs = AGAIN_MS;
      try {
        const request = { from: [...next.values()], follow: true, signal: stop.signal };
        for await (const batch of log.read(request)) await handOver(batch);
      } catch (error) {
        if (stop.signal.aborted) break;
        logger.warn({ event: 'live.tail_broken', err: error }, 'the log cannot be followed, trying again');
        pauseMs = RETRY_MS;
      }
      if (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };

  let following: Promise<void> | null = null;
  return {
    next: (topic, partition) => next.get(`${topic}/${partition}`)?.offset ?? 0,
    partitions: (topic) => [...next.values()].filter((place) => place.topic === topic).length,
    caughtUp: caughtUp.promise,
    follow() {
      following ??= follow();
    },
    async close() {
      stop.abort();
      await following;
      caughtUp.resolve();
    },
  };
}

const nameOf = ({ topic, partition }: Position): string => `${topic}/${partition}`;
