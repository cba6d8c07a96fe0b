// What the projector asks of the log besides its events.

import type { Position } from '@ladderlog/core';
import { partitionName } from '@ladderlog/core';
import type { EventLog, LogBatch } from '@ladderlog/log';

export type Partition = { readonly topic: string; readonly partition: number };
export type Bounds = { readonly begin: number; readonly end: number };

export async function boundsOf(log: Pick<EventLog, 'topics'>, at: Partition): Promise<Bounds> {
  return (await allBounds(log)).get(partitionName(at)) ?? { begin: 0, end: 0 };
}

/** By partitionName. */
async function allBounds(log: Pick<EventLog, 'topics'>): Promise<Map<string, Bounds>> {
  return new Map(
    (await log.topics()).flatMap(({ topic, partitions }) =>
      partitions.map((info): [string, Bounds] => [partitionName({ topic, partition: info.partition }), info]),
    ),
  );
}

/** Whether there is a record at all from `first` on and before `end`. */
export async function hasRecords(
  log: Pick<EventLog, 'topics' | 'read'>,
  at: Partition,
  first: number,
  end: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { topic, partition } = at;
  const { begin } = await boundsOf(log, at);
  if (begin >= end) return false;
  const from = [{ topic, partition, offset: Math.max(first, begin) }];
  for await (const batch of log.read({ from, to: [{ topic, partition, offset: end }], signal }))
    if (batch.records.length > 0) return true;
  // A reader that was stopped has looked at nothing.
  signal.throwIfAborted();
  return false;
}

/** All that the log still has before these positions (exclusive), and how many records that is. */
export async function readBefore(
  log: Pick<EventLog, 'topics' | 'read'>,
  positions: readonly Position[],
  signal?: AbortSignal,
): Promise<{ readonly total: number; readonly batches: AsyncIterable<LogBatch> | readonly [] }> {
  const bounds = await allBounds(log);
  const beginOf = (at: Position): number => bounds.get(partitionName(at))?.begin ?? 0;
  const to = positions.filter((at) => at.offset > beginOf(at));
  if (to.length === 0) return { total: 0, batches: [] };
  const from = to.map((at) => ({ ...at, offset: beginOf(at) }));
  const total = to.reduce((sum, at) => sum + at.offset - beginOf(at), 0);
  return { total, batches: log.read({ from, to, ...(signal ? { signal } : {}) }) };
}
