// The one reader of the log's tail. After an error of the log it goes on where it was: nothing is skipped, and nothing is handed
// over twice.

import type { Position } from '@ladderlog/core';
import type { EventLog, LogBatch, LogRecord } from '@ladderlog/log';
import { Turns } from '@ladderlog/log';
import type { Logger } from 'pino';

export type TailHandler = {
  /** Synchronous: when it returns, `next` has moved past the record. `end` is that of the partition when it was read. */
  onRecord(topic: string, partition: number, record: LogRecord, end: number): void;
  /** After the records of a slice were handed over one by one. The tail waits for nobody. */
  onSlice(slice: LogBatch): void;
};

const SLICE = 64;
const AGAIN_MS = 100;
const RETRY_MS = 500;

type Place = { readonly topic: string; readonly partition: number; offset: number };

export class Tail {
  private readonly log: EventLog;
  private readonly handler: TailHandler;
  private readonly logger: Logger;
  private readonly places: Map<string, Place>;
  /** The ends at the start that were not reached yet. */
  private readonly missing: Map<string, number>;
  private readonly reached = Promise.withResolvers<void>();
  private readonly stop = new AbortController();
  /** Of its own: those who read history do not hold up what is new. */
  private readonly turns = new Turns();
  private following: Promise<void> | null = null;

  constructor(
    log: EventLog,
    bounds: { readonly start: readonly Position[]; readonly ends: readonly Position[] },
    handler: TailHandler,
    logger: Logger,
  ) {
    this.log = log;
    this.handler = handler;
    this.logger = logger;
    this.places = new Map(bounds.start.map((position) => [nameOf(position), { ...position }]));
    this.missing = new Map(
      bounds.ends
        .filter((end) => this.next(end.topic, end.partition) < end.offset)
        .map((end) => [nameOf(end), end.offset]),
    );
    if (this.missing.size === 0) this.reached.resolve();
  }

  /** The next offset that will be handed over. */
  next(topic: string, partition: number): number {
    return this.places.get(nameOf({ topic, partition }))?.offset ?? 0;
  }

  partitions(topic: string): number {
    return [...this.places.values()].filter((place) => place.topic === topic).length;
  }

  /** Resolved when everything that was in the log at the start was handed over. */
  get caughtUp(): Promise<void> {
    return this.reached.promise;
  }

  /** Begins to read. */
  follow(): void {
    this.following ??= this.readOn();
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.following;
    this.reached.resolve();
  }

  private async readOn(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      let pauseMs = AGAIN_MS;
      try {
        const from = [...this.places.values()];
        for await (const batch of this.log.read({ from, follow: true, signal })) await this.handOver(batch);
      } catch (error) {
        if (signal.aborted) break;
        this.logger.warn(
          { event: 'live.tail_broken', err: error },
          'the log cannot be followed, trying again',
        );
        pauseMs = RETRY_MS;
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  private async handOver({ topic, partition, records, end }: LogBatch): Promise<void> {
    const name = nameOf({ topic, partition });
    const place = this.places.get(name)!;
    const fresh =
      records[0]!.offset < place.offset ? records.filter(({ offset }) => offset >= place.offset) : records;
    for (let at = 0; at < fresh.length; at += SLICE) {
      const slice = fresh.length <= SLICE ? fresh : fresh.slice(at, at + SLICE);
      for (const record of slice) {
        place.offset = record.offset + 1;
        this.handler.onRecord(topic, partition, record, end);
      }
      this.handler.onSlice({ topic, partition, records: slice, end });
      if (!this.turns.isOver) continue;
      await this.turns.next();
      if (this.stop.signal.aborted) return;
    }
    if (place.offset < (this.missing.get(name) ?? Infinity)) return;
    this.missing.delete(name);
    if (this.missing.size === 0) this.reached.resolve();
  }
}

const nameOf = ({ topic, partition }: Omit<Position, 'offset'>): string => `${topic}/${partition}`;
