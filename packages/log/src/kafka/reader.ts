// Reads from given offsets, without a consumer group: one fetch at a time to each broker that leads a wanted partition, the
// next one under way while the caller works on the last. Memory is bounded by the bytes of a fetch, whatever the log holds.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from 'kafkajs';
import type { Logger } from 'pino';
import { LadderlogError } from '@ladderlog/core';
import { FETCH_WAIT_MS } from './client.ts';
import { errorType, isPermanent, toLogError } from './errors.ts';
import type { FetchAnswer, FetchedRecord } from './kafkajs-internals.ts';
import { READ_COMMITTED, leaderOf, reconnect } from './kafkajs-internals.ts';
import { pauseAfter } from './retry.ts';

// A broker counts compressed bytes, and ladders unpack to a hundred times as much, some frames to thousands. So a read begins
// with one stored batch and asks for more or less by what came; a batch always comes whole.
const UNPACKED_AIM = 8 * 1024 * 1024;
const FIRST_FETCH_BYTES = 1024;
const MOST_FETCH_BYTES = 4 * 1024 * 1024;

/** Stands for a broker where the failure is that no leader is known. */
const NO_LEADER = 'metadata';

/** `topic` is Kafka's name of it. `stop` is exclusive; null: for ever. */
export type Span = { readonly topic: string; readonly partition: number; next: number; stop: number | null };

export type FetchedBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
  readonly records: readonly FetchedRecord[];
};

type Answer =
  | { readonly node: string; readonly batches: readonly FetchedBatch[] }
  | { readonly node: string; readonly error: unknown };

export type ReadSetup = {
  readonly cluster: Cluster;
  readonly spans: readonly Span[];
  readonly signal: AbortSignal;
  readonly retryForMs: number;
  readonly logger: Logger;
  /** Called when the iteration is over and no request is under way any more: the cluster may be used again. */
  readonly onIdle: () => void;
};

/** Ends when all spans are read, or on abort. */
export const fetchSpans = (setup: ReadSetup): AsyncGenerator<FetchedBatch> => new SpanReader(setup).read();

class SpanReader {
  private readonly setup: ReadSetup;
  private spans: readonly Span[];
  private readonly inFlight = new Map<string, Promise<Answer>>();
  /** Bytes to ask for, by broker. */
  private readonly limits = new Map<string, number>();
  /** By broker: one that answers must not hide one that does not. */
  private readonly failingSince = new Map<string, number>();
  /** Since every broker answered. */
  private failures = 0;

  constructor(setup: ReadSetup) {
    this.setup = setup;
    this.spans = setup.spans.filter(isUnfinished);
  }

  async *read(): AsyncGenerator<FetchedBatch> {
    const { signal, onIdle } = this.setup;
    try {
      while (this.spans.length > 0 && !signal.aborted)
        for (const batch of await this.nextBatches()) {
          if (signal.aborted) return;
          yield batch;
        }
    } finally {
      void Promise.allSettled(this.inFlight.values()).then(onIdle);
    }
  }

  /** What the next broker to answer sent; nothing on abort, or when it failed and will be asked again. */
  private async nextBatches(): Promise<readonly FetchedBatch[]> {
    try {
      this.fetchFromAll();
    } catch (error) {
      return this.recover(error, NO_LEADER);
    }
    const answer = await unlessAborted(this.setup.signal, Promise.race(this.inFlight.values()));
    if (answer === null) return [];
    this.inFlight.delete(answer.node);
    if ('error' in answer) return this.recover(answer.error, answer.node);
    this.failingSince.delete(answer.node);
    this.failingSince.delete(NO_LEADER);
    if (this.failingSince.size === 0) this.failures = 0;
    const batches = answer.batches.flatMap((fetched) => advance(this.spans, fetched) ?? []);
    this.spans = this.spans.filter(isUnfinished);
    if (batches.length > 0)
      try {
        // The next ones are under way while the caller works on these.
        this.fetchFromAll();
      } catch {
        // No leader known right now: the next call finds out.
      }
    return batches;
  }

  /** One request to every leader that has none under way. */
  private fetchFromAll(): void {
    const { cluster } = this.setup;
    const byLeader = Map.groupBy(
      this.spans,
      ({ topic, partition }) => leaderOf(cluster, topic, partition) ?? '-1',
    );
    // The failures of a broker that leads nothing any more do not count.
    for (const node of this.failingSince.keys())
      if (node !== NO_LEADER && !byLeader.has(node)) this.failingSince.delete(node);
    for (const [node, wanted] of byLeader)
      if (!this.inFlight.has(node)) this.inFlight.set(node, this.fetchFrom(node, wanted));
  }

  private async fetchFrom(node: string, wanted: readonly Span[]): Promise<Answer> {
    const maxBytes = this.limits.get(node) ?? FIRST_FETCH_BYTES;
    try {
      const broker = await this.setup.cluster.findBroker({ nodeId: node });
      const answer = (await broker.fetch({
        replicaId: -1,
        isolationLevel: READ_COMMITTED,
        maxWaitTime: FETCH_WAIT_MS,
        minBytes: 1,
        maxBytes,
        topics: [...Map.groupBy(wanted, (span) => span.topic)].map(([topic, spans]) => ({
          topic,
          partitions: spans.map(({ partition, next }) => ({
            partition,
            fetchOffset: String(next),
            maxBytes,
          })),
        })),
      })) as FetchAnswer;
      const batches = answer.responses.flatMap(({ topicName: topic, partitions }) =>
        partitions.map(({ partition, highWatermark, messages }) => ({
          topic,
          partition,
          end: Number(highWatermark),
          records: messages,
        })),
      );
      this.limits.set(node, nextLimit(maxBytes, batches));
      return { node, batches };
    } catch (error) {
      return { node, error };
    }
  }

  /** Throws what no repeat can cure, and what has lasted too long. */
  private async recover(error: unknown, node: string): Promise<readonly FetchedBatch[]> {
    const { cluster, signal, retryForMs, logger } = this.setup;
    if (errorType(error) === 'OFFSET_OUT_OF_RANGE')
      throw new LadderlogError(
        'LOG_OFFSET_OUT_OF_RANGE',
        `the log no longer has an offset asked for: ${(error as Error).message}`,
        { cause: error },
      );
    const now = performance.now();
    const pause = pauseAfter(this.failures++);
    const since = this.failingSince.get(node) ?? now;
    if (!this.failingSince.has(node))
      logger.debug({ event: 'log.kafka.read_retry', node, reason: String(error) }, 'fetch failed');
    this.failingSince.set(node, since);
    if (isPermanent(error) || now - since + pause > retryForMs)
      throw toLogError(error, `reading ${this.spans[0]?.topic ?? ''}`);
    await reconnect(cluster, error).catch(() => {});
    await sleep(pause, undefined, { signal }).catch(() => {});
    return [];
  }
}

const isUnfinished = ({ next, stop }: Span): boolean => stop === null || next < stop;

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
