// Readers everyone needs, over any EventLog.

import type { EventType, LadderEvent, LadderlogError, Micros, Position } from '@ladderlog/core';
import { unknownTopic } from './errors.ts';
import type { EventLog, LogBatch, PartitionInfo, ReadRequest } from './log.ts';
import type { LogRecord } from './record.ts';

type Place = { readonly position: Position; readonly time: Micros; readonly key: string };

/** A record read back: its event, or why there is none (the position of the fault is `position`). */
export type ReadEvent =
  | (Place & { readonly event: LadderEvent; readonly error: null })
  | (Place & { readonly event: null; readonly error: LadderlogError });

export type ReadEventsRequest = ReadRequest & {
  /** Only these are decoded and given; the others are skipped by their schema id. Unreadable records are always given. */
  readonly types?: ReadonlySet<EventType>;
};

/** The events of a log in batches, one partition a batch. A batch of which no event is wanted is left out. */
export async function* readEvents(log: EventLog, request: ReadEventsRequest): AsyncGenerator<ReadEvent[]> {
  for await (const batch of log.read(request)) {
    const events = decodeBatch(batch, request.types);
    if (events.length > 0) yield events;
  }
}

export function decodeBatch(batch: LogBatch, types?: ReadonlySet<EventType>): ReadEvent[] {
  const { topic, partition } = batch;
  return batch.records
    .filter((record) => !types || record.type === null || types.has(record.type))
    .map((record) => toReadEvent({ topic, partition, offset: record.offset }, record));
}

function toReadEvent(position: Position, record: LogRecord): ReadEvent {
  const { time, key } = record;
  const decoded = record.peek();
  return decoded.ok
    ? { position, time, key, event: decoded.event, error: null }
    : { position, time, key, event: null, error: decoded.error };
}

/** The first record there still is, of every partition. */
export const positionsFromBeginning = (log: EventLog, topics: readonly string[]): Promise<Position[]> =>
  positions(log, topics, (info) => info.begin);

/** The ends, exclusive: where a follower begins that wants only what is new. */
export const positionsAtEnd = (log: EventLog, topics: readonly string[]): Promise<Position[]> =>
  positions(log, topics, (info) => info.end);

async function positions(
  log: EventLog,
  topics: readonly string[],
  offsetOf: (info: PartitionInfo) => number,
): Promise<Position[]> {
  const infos = await log.topics();
  return topics.flatMap((topic) => {
    const info = infos.find((one) => one.topic === topic);
    if (!info) throw unknownTopic(topic);
    return info.partitions.map((one) => ({ topic, partition: one.partition, offset: offsetOf(one) }));
  });
}

/** Per partition, the first record at or after the time. */
export async function positionsAt(log: EventLog, topics: readonly string[], at: Micros): Promise<Position[]> {
  const found = await Promise.all(
    topics.map(async (topic) =>
      (await log.offsetsAt(topic, at)).map((offset, partition) => ({ topic, partition, offset })),
    ),
  );
  return found.flat();
}
