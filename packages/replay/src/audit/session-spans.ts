// When each connection was recorded, first and last: an audit reads a connection from its first frame on.

import type { Micros } from '@ladderlog/core';
import { EARLIEST_MICROS, LATEST_MICROS, MICROS_PER_MS, framesTopic } from '@ladderlog/core';
import { positionsFromBeginning } from '@ladderlog/log';
import type { AuditOptions } from './result.ts';

export type SessionSpan = { first: Micros; last: Micros };

const DEFAULT_WARMUP_MS = 25 * 3_600_000;

/** By session. Reads keys and times only. */
export async function surveySessions({
  log,
  venue,
  from,
  to,
  warmupMs,
  signal,
}: AuditOptions): Promise<Map<string, SessionSpan>> {
  const topic = framesTopic(venue);
  const times = {
    from: from === undefined ? EARLIEST_MICROS : from - (warmupMs ?? DEFAULT_WARMUP_MS) * MICROS_PER_MS,
    to: to ?? LATEST_MICROS,
  };
  const spans = new Map<string, SessionSpan>();
  const request = { from: await positionsFromBeginning(log, [topic]), times, ...(signal ? { signal } : {}) };
  for await (const { records } of log.read(request)) {
    for (const { key, time } of records) {
      if (time < times.from || time >= times.to) continue;
      const span = spans.get(key);
      if (!span) spans.set(key, { first: time, last: time });
      else if (time > span.last) span.last = time;
      else if (time < span.first) span.first = time;
    }
  }
  return spans;
}
