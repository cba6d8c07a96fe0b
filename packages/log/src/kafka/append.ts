// An append, divided among the partitions: each share is written whole or not at all.

import type { Logger } from 'pino';
import type { LadderEvent, Position } from '@ladderlog/core';
import { LadderlogError, keyOf, partitionName, timeOf, toMillis, topicOf } from '@ladderlog/core';
import { recordTooLarge } from '../errors.ts';
import { MAX_RECORD_BYTES } from '../log.ts';
import { partitionFor } from '../partitioner.ts';
import type { EventCodec } from '../record.ts';
import type { OutRecord } from './failed-appends.ts';
import type { KafkaLink } from './link.ts';
import { MAX_SHARE_BYTES, MAX_SHARE_RECORDS, PartitionWriter } from './writer.ts';

type Share = {
  readonly topic: string;
  readonly partition: number;
  readonly records: OutRecord[];
  /** Index of each record among the events of the append. */
  readonly at: number[];
  bytes: number;
};

export class KafkaAppender {
  private readonly link: KafkaLink;
  private readonly codec: EventCodec;
  private readonly logger: Logger;
  private readonly writers = new Map<string, PartitionWriter>();

  constructor(link: KafkaLink, codec: EventCodec, logger: Logger) {
    this.link = link;
    this.codec = codec;
    this.logger = logger;
  }

  async append(events: readonly LadderEvent[]): Promise<Position[]> {
    const shares = this.divide(events);
    const answers = await Promise.allSettled(
      shares.map((share) => this.writerOf(share).append(share.records)),
    );
    const failed = answers.find((answer) => answer.status === 'rejected');
    const positions: Position[] = [];
    positions.length = events.length;
    shares.forEach((share, index) => {
      const answer = answers[index]!;
      if (answer.status === 'rejected') return;
      if (failed) return this.writerOf(share).remember(share.records, answer.value);
      answer.value.forEach((offset, record) => {
        positions[share.at[record]!] = { topic: share.topic, partition: share.partition, offset };
      });
    });
    if (failed) throw failed.reason;
    return positions;
  }

  private writerOf({ topic, partition }: Share): PartitionWriter {
    const name = partitionName({ topic, partition });
    let writer = this.writers.get(name);
    if (!writer) {
      const { cluster, retryForMs } = this.link;
      const { logger } = this;
      const setup = { cluster, topic: this.link.kafkaName(topic), partition, retryForMs, logger };
      this.writers.set(name, (writer = new PartitionWriter(setup)));
    }
    return writer;
  }

  private divide(events: readonly LadderEvent[]): Share[] {
    const shares = new Map<string, Share>();
    events.forEach((event, index) => {
      const [topic, key] = [topicOf(event), keyOf(event)];
      const partition = partitionFor(key, this.link.countOf(topic));
      const encoded = this.codec.encode(event);
      if (encoded.length > MAX_RECORD_BYTES) throw recordTooLarge(event.type, key, encoded.length);
      const name = partitionName({ topic, partition });
      let share = shares.get(name);
      if (!share) shares.set(name, (share = { topic, partition, records: [], at: [], bytes: 0 }));
      const value = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
      share.records.push({ key, value, timestamp: String(toMillis(timeOf(event))) });
      share.at.push(index);
      share.bytes += encoded.length;
    });
    for (const share of shares.values()) refuseTooLarge(share);
    return [...shares.values()];
  }
}

function refuseTooLarge({ topic, partition, records: { length: records }, bytes }: Share): void {
  if (bytes > MAX_SHARE_BYTES || records > MAX_SHARE_RECORDS)
    throw new LadderlogError(
      'LOG_RECORD_TOO_LARGE',
      `${records} records of ${bytes} bytes for ${topic}/${partition} in one append: ` +
        `at most ${MAX_SHARE_RECORDS} and ${MAX_SHARE_BYTES} can be written whole`,
      { details: { topic, partition, records, bytes } },
    );
}
