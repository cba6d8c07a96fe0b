// The port of the event log. Two implementations, SqliteLog (embedded) and KafkaLog, and one contract suite
// (test/contract/log.ts) that says what every implementation must do. Nothing above this file knows which one it has.

import type { LadderEvent, Micros, Position } from '@ladderlog/core';
import type { EventCodec, LogRecord } from './record.ts';

/** Consecutive records of one partition, offsets ascending (dense but for retention). Never empty. */
export type LogBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  /** End offset of the partition when this batch was read: lag = end − last offset − 1. */
  readonly end: number;
};

export type ReadRequest = {
  /** Where to begin, offsets inclusive; one entry a partition, of any topics. */
  readonly from: readonly Position[];
  /** Where to end, offsets exclusive. Default, and at most: the end offsets at the time of the call. Ignored with `follow`. */
  readonly to?: readonly Position[];
  /** Go on with the tail for ever. */
  readonly follow?: boolean;
  /** Hints that let an implementation skip storage; a reader must filter all the same. Half-open. */
  readonly times?: { readonly from: Micros; readonly to: Micros };
  readonly signal?: AbortSignal;
};

/** Consecutive offsets and the times of their records. */
export type TimeSpan = {
  readonly first: number;
  readonly last: number;
  readonly minTime: Micros;
  readonly maxTime: Micros;
};

export type PartitionInfo = { readonly partition: number; readonly begin: number; readonly end: number };
export type TopicInfo = { readonly topic: string; readonly partitions: readonly PartitionInfo[] };

export type ConsumeRequest = {
  readonly group: string;
  readonly topics: readonly string[];
  readonly signal: AbortSignal;
  /**
   * A partition became ours. Return the offset to begin at (the reader's own cursor decides), or null for the group's
   * committed offset, or the beginning when it has none.
   */
  readonly onAssigned: (topic: string, partition: number) => Promise<number | null>;
  /**
   * Batches of one partition come one after another, of different partitions in parallel. A throw ends consume with that
   * error. `isStale()` turns true when the partition is no longer ours: then write nothing.
   */
  readonly onBatch: (batch: LogBatch, control: { isStale(): boolean }) => Promise<void>;
  /** The partition went to another member. */
  readonly onRevoked?: (topic: string, partition: number) => void;
};

export type EventLog = {
  readonly kind: 'sqlite' | 'kafka';
  readonly codec: EventCodec;
  /**
   * Appends in order, to topicOf(event) under keyOf(event). Resolved means durable. Atomic per partition; on SQLite across
   * partitions. Rejects with LOG_RECORD_TOO_LARGE, LOG_UNAVAILABLE (retryable) or LOG_DISK_FULL (retryable): then nothing of
   * a partition's share was written, or all of it was and a repeat by the producer is deduplicated by the implementation.
   */
  append(events: readonly LadderEvent[]): Promise<Position[]>;
  /** Bounded memory; ends at `to`, or on abort (without an error). LOG_UNKNOWN_TOPIC, LOG_OFFSET_OUT_OF_RANGE. */
  read(request: ReadRequest): AsyncIterable<LogBatch>;
  /** Member of a consumer group until the signal aborts. Partitions are shared among the members, also across processes. */
  consume(request: ConsumeRequest): Promise<void>;
  committed(group: string, topic: string): Promise<(number | null)[]>;
  /** Next offset to read, per partition. */
  commit(group: string, positions: readonly Position[]): Promise<void>;
  topics(): Promise<TopicInfo[]>;
  /** Per partition, the first offset whose record time is >= at; the end offset when there is none. */
  offsetsAt(topic: string, at: Micros): Promise<number[]>;
  /**
   * The records of a partition from `from.offset` up to `end`, as spans of about the size that is read at once, without
   * reading them; in order of offset, those outside `times` left out. Absent where storage does not keep times apart.
   */
  timeSpans?(
    from: Position,
    end: number,
    times: NonNullable<ReadRequest['times']>,
  ): AsyncIterable<readonly TimeSpan[]>;
  /** The partition of a key: Kafka's murmur2, the same in both. */
  partitionOf(topic: string, key: string): number;
  close(): Promise<void>;
};

/** Where among these is the partition of `place`. */
export const offsetOf = (positions: readonly Position[] | undefined, place: Position): number | undefined =>
  positions?.find(({ topic, partition }) => topic === place.topic && partition === place.partition)?.offset;

/** Largest encoded record. Bigger ones are refused on append; nothing is split. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

export const DEFAULT_PARTITIONS = 4;
