// Follows the venues' topics from given positions for as long as the API runs, and hands every record to its listeners. After
// an error of the log it goes on where it was: nothing is skipped, nothing is handed over twice.

import type { EventType, LadderEvent, Position } from '@ladderlog/core';
import { VENUES } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import type { Logger } from 'pino';

export type TailRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly record: LogRecord;
  /** Null where the record is unreadable, or of a type no listener wants decoded. */
  readonly event: LadderEvent | null;
};

export type Tail = {
  /** Next offset to read. */
  position(topic: string, partition: number): number;
  /** Resolved when everything that was in the log at the start has been handed over. */
  readonly caughtUp: Promise<void>;
  close(): Promise<void>;
};

const DECODED: ReadonlySet<string> = new Set<EventType>([
  'BookObserved',
  'MarketObserved',
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
  'GapOpened',
  'GapClosed',
]);

export async function followTail(
  log: EventLog,
  start: (topic: string, partition: number) => number | null,
  onRecord: (record: TailRecord) => void,
  logger: Logger,
): Promise<Tail> {
  const stop = new AbortController();
  const next = new Map<string, Position>();
  const ends = new Map<string, number>();
  for (const { topic, partitions } of await log.topics()) {
    if (!(VENUES as readonly string[]).includes(topic)) continue;
    for (const { partition, begin, end } of partitions) {
      const offset = Math.min(end, Math.max(begin, start(topic, partition) ?? begin));
      next.set(`${topic}/${partition}`, { topic, partition, offset });
      if (offset < end) ends.set(`${topic}/${partition}`, end);
    }
  }
  let caught: () => void = () => {};
  const caughtUp = new Promise<void>((resolve) => {
    caught = resolve;
  });
  if (ends.size === 0) caught();

  const read = async (): Promise<void> => {
    const request = { from: [...next.values()], follow: true, signal: stop.signal };
    for await (const { topic, partition, records } of log.read(request)) {
      const name = `${topic}/${partition}`;
      for (const record of records) {
        if (record.offset < next.get(name)!.offset) continue;
        onRecord({ topic, partition, record, event: decode(log, record) });
        next.set(name, { topic, partition, offset: record.offset + 1 });
      }
      const end = ends.get(name);
      if (end !== undefined && next.get(name)!.offset >= end) {
        ends.delete(name);
        if (ends.size === 0) caught();
      }
    }
  };

  const following = (async () => {
    while (!stop.signal.aborted) {
      try {
        await read();
        if (!stop.signal.aborted) await pause(100);
      } catch (error) {
        if (stop.signal.aborted) break;
        logger.warn({ event: 'api.tail_broken', err: error }, 'the log cannot be followed, trying again');
        await pause(500);
      }
    }
    caught();
  })();

  return {
    position: (topic, partition) => next.get(`${topic}/${partition}`)?.offset ?? 0,
    caughtUp,
    async close() {
      stop.abort();
      await following;
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function decode(log: EventLog, record: LogRecord): LadderEvent | null {
  if (record.fault) return null;
  const type = log.codec.typeOf(record.value);
  if (type === null || !DECODED.has(type)) return null;
  const decoded = log.codec.decode(record.value);
  return decoded.ok ? decoded.event : null;
}
