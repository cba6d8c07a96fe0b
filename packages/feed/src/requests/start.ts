// Where a subscription begins to read: at a time, or after the positions that a client has.

import type { ApiKey, Clock, Micros, PlanTable, Position, StreamFrom } from '@ladderlog/core';
import {
  StreamRefusal,
  oldestAllowed,
  planReaching,
  resumeAfter,
  subscribedPlaces,
  toIso,
} from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Subscription } from '../clients/subscription.ts';
import type { Live } from '@ladderlog/live';

export type StartParts = {
  readonly log: EventLog;
  readonly live: Live;
  readonly clock: Clock;
  readonly plans: PlanTable;
};

type Place = { readonly topic: string; readonly partition: number };

/** The partitions that hold what was subscribed. */
export function placesOf(
  { filter, venues }: Subscription,
  { log, live }: Pick<StartParts, 'log' | 'live'>,
): Place[] {
  return subscribedPlaces(filter, venues, {
    partitions: (topic) => live.partitions(topic),
    partitionOf: (topic, market) => log.partitionOf(topic, market),
  });
}

/** Next offsets to read. */
export async function startOf(
  subscription: Subscription,
  from: StreamFrom,
  key: ApiKey,
  parts: StartParts,
): Promise<Position[]> {
  const { log, live, clock, plans } = parts;
  const { venues } = subscription;
  const places = placesOf(subscription, parts);
  const oldest = oldestAllowed(key.plan, clock(), plans);
  const tooOld = (at: Micros): StreamRefusal =>
    new StreamRefusal('HISTORY_LIMIT_EXCEEDED', `The plan ${key.plan} reaches back to ${toIso(oldest!)}.`, {
      oldest_allowed: toIso(oldest!),
      required_plan: planReaching(at, clock(), venues[0]!, plans),
    });
  if ('time' in from) {
    if (oldest !== null && from.time < oldest) throw tooOld(from.time);
    const offsets = new Map<string, number[]>();
    for (const topic of venues) offsets.set(topic, await log.offsetsAt(topic, from.time));
    return places.map(({ topic, partition }) => ({
      topic,
      partition,
      // Never past the tail: what comes after it is live.
      offset: Math.min(offsets.get(topic)?.[partition] ?? 0, live.next(topic, partition)),
    }));
  }
  const infos = await log.topics();
  const starts = resumeAfter(from.positions, places, ({ topic, partition }) => {
    const info = infos.find((one) => one.topic === topic)?.partitions[partition];
    return info && { begin: info.begin, end: live.next(topic, partition) };
  });
  if (oldest !== null)
    for (const topic of venues) {
      const first = await log.offsetsAt(topic, oldest);
      for (const start of starts)
        if (start.topic === topic && start.offset < (first[start.partition] ?? 0)) throw tooOld(oldest - 1);
    }
  return starts;
}
