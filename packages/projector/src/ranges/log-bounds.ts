// What the projector asks of the log besides its events.

import type { Position } from '@ladderlog/core';
import { partitionName } from '@ladderlog/core';
import type { EventLog, LogBatch, LogRecord } from '@ladderlog/log';

export type Partition = { readonly topic: string; readonly partition: number };
export type Bounds = { readonly begin: number; readonly end: number };

export async function boundsOf(log: Pick<EventLog, 'topics'>, at: Partition): Promise<Bounds> {
  const known = await allBounds(log, [at.topic]);
  return known.find(({ partition }) => partition === at.partition) ?? { begin: 0, end: 0 };
}

export async function allBounds(
  log: Pick<EventLog, 'topics'>,
  topics: readonly string[],
): Promise<readonly (Partition & Bounds)[]> {
  return (await log.topics())
    .filter(({ topic }) => topics.includes(topic))
    .flatMap(({ topic, partitions }) => partitions.map((info) => ({ topic, ...info })));
}

/** What the log still has of a range, both ends included. */
export async function* readRange(
  log: Pick<EventLog, 'topics' | 'read'>,
  { topic, partition }: Partition,
  { first, last }: { readonly first: number; readonly last: number },
  signal: AbortSignal,
): AsyncGenerator<LogRecord> {
  const { begin } = await boundsOf(log, { topic, partition });
  if (begin > last) return;
  const from = [{ topic, partition, offset: Math.max(first, begin) }];
  const to = [{ topic, partition, offset: last + 1 }];
  for await (const { records } of log.read({ from, to, signal })) yield* records;
  // A reader that was stopped has not read all.
  signal.throwIfAborted();
}

/** Whether there is a record at all from `first` on and before `end`. */
export async function hasRecords(
  log: Pick<EventLog, 'topics' | 'read'>,
  at: Partition,
  first: number,
  end: number,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const _ of readRange(log, at, { first, last: end - 1 }, signal)) return true;
  return false;
}

/** All that the log still has before these positions (exclusive), and how many records that is. */
export async function readBefore(
  log: Pick<EventLog, 'topics' | 'read'>,
  positions: readonly Position[],
  signal?: AbortSignal,
): Promise<{ readonly total: number; readonly batches: AsyncIterable<LogBatch> | readonly [] }> {
  const topics = [...new Set(positions.map(({ topic }) => topic))];
  const bounds = new Map((await allBounds(log, topics)).map((one) => [partitionName(one), one]));
  const beginOf = (at: Position): number => bounds.get(partitionName(at))?.begin ?? 0;
  const to = positions.filter((at) => at.offset > beginOf(at));
  if (to.length === 0) return { total: 0, batches: [] };
  const from = to.map((at) => ({ ...at, offset: beginOf(at) }));
  const total = to.reduce((sum, at) => sum + at.offset - beginOf(at), 0);
  return { total, batches: log.read({ from, to, ...(signal ? { signal } : {}) }) };
}
