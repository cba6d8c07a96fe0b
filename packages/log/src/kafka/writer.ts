// Appends to one partition: one request at a time; what waits meanwhile goes together into the next.

import type { LadderlogError } from '@ladderlog/core';
import { toLogError } from './errors.ts';
import type { OutRecord, Records } from './failed-appends.ts';
import { bytesOf, FailedAppends } from './failed-appends.ts';
import type { ProducerSetup } from './producer.ts';
import { PartitionProducer } from './producer.ts';

/** Waiting appends are merged up to here; one append may be larger, up to the limits below. */
const MERGE_BYTES = 4 * 1024 * 1024;
const MERGE_RECORDS = 10_000;
/** One append's share of a partition is one record batch, the unit that Kafka writes whole or not at all. */
export const MAX_SHARE_BYTES = 48 * 1024 * 1024;
export const MAX_SHARE_RECORDS = 50_000;
/** Topic setting that lets the largest share pass, even if it does not compress at all. */
export const MAX_MESSAGE_BYTES = MAX_SHARE_BYTES + 8 * 1024 * 1024;

type Waiting = {
  readonly records: Records;
  readonly bytes: number;
  readonly resolve: (base: number) => void;
  readonly reject: (error: LadderlogError) => void;
};

export class PartitionWriter {
  private readonly setup: ProducerSetup;
  private readonly producer: PartitionProducer;
  private readonly failed: FailedAppends;
  private readonly queue: Waiting[] = [];
  private running = false;

  constructor(setup: ProducerSetup) {
    this.setup = setup;
    this.producer = new PartitionProducer(setup);
    this.failed = new FailedAppends({ topic: setup.topic, partition: setup.partition }, setup.logger);
  }

  /** Offsets of the records, in order. */
  async append(records: readonly OutRecord[]): Promise<number[]> {
    const parts = this.failed.divide(records);
    const bases = await Promise.allSettled(parts.map((part) => this.enqueue(part)));
    const failed = bases.find((base) => base.status === 'rejected');
    if (failed) {
      bases.forEach((base, index) => {
        if (base.status === 'fulfilled') this.failed.keep(parts[index]!, base.value);
      });
      throw failed.reason;
    }
    return parts.flatMap((part, index) => {
      const base = (bases[index] as PromiseFulfilledResult<number>).value;
      return part.map((_, record) => base + record);
    });
  }

  /** The append these records belonged to failed elsewhere: should they come again, they are already here. */
  remember(records: readonly OutRecord[], offsets: readonly number[]): void {
    // Its parts may stand apart, when some came as a repeat.
    let start = 0;
    for (let at = 1; at <= records.length; at++)
      if (at === records.length || offsets[at] !== offsets[at - 1]! + 1) {
        this.failed.keep(records.slice(start, at), offsets[start]!);
        start = at;
      }
  }

  private enqueue(records: Records): Promise<number> {
    return new Promise((resolve, reject) => {
      this.queue.push({ records, bytes: bytesOf(records), resolve, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.queue.length > 0) {
      let taken: Waiting[] = [];
      try {
        // The batch of unknown fate comes first: its sequence number makes a second copy disappear.
        const { unanswered } = this.producer;
        if (unanswered) this.failed.foundAt(unanswered.parts, await this.producer.send(unanswered));
        // An append waiting here may be the repeat of one just found: look again before it is sent.
        taken = this.takeWaiting().filter((waiting) => !this.answerRepeat(waiting));
        if (taken.length > 0) await this.write(taken);
      } catch (error) {
        this.refuse(taken, error);
      }
    }
    this.running = false;
  }

  private async write(taken: readonly Waiting[]): Promise<void> {
    const parts = taken.map(({ records }) => records);
    let base = await this.producer.send({ records: parts.length === 1 ? parts[0]! : parts.flat(), parts });
    for (const { records, resolve } of taken) {
      resolve(base);
      base += records.length;
    }
  }

  private refuse(taken: readonly Waiting[], error: unknown): void {
    if (this.producer.unanswered) for (const { records } of taken) this.failed.keep(records, null);
    else this.failed.notWritten();
    const { topic, partition } = this.setup;
    const failure = toLogError(error, `appending to ${topic}/${partition}`);
    // Everything that waits was waiting for this: it was never sent, and the caller decides.
    const refused = failure.code === 'LOG_RECORD_TOO_LARGE' ? taken : [...taken, ...this.queue.splice(0)];
    for (const { reject } of refused) reject(failure);
  }

  private takeWaiting(): Waiting[] {
    let bytes = 0;
    let records = 0;
    let count = 0;
    for (const waiting of this.queue) {
      bytes += waiting.bytes;
      records += waiting.records.length;
      if (count > 0 && (bytes > MERGE_BYTES || records > MERGE_RECORDS)) break;
      count++;
    }
    return this.queue.splice(0, count);
  }

  private answerRepeat({ records, resolve }: Waiting): boolean {
    const base = this.failed.take(records);
    if (base === null) return false;
    resolve(base);
    return true;
  }
}
