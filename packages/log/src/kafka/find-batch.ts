// Whether a batch is in the log whose answer was lost. It carries its producer's id and sequence number, and is searched for
// by them. A broker alone would not tell: it forgets a producer a day after the time of its last record, and ours may be years
// old, and it takes any number from a producer that it does not know.

import type { Cluster } from 'kafkajs';
import type { Logger } from 'pino';
import { LadderlogError } from '@ladderlog/core';
import type { FetchedRecord, WideBroker } from './kafkajs-internals.ts';
import type { FetchedBatch } from './reader.ts';
import { fetchSpans } from './reader.ts';

export type BatchSearch = {
  readonly cluster: Cluster;
  readonly leader: WideBroker;
  readonly topic: string;
  readonly partition: number;
  /** The batch is not before this offset. */
  readonly from: number;
  readonly batch: NonNullable<FetchedRecord['batchContext']>;
  readonly logger: Logger;
};

// ListOffsets: how a replica asks, which is told the end of the leader's log instead of the end that readers see.
const AS_REPLICA = -2;
const LATEST = -1;
const SEARCH_MS = 5_000;

/**
 * Offset of the batch that a producer wrote under this number; null: it is not in the leader's log, also not in the part that
 * readers do not see yet, since other copies lack it. That part is waited for; throws if it does not come.
 */
export async function findBatch(search: BatchSearch): Promise<number | null> {
  const { cluster, leader, topic, partition, from, batch, logger } = search;
  const { responses } = await leader.listOffsets({
    replicaId: AS_REPLICA,
    isolationLevel: 0,
    topics: [{ topic, partitions: [{ partition, timestamp: LATEST }] }],
  });
  const begins = await cluster.fetchTopicsOffset([
    { topic, partitions: [{ partition }], fromBeginning: true },
  ]);
  const next = Math.max(from, Number(begins[0]!.partitions[0]!.offset));
  const stop = Number(responses[0]!.partitions[0]!.offset);
  const spans = [{ topic, partition, next, stop }];
  const signal = AbortSignal.timeout(SEARCH_MS);
  // No retries here: the append that asks has its own.
  const base = await offsetIn(
    fetchSpans({ cluster, spans, signal, retryForMs: 0, logger, onIdle() {} }),
    batch,
  );
  if (base === null && spans[0]!.next < stop)
    throw new Error(`the end of ${topic}/${partition} is not replicated yet`);
  logger.debug(
    { event: 'log.kafka.batch_searched', topic, partition, base },
    'searched for a batch whose answer was lost',
  );
  return base;
}

async function offsetIn(
  fetched: AsyncIterable<FetchedBatch>,
  batch: BatchSearch['batch'],
): Promise<number | null> {
  try {
    for await (const { records } of fetched) {
      const first = records.find(({ batchContext }) => isSame(batchContext, batch));
      if (first) return Number(first.offset);
    }
    return null;
  } catch (error) {
    throw error instanceof LadderlogError ? (error.cause ?? error) : error;
  }
}

const isSame = (one: FetchedRecord['batchContext'], other: BatchSearch['batch']): boolean =>
  one?.producerId === other.producerId &&
  one.producerEpoch === other.producerEpoch &&
  one.firstSequence === other.firstSequence;
