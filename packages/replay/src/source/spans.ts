// Which offsets hold which times. Records lie in the log in order of append, and an import appends old times late, so order by
// time needs to know where each time is before reading. SQLite keeps it per batch; elsewhere, and for the venues' clocks, one
// pass over the range finds it.

import type { Micros, Position } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { readingTurns } from '@ladderlog/log';

export type Span = {
  readonly topic: string;
  readonly partition: number;
  readonly first: number;
  readonly last: number;
  /** On the chosen clock; may be earlier than the earliest wanted record. */
  minTime: Micros;
  maxTime: Micros;
};

export type SpanRequest = {
  readonly from: Position;
  readonly end: number;
  readonly times: { readonly from: Micros; readonly to: Micros };
  /** Null: the log's own time, ours at observation. */
  readonly timeOf: ((record: LogRecord) => Micros | null) | null;
  readonly signal: AbortSignal | undefined;
};

const SPAN_RECORDS = 2_000;
/** Neighbours are not joined into a span longer than this: a span is in memory from its first time to its last. */
const SPAN_MICROS = 60_000_000;

/** Spans of one partition in order of offset; neighbours that are small and close in time become one. */
export class Spans {
  readonly list: Span[] = [];
  private readonly place: Omit<Position, 'offset'>;

  constructor({ topic, partition }: Omit<Position, 'offset'>) {
    this.place = { topic, partition };
  }

  add(first: number, last: number, minTime: Micros, maxTime: Micros): void {
    const before = this.list.at(-1);
    if (before && last - before.first < SPAN_RECORDS) {
      const min = Math.min(before.minTime, minTime);
      const max = Math.max(before.maxTime, maxTime);
      if (max - min <= SPAN_MICROS) {
        this.list[this.list.length - 1] = { ...before, last, minTime: min, maxTime: max };
        return;
      }
    }
    this.list.push({ ...this.place, first, last, minTime, maxTime });
  }
}

export async function findSpans(log: EventLog, request: SpanRequest): Promise<Span[]> {
  const { from, end, times, timeOf } = request;
  const spans = new Spans(from);
  if (timeOf === null && log.timeSpans) {
    for await (const page of log.timeSpans(from, end, times)) {
      for (const { first, last, minTime, maxTime } of page)
        spans.add(Math.max(first, from.offset), Math.min(last, end - 1), minTime, maxTime);
      if (readingTurns.isOver) await readingTurns.next();
    }
    return spans.list;
  }
  if (from.offset >= end) return [];
  const read = log.read({
    from: [from],
    to: [{ ...from, offset: end }],
    times,
    ...(request.signal ? { signal: request.signal } : {}),
  });
  for await (const batch of read)
    for (const record of batch.records) {
      if (record.time < times.from || record.time >= times.to) continue;
      const time = timeOf ? timeOf(record) : record.time;
      if (time !== null) spans.add(record.offset, record.offset, time, time);
      if (readingTurns.isOver) await readingTurns.next();
    }
  return spans.list;
}
