// Where a replay goes on for a client that has some positions. A replay has one order over all partitions, so the client lacks
// what follows the last of its positions in that order.

import type { Position, StreamFilter, Venue } from '@ladderlog/core';
import { resumeAfter, subscribedPlaces } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Placed } from '../source/order.ts';
import { inOrder } from '../source/order.ts';
import type { ReplayClock } from '../source/source.ts';
import { timeOfRecord } from '../source/source.ts';

type Subscribed = {
  readonly filter: StreamFilter;
  readonly venues: readonly Venue[];
  readonly positions: readonly Position[];
};

/** Null: the client has nothing. Refuses what the live feed refuses. */
export async function lastOf(
  log: EventLog,
  { filter, venues, positions }: Subscribed,
  clock: ReplayClock,
  signal: AbortSignal,
): Promise<Placed | null> {
  const infos = await log.topics();
  const partitionsOf = (topic: string) => infos.find((info) => info.topic === topic)?.partitions ?? [];
  const places = subscribedPlaces(filter, venues, {
    partitions: (topic) => partitionsOf(topic).length,
    partitionOf: (topic, market) => log.partitionOf(topic, market),
  });
  const next = resumeAfter(positions, places, ({ topic, partition }) => partitionsOf(topic)[partition]);
  // Where nothing was before, or retention removed it, all of the partition follows.
  const from = next
    .map((position) => ({ ...position, offset: position.offset - 1 }))
    .filter(({ topic, partition, offset }) => offset >= partitionsOf(topic)[partition]!.begin);
  const to = from.map((position) => ({ ...position, offset: position.offset + 1 }));
  let last: Placed | null = null;
  for await (const { topic, partition, records } of log.read({ from, to, signal }))
    for (const record of records) {
      const position = { topic, partition, offset: record.offset };
      const placed = { time: timeOfRecord(log, clock, record), position };
      if (!last || inOrder(placed, last) > 0) last = placed;
    }
  return last;
}
