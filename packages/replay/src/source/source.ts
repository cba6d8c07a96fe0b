// A range of the log in one deterministic order, in bounded memory. Spans of offsets are opened when their first time is next;
// everything earlier than the first time of the next unopened span is final. A span whose times are far apart (an import packed
// together with live capture) keeps only what is soon due and is opened again for the rest.

import type { EventType, LadderEvent, Micros, Position, Venue, VenueEvent } from '@ladderlog/core';
import { framesTopic } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { readingTurns } from '@ladderlog/log';
import type { LadderlogError } from '@ladderlog/core';
import { Merge, inOrder } from './order.ts';
import type { Span } from './spans.ts';
import { findSpans } from './spans.ts';

/** observed: our clock at reception. source: the venue's claim, and ours where it makes none. */
export type ReplayClock = 'observed' | 'source';

export type ReplayRange = {
  readonly venues: readonly Venue[];
  /** Native ids; default: all. */
  readonly markets?: readonly string[];
  /** By our clock, whichever clock orders; half-open. */
  readonly from: Micros;
  readonly to: Micros;
  readonly clock?: ReplayClock;
  /** Default: all types of the venues' topics. FrameCaptured adds the wire tape. */
  readonly types?: ReadonlySet<EventType>;
  readonly signal?: AbortSignal;
  /** Records that cannot be read are not part of the replay; this is told of each. */
  readonly onUnreadable?: (position: Position, error: LadderlogError) => void;
};

export type ReplayItem = {
  readonly event: VenueEvent;
  readonly position: Position;
  /** On the replay's clock. */
  readonly time: Micros;
};

type Waiting = { readonly time: Micros; readonly position: Position; readonly record: LogRecord };

const ITEMS_AT_ONCE = 128;
/** Held in memory at most, unless this many are due within the horizon. */
const HELD_RECORDS = 100_000;
const HORIZON: Micros = 60_000_000;
const READ_AHEAD = 3;

/** As replayEvents, several items at a time: quicker for those who can take them so. */
export async function* replayBatches(log: EventLog, range: ReplayRange): AsyncGenerator<ReplayItem[]> {
  const clock = range.clock ?? 'observed';
  const timeOf = clock === 'source' ? (record: LogRecord) => sourceTime(log, record) : null;
  const spans = await plan(log, range, timeOf);
  // Last is next.
  spans.sort((left, right) => right.minTime - left.minTime || right.first - left.first);
  const merge = new Merge<Waiting>();
  const opening: { span: Span; waiting: Promise<Waiting[]> }[] = [];
  const stopped = (): boolean => range.signal?.aborted ?? false;
  while (!stopped()) {
    while (opening.length < READ_AHEAD && spans.length > 0) {
      const span = spans.pop()!;
      const waiting = open(log, range, span, timeOf);
      waiting.catch(() => undefined);
      opening.push({ span, waiting });
    }
    const next = opening[0];
    const until = next ? next.span.minTime : Infinity;
    const due = merge.take(until, ITEMS_AT_ONCE);
    if (due.length > 0) {
      const items = decodeAll(log, range, due);
      if (items.length > 0) yield items;
      if (readingTurns.isOver) await readingTurns.next();
      continue;
    }
    if (!next) return;
    opening.shift();
    const waiting = await next.waiting;
    const { now, later } = share(next.span, waiting, merge.size);
    merge.add(now);
    if (later) {
      insert(spans, later);
      // What is being read ahead may come after it now.
      while (opening.length > 0) insert(spans, opening.pop()!.span);
    }
  }
}

export async function* replayEvents(log: EventLog, range: ReplayRange): AsyncGenerator<ReplayItem> {
  for await (const items of replayBatches(log, range)) yield* items;
}

async function plan(
  log: EventLog,
  range: ReplayRange,
  timeOf: ((record: LogRecord) => Micros | null) | null,
): Promise<Span[]> {
  const infos = await log.topics();
  const spans: Span[] = [];
  for (const topic of topicsOf(range)) {
    const chosen =
      range.markets && !topic.includes('.')
        ? new Set(range.markets.map((market) => log.partitionOf(topic, market)))
        : null;
    for (const { partition, begin, end } of infos.find((info) => info.topic === topic)?.partitions ?? []) {
      if (chosen && !chosen.has(partition)) continue;
      const found = await findSpans(log, {
        from: { topic, partition, offset: begin },
        end,
        times: range,
        timeOf,
        signal: range.signal,
      });
      for (const span of found) spans.push(span);
    }
  }
  return spans;
}

function topicsOf({ venues, types }: ReplayRange): string[] {
  const tape = types?.has('FrameCaptured') ?? false;
  const rest = !types || [...types].some((type) => type !== 'FrameCaptured');
  return venues.flatMap((venue) => [...(rest ? [venue] : []), ...(tape ? [framesTopic(venue)] : [])]);
}

/** The wanted records of a span, in order. */
async function open(
  log: EventLog,
  range: ReplayRange,
  span: Span,
  timeOf: ((record: LogRecord) => Micros | null) | null,
): Promise<Waiting[]> {
  const markets = range.markets && !span.topic.includes('.') ? new Set(range.markets) : null;
  const found: Waiting[] = [];
  let sorted = true;
  let newest = -Infinity;
  const read = log.read({
    from: [{ topic: span.topic, partition: span.partition, offset: span.first }],
    to: [{ topic: span.topic, partition: span.partition, offset: span.last + 1 }],
    ...(range.signal ? { signal: range.signal } : {}),
  });
  for await (const batch of read)
    for (const record of batch.records) {
      if (record.time < range.from || record.time >= range.to) continue;
      if (markets && !record.fault && !markets.has(record.key)) continue;
      if (range.types && !record.fault) {
        const type = log.codec.typeOf(record.value);
        if (type !== null && !range.types.has(type)) continue;
      }
      const time = timeOf ? timeOf(record) : record.time;
      if (time === null || time < span.minTime) continue;
      if (timeOf && readingTurns.isOver) await readingTurns.next();
      if (time < newest) sorted = false;
      newest = time;
      found.push({
        time,
        position: { topic: span.topic, partition: span.partition, offset: record.offset },
        record,
      });
    }
  if (!sorted) found.sort(inOrder);
  return found;
}

/** What is kept now, and the span again for what is too far ahead to be kept. */
function share(
  span: Span,
  waiting: Waiting[],
  held: number,
): { readonly now: Waiting[]; readonly later: Span | null } {
  if (held + waiting.length <= HELD_RECORDS) return { now: waiting, later: null };
  const horizon = span.minTime + HORIZON;
  let count = waiting.findIndex(({ time }) => time >= horizon);
  if (count < 0) return { now: waiting, later: null };
  // Nothing due soon: what is due first, whenever that is.
  if (count === 0) {
    const first = waiting[0]!.time + HORIZON;
    count = waiting.findIndex(({ time }) => time >= first);
    if (count < 0) return { now: waiting, later: null };
  }
  return { now: waiting.slice(0, count), later: { ...span, minTime: waiting[count]!.time } };
}

/** Into spans sorted from last to first. */
function insert(spans: Span[], span: Span): void {
  let at = spans.length;
  while (at > 0 && (spans[at - 1]!.minTime - span.minTime || spans[at - 1]!.first - span.first) < 0) at--;
  spans.splice(at, 0, span);
}

function decodeAll(log: EventLog, range: ReplayRange, waiting: readonly Waiting[]): ReplayItem[] {
  const items: ReplayItem[] = [];
  for (const { record, position, time } of waiting) {
    if (record.fault) {
      range.onUnreadable?.(position, record.fault);
      continue;
    }
    const decoded = log.codec.decode(record.value);
    if (!decoded.ok) range.onUnreadable?.(position, decoded.error);
    else if (isWanted(range, decoded.event)) items.push({ event: decoded.event, position, time });
  }
  return items;
}

/** Frames are keyed by session: those that name another market are left out, those that name none belong to all. */
function isWanted({ markets }: ReplayRange, event: LadderEvent): event is VenueEvent {
  if (!('venue' in event)) return false;
  return event.type !== 'FrameCaptured' || !markets || event.market === '' || markets.includes(event.market);
}

/** When a record is due on the replay's clock. */
export const timeOfRecord = (log: EventLog, clock: ReplayClock, record: LogRecord): Micros =>
  clock === 'source' ? sourceTime(log, record) : record.time;

function sourceTime(log: EventLog, record: LogRecord): Micros {
  if (record.fault) return record.time;
  const decoded = log.codec.decode(record.value);
  if (!decoded.ok || !('venue' in decoded.event)) return record.time;
  return decoded.event.sourceTs ?? decoded.event.observedAt;
}
