// How far the tables are behind the log.

import { setTimeout as sleep } from 'node:timers/promises';

import { partitionName } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';

import type { CursorStore } from './cursor.ts';

const LAG_REFRESH_MS = 5_000;
/** Other processes project too; what this one does is noticed at once. */
const CAUGHT_UP_POLL_MS = 250;

/** Hears the end of every partition from time to time: also while the store stands still, the lag grows visibly. */
export async function watchEnds(
  log: Pick<EventLog, 'topics'>,
  logger: Logger,
  signal: AbortSignal,
  onEnds: (ends: ReadonlyMap<string, number>) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      onEnds(await endsOf(log));
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ event: 'projector.lag_unknown', err: error }, 'the log does not say its end');
    }
    await sleep(LAG_REFRESH_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** By partitionName; partitions without a record are left out. */
async function endsOf(
  log: Pick<EventLog, 'topics'>,
  topics?: readonly string[],
): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  for (const { topic, partitions } of await log.topics())
    if (!topics || topics.includes(topic))
      for (const { partition, begin, end } of partitions)
        if (end > begin) ends.set(partitionName({ topic, partition }), end);
  return ends;
}

/** Resolves when all that the topics have now is in the tables. The cursors know also of what another process projects. */
export async function tablesCaughtUp(
  log: Pick<EventLog, 'topics'>,
  topics: readonly string[],
  cursors: () => ReturnType<CursorStore['list']>,
  /** Somebody waits: resolves when the next range is in the tables. */
  hurry: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const ends = await endsOf(log, topics);
  for (;;) {
    const next = hurry();
    const hwms = new Map((await cursors()).map((cursor) => [partitionName(cursor), cursor.hwm]));
    if ([...ends].every(([name, end]) => (hwms.get(name) ?? -1) >= end - 1)) return;
    await Promise.race([next, sleep(CAUGHT_UP_POLL_MS, undefined, signal ? { signal } : {})]);
  }
}
