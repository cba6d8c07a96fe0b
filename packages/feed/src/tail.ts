// The one reader of the log's tail, for all clients. After an error of the log it goes on where it was: nothing is skipped and
// nothing is handed over twice.

import type { LadderEvent, Position } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import type { Logger } from 'pino';

export type Tail = {
  /** Next offset that will be handed over. */
  next(topic: string, partition: number): number;
  partitions(topic: string): number;
  /** Resolved when everything that was in the log at the start was handed over. */
  readonly caughtUp: Promise<void>;
  close(): Promise<void>;
};

export type TailHandler = {
  /** Synchronous: when it returns, `next` has moved past the record. */
  onEvent(event: LadderEvent, position: Position): void;
  /** Between slices of a batch; the tail waits for it. */
  onSlice(): Promise<void> | null;
};

const SLICE = 64;
const RETRY_MS = 500;

export function followLog(
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
  let caught: () => void = () => {};
  const caughtUp = new Promise<void>((resolve) => {
    caught = resolve;
  });
  if (missing.size === 0) caught();

  const read = async (): Promise<void> => {
    const request = { from: [...next.values()], follow: true, signal: stop.signal };
    for await (const { topic, partition, records } of log.read(request)) {
      const place = next.get(`${topic}/${partition}`)!;
      let inSlice = 0;
      for (const record of records) {
        if (record.offset < place.offset) continue;
        place.offset = record.offset + 1;
        const event = decode(log, record);
        if (event) handler.onEvent(event, { topic, partition, offset: record.offset });
        if (++inSlice < SLICE) continue;
        inSlice = 0;
        await handler.onSlice();
        if (stop.signal.aborted) return;
      }
      await handler.onSlice();
      const end = missing.get(`${topic}/${partition}`);
      if (end === undefined || place.offset < end) continue;
      missing.delete(`${topic}/${partition}`);
      if (missing.size === 0) caught();
    }
  };

  const following = (async () => {
    while (!stop.signal.aborted) {
      try {
        await read();
      } catch (error) {
        if (stop.signal.aborted) break;
        logger.warn({ event: 'feed.tail_broken', err: error }, 'the log cannot be followed, trying again');
      }
      if (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    caught();
  })();

  return {
    next: (topic, partition) => next.get(`${topic}/${partition}`)?.offset ?? 0,
    partitions: (topic) => [...next.values()].filter((place) => place.topic === topic).length,
    caughtUp,
    async close() {
      stop.abort();
      await following;
    },
  };
}

const nameOf = ({ topic, partition }: Position): string => `${topic}/${partition}`;

/** Types that nothing here looks at are passed over by their schema id. */
const UNUSED: ReadonlySet<string> = new Set([
  'FrameCaptured',
  'MetricSampled',
  'FrameRejected',
  'BookCompared',
]);

export function decode(log: EventLog, record: LogRecord): LadderEvent | null {
  if (record.fault) return null;
  const type = log.codec.typeOf(record.value);
  if (type === null || UNUSED.has(type)) return null;
  const decoded = log.codec.decode(record.value);
  return decoded.ok ? decoded.event : null;
}
