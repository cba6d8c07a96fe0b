// The tables of the same process take their events from the tail that is read anyway, so that each is read and decoded once. What
// the tables have not taken yet waits, bounded: when they fall behind that, it is let go, and they read the log themselves until
// they are back. They can be as slow as they like: nobody else waits for them, and nothing is lost or given twice.

import type { Position } from '@ladderlog/core';
import type { ConsumeRequest, EventLog, LogBatch, LogRecord } from '@ladderlog/log';
import type { Live } from './live.ts';

/** Bytes of records that may wait, of all partitions together. Their events are decoded, and take several times that. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export type TablesInput = {
  readonly consume: EventLog['consume'];
  readonly together: true;
  reached(positions: readonly Position[]): void;
};

/** All partitions, for a process that has them to itself. `live` must be followed until `consume` has ended. */
export const tablesInput = (log: EventLog, live: Live, maxWaitingBytes = MAX_WAITING_BYTES): TablesInput => ({
  together: true,
  reached: (positions) => live.tablesReached(positions),
  async consume(request) {
    const failed = new AbortController();
    const signal = AbortSignal.any([request.signal, failed.signal]);
    const waiting = { bytes: 0, max: maxWaitingBytes };
    const taking = new Map<string, PartitionInput>();
    for (const topic of request.topics)
      for (let partition = 0; partition < live.partitions(topic); partition++)
        taking.set(
          `${topic}/${partition}`,
          new PartitionInput(log, live, { topic, partition, offset: 0 }, waiting),
        );
    const stopListening = live.listen({
      onSlice: (slice) => taking.get(`${slice.topic}/${slice.partition}`)?.put(slice),
    });
    try {
      await Promise.all(
        [...taking.values()].map((one) =>
          one.run(request, signal).catch((error: unknown) => {
            failed.abort();
            throw error;
          }),
        ),
      );
    } finally {
      stopListening();
    }
  },
});

class PartitionInput {
  private readonly log: EventLog;
  private readonly live: Live;
  /** What is handed over next. */
  private next: Position;
  private readonly allWaiting: { bytes: number; readonly max: number };
  private waiting: LogBatch[] = [];
  private bytes = 0;
  private wake: () => void = () => {};

  constructor(
    log: EventLog,
    live: Live,
    place: Position,
    allWaiting: { bytes: number; readonly max: number },
  ) {
    this.log = log;
    this.live = live;
    this.next = place;
    this.allWaiting = allWaiting;
  }

  put(batch: LogBatch): void {
    if (this.allWaiting.bytes >= this.allWaiting.max) this.letGo();
    const bytes = batch.records.reduce((sum, { value }) => sum + value.length, 0);
    this.waiting.push(batch);
    this.bytes += bytes;
    this.allWaiting.bytes += bytes;
    this.wake();
  }

  async run({ onAssigned, onBatch }: ConsumeRequest, signal: AbortSignal): Promise<void> {
    const { topic, partition } = this.next;
    this.next = { topic, partition, offset: (await onAssigned(topic, partition)) ?? 0 };
    const handOver = async (batch: LogBatch): Promise<void> => {
      if (signal.aborted) return;
      await onBatch(batch, { isStale: () => signal.aborted });
      this.next = { topic, partition, offset: batch.records.at(-1)!.offset + 1 };
    };
    signal.addEventListener('abort', () => this.wake(), { once: true });
    while (!signal.aborted) {
      const batch = this.take();
      if (batch) await handOver(batch);
      else if (this.next.offset < this.reached) await this.readLog(handOver, signal);
      else await this.more();
    }
  }

  /** The first offset that is waiting, or else that the tail will bring. */
  private get reached(): number {
    return this.waiting[0]?.records[0]!.offset ?? this.live.next(this.next.topic, this.next.partition);
  }

  /** All that waits and follows on; null where something before it is missing. */
  private take(): LogBatch | null {
    const { topic, partition, offset } = this.next;
    while (this.waiting[0] && this.waiting[0].records.at(-1)!.offset < offset) this.waiting.shift();
    if ((this.waiting[0]?.records[0]!.offset ?? Infinity) > offset) return null;
    const records = this.waiting.flatMap((batch): readonly LogRecord[] => batch.records);
    const { end } = this.waiting.at(-1)!;
    this.letGo();
    return { topic, partition, records: records.filter((record) => record.offset >= offset), end };
  }

  private letGo(): void {
    this.waiting = [];
    this.allWaiting.bytes -= this.bytes;
    this.bytes = 0;
  }

  private async readLog(handOver: (batch: LogBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    const to = { ...this.next, offset: this.reached };
    for await (const batch of this.log.read({ from: [this.next], to: [to], signal })) await handOver(batch);
    // Offsets that the log does not have any more.
    if (!signal.aborted && this.next.offset < to.offset) this.next = to;
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
