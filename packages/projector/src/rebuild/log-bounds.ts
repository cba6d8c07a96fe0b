// What the projector asks of the log besides its events.

import type { EventLog } from '@ladderlog/log';

export async function boundsOf(
  log: Pick<EventLog, 'topics'>,
  topic: string,
  partition: number,
): Promise<{ readonly begin: number; readonly end: number }> {
  const bounds = (await log.topics())
    .find((info) => info.topic === topic)
    ?.partitions.find((info) => info.partition === partition);
  return bounds ?? { begin: 0, end: 0 };
}

/** Whether there is a record at all from `first` on and before `end`. */
export async function hasRecords(
  log: Pick<EventLog, 'topics' | 'read'>,
  { topic, partition, first, end }: { topic: string; partition: number; first: number; end: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { begin } = await boundsOf(log, topic, partition);
  if (begin >= end) return false;
  const from = [{ topic, partition, offset: Math.max(first, begin) }];
  for await (const batch of log.read({ from, to: [{ topic, partition, offset: end }], signal }))
    if (batch.records.length > 0) return true;
  // A reader that was stopped has looked at nothing.
  signal.throwIfAborted();
  return false;
}
