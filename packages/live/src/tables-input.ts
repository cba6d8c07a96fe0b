// The tables of the same process take their events from the tail that is read anyway, so that each is read and decoded once. What
// the tables have not taken yet waits, bounded: when they fall behind that, it is let go, and they read the log themselves until
// they are back. They can be as slow as they like: nobody else waits for them, and nothing is lost or given twice.

import type { Position } from '@ladderlog/core';
import type { ConsumeRequest, EventLog, LogBatch, LogRecord } from '@ladderlog/log';
import type { Live } from './live.ts';

/** Records of one partition that may wait. */
const MAX_WAITING = 1_000;

/** As `log.consume`, for a process that has all partitions to itself. `live` must be followed until this has ended. */
export const tablesInput =
  (log: EventLog, live: Live): EventLog['consume'] =>
  async (request) => {
    const failed = new AbortController();
    const signal = AbortSignal.any([request.signal, failed.signal]);
    const taking = new Map<string, PartitionInput>();
    for (const topic of request.topics)
      for (let partition = 0; partition < live.partitions(topic); partition++)
        taking.set(`${topic}/${partition}`, new PartitionInput(log, live, { topic, partition, offset: 0 }));
    const stopListening = live.listen({
      onRecord: ({ position, record, end }) =>
        taking.get(`${position.topic}/${position.partition}`)?.put(record, end),
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
  };

class PartitionInput {
  private readonly log: EventLog;
  private readonly live: Live;
  /** What is handed over next. */
  private next: Position;
  private waiting: LogRecord[] = [];
  private end = 0;
  private wake: () => void = () => {};

  constructor(log: EventLog, live: Live, place: Position) {
    this.log = log;
    this.live = live;
    this.next = place;
  }

  put(record: LogRecord, end: number): void {
    if (this.waiting.length >= MAX_WAITING) this.waiting = [];
    this.waiting.push(record);
    this.end = end;
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
      const records = this.take();
      if (records.length > 0) await handOver({ topic, partition, records, end: this.end });
      else if (this.next.offset < this.reached) await this.readLog(handOver, signal);
      else await this.more();
    }
  }

  /** The first offset that is waiting, or else that the tail will bring. */
  private get reached(): number {
    return this.waiting[0]?.offset ?? this.live.next(this.next.topic, this.next.partition);
  }

  /** What waits and follows on; nothing where something before it is missing. */
  private take(): LogRecord[] {
    const known = this.waiting.findIndex(({ offset }) => offset >= this.next.offset);
    const waiting = known < 0 ? [] : this.waiting.slice(known);
    const follows = waiting[0]?.offset === this.next.offset;
    this.waiting = follows ? [] : waiting;
    return follows ? waiting : [];
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
