// Reads from given offsets, without a consumer group: one fetch at a time to each broker that leads a wanted partition, the
// next one under way while the caller works on the last. Memory is bounded by the bytes of a fetch, whatever the log holds.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from 'kafkajs';
import type { Logger } from 'pino';
import { LadderlogError } from '@ladderlog/core';
import type { FetchedPartition, FetchedRecord, WideBroker } from './client.ts';
import { FETCH_WAIT_MS, asLogError, errorType, isHopeless, reconnect } from './client.ts';

// A broker counts compressed bytes, and ladders unpack to a hundred times as much, some frames to thousands. So a read begins
// with one stored batch and asks for more or less by what came; a batch always comes whole.
const UNPACKED_AIM = 8 * 1024 * 1024;
const FIRST_FETCH_BYTES = 1024;
const MOST_FETCH_BYTES = 4 * 1024 * 1024;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** `topic` is Kafka's name of it. `stop` is exclusive; null: for ever. */
export type Span = { readonly topic: string; readonly partition: number; next: number; stop: number | null };

export type FetchedBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
  readonly records: readonly FetchedRecord[];
};

type Answer = { readonly node: string; readonly partitions?: FetchedBatch[]; readonly error?: unknown };

export type ReadSetup = {
  readonly cluster: Cluster;
  readonly spans: readonly Span[];
  readonly signal: AbortSignal;
  readonly retryForMs: number;
  readonly logger: Logger;
  /** Called when the iteration is over and no request is under way any more: the cluster may be used again. */
  readonly onIdle: () => void;
};

export async function* fetchSpans(setup: ReadSetup): AsyncGenerator<FetchedBatch> {
  const { cluster, signal, retryForMs, logger } = setup;
  const inFlight = new Map<string, Promise<Answer>>();
  let spans = setup.spans.filter((span) => span.stop === null || span.next < span.stop);
  const limits = new Map<string, number>();
  /** By broker: one that answers must not hide one that does not. */
  const failingSince = new Map<string, number>();
  let pause = FIRST_PAUSE_MS;

  const limitOf = (node: string): number => limits.get(node) ?? FIRST_FETCH_BYTES;

  const fetchFrom = async (node: string, wanted: readonly Span[]): Promise<Answer> => {
    try {
      const broker = await cluster.findBroker({ nodeId: node });
      const topics = Map.groupBy(wanted, (span) => span.topic);
      const answer = (await broker.fetch({
        replicaId: -1,
        isolationLevel: 1,
        maxWaitTime: FETCH_WAIT_MS,
        minBytes: 1,
        maxBytes: limitOf(node),
        topics: [...topics].map(([topic, list]) => ({
          topic,
          partitions: list.map((span) => ({
            partition: span.partition,
            fetchOffset: String(span.next),
            maxBytes: limitOf(node),
          })),
        })),
      })) as { responses: { topicName: string; partitions: FetchedPartition[] }[] };
      const partitions = answer.responses.flatMap(({ topicName, partitions }) =>
        partitions.map((part) => ({
          topic: topicName,
          partition: part.partition,
          end: Number(part.highWatermark),
          records: part.messages,
        })),
      );
      limits.set(node, nextLimit(limitOf(node), partitions));
      return { node, partitions };
    } catch (error) {
      return { node, error };
    }
  };

  /** One request to every leader that has none under way. */
  const fetchAll = (): void => {
    const byLeader = new Map<string, Span[]>();
    for (const span of spans) {
      const leader = Object.keys(cluster.findLeaderForPartitions(span.topic, [span.partition]))[0] ?? '-1';
      byLeader.set(leader, [...(byLeader.get(leader) ?? []), span]);
    }
    // A broker that leads nothing any more is nobody's trouble.
    for (const node of failingSince.keys())
      if (node !== 'metadata' && !byLeader.has(node)) failingSince.delete(node);
    for (const [node, wanted] of byLeader)
      if (!inFlight.has(node)) inFlight.set(node, fetchFrom(node, wanted));
  };

  const recover = async (error: unknown, node: string): Promise<void> => {
    if (errorType(error) === 'OFFSET_OUT_OF_RANGE')
      throw new LadderlogError(
        'LOG_OFFSET_OUT_OF_RANGE',
        `the log no longer has an offset asked for: ${(error as Error).message}`,
        { cause: error },
      );
    const now = performance.now();
    const since = failingSince.get(node) ?? now;
    if (!failingSince.has(node))
      logger.debug({ event: 'log.kafka.read_retry', node, reason: String(error) }, 'fetch failed');
    failingSince.set(node, since);
    if (isHopeless(error) || now - since + pause > retryForMs)
      throw asLogError(error, `reading ${spans[0]?.topic ?? ''}`);
    await reconnect(cluster, error).catch(() => {});
    await sleep(pause, undefined, { signal }).catch(() => {});
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  };

  try {
    while (spans.length > 0 && !signal.aborted) {
      try {
        fetchAll();
      } catch (error) {
        await recover(error, 'metadata');
        continue;
      }
      const answer = await unlessAborted(signal, Promise.race(inFlight.values()));
      if (answer === null) return;
      inFlight.delete(answer.node);
      if (answer.error !== undefined) {
        await recover(answer.error, answer.node);
        continue;
      }
      failingSince.delete(answer.node);
      failingSince.delete('metadata');
      if (failingSince.size === 0) pause = FIRST_PAUSE_MS;
      const batches = (answer.partitions ?? []).flatMap((fetched) => advance(spans, fetched) ?? []);
      spans = spans.filter((span) => span.stop === null || span.next < span.stop);
      // Ask for more before handing out what came, unless that fails: then the loop finds out.
      if (spans.length > 0 && batches.length > 0)
        try {
          fetchAll();
        } catch {
          // No leader known right now.
        }
      for (const batch of batches) {
        if (signal.aborted) return;
        yield batch;
      }
    }
  } finally {
    void Promise.allSettled(inFlight.values()).then(setup.onIdle);
  }
}

function nextLimit(limit: number, batches: readonly FetchedBatch[]): number {
  let unpacked = 0;
  for (const { records } of batches) for (const { value } of records) unpacked += value?.length ?? 0;
  if (unpacked > UNPACKED_AIM) return Math.max(1, Math.floor((limit * UNPACKED_AIM) / unpacked));
  // Nothing came: there is no more, which says nothing of the limit.
  return unpacked > 0 && unpacked < UNPACKED_AIM / 2 ? Math.min(limit * 4, MOST_FETCH_BYTES) : limit;
}

/** Null on abort. Leaves nothing behind on the signal, which may live as long as the process. */
function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(null);
    if (signal.aborted) return resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The wanted records of what a broker sent; moves the span past all of it. */
function advance(spans: readonly Span[], fetched: FetchedBatch): FetchedBatch | null {
  const span = spans.find((one) => one.topic === fetched.topic && one.partition === fetched.partition);
  const last = fetched.records.at(-1);
  if (!span || !last) return null;
  // A fetch gives whole stored batches: they may begin before what was asked for and go on past the end.
  const { next, stop } = span;
  const records = fetched.records.filter((record) => {
    const offset = Number(record.offset);
    return offset >= next && (stop === null || offset < stop) && !record.isControlRecord;
  });
  span.next = Math.max(next, Number(last.offset) + 1);
  return records.length > 0 ? { ...fetched, records } : null;
}

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
  try {
    // No retries here: the append that asks has its own.
    for await (const { records } of fetchSpans({
      cluster,
      spans,
      signal,
      retryForMs: 0,
      logger,
      onIdle() {},
    }))
      for (const { offset, batchContext: of } of records)
        if (
          of?.producerId === batch.producerId &&
          of.producerEpoch === batch.producerEpoch &&
          of.firstSequence === batch.firstSequence
        )
          return Number(offset);
  } catch (error) {
    throw error instanceof LadderlogError ? (error.cause ?? error) : error;
  }
  if (spans[0]!.next < stop) throw new Error(`the end of ${topic}/${partition} is not replicated yet`);
  return null;
}
