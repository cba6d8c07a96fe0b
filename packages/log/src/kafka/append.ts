// An append, divided among the partitions: each share is written whole or not at all.

import type { Logger } from 'pino';
import type { LadderEvent, Position } from '@ladderlog/core';
import { LadderlogError, keyOf, timeOf, toMillis, topicOf } from '@ladderlog/core';
import type { KafkaLink } from './link.ts';
import type { OutRecord, PartitionWriter } from './writer.ts';
import { MAX_SHARE_BYTES, MAX_SHARE_RECORDS, createWriter } from './writer.ts';
import type { EventCodec } from '../record.ts';
import { MAX_RECORD_BYTES } from '../log.ts';
import { partitionFor } from './partitioner.ts';

type Share = {
  readonly topic: string;
  readonly partition: number;
  readonly records: OutRecord[];
  /** Index of each record among the events of the append. */
  readonly at: number[];
  bytes: number;
};

export function createAppend(
  link: KafkaLink,
  codec: EventCodec,
  logger: Logger,
): (events: readonly LadderEvent[]) => Promise<Position[]> {
  const { cluster, retryForMs } = link;
  const writers = new Map<string, PartitionWriter>();

  const writerOf = (topic: string, partition: number): PartitionWriter => {
    const name = `${topic}/${partition}`;
    let writer = writers.get(name);
    if (!writer) {
      writer = createWriter({ cluster, topic: link.kafkaName(topic), partition, retryForMs, logger });
      writers.set(name, writer);
    }
    return writer;
  };

  return async (events) => {
    const shares = divide(events, link, codec);
    const answers = await Promise.allSettled(
      shares.map((share) => writerOf(share.topic, share.partition).append(share.records)),
    );
    const failed = answers.find((answer) => answer.status === 'rejected');
    const positions: Position[] = [];
    positions.length = events.length;
    shares.forEach(({ topic, partition, records, at }, index) => {
      const answer = answers[index]!;
      if (answer.status === 'rejected') return;
      if (failed) return writerOf(topic, partition).remember(records, answer.value);
      answer.value.forEach((offset, record) => {
        positions[at[record]!] = { topic, partition, offset };
      });
    });
    if (failed) throw failed.reason;
    return positions;
  };
}

function divide(events: readonly LadderEvent[], link: KafkaLink, codec: EventCodec): Share[] {
  const shares = new Map<string, Share>();
  events.forEach((event, index) => {
    const [topic, key] = [topicOf(event), keyOf(event)];
    const partition = partitionFor(key, link.countOf(topic));
    const encoded = codec.encode(event);
    if (encoded.length > MAX_RECORD_BYTES)
      throw new LadderlogError(
        'LOG_RECORD_TOO_LARGE',
        `${event.type} of ${encoded.length} bytes; the largest record is ${MAX_RECORD_BYTES}`,
        { details: { type: event.type, bytes: encoded.length } },
      );
    const name = `${topic}/${partition}`;
    let share = shares.get(name);
    if (!share) shares.set(name, (share = { topic, partition, records: [], at: [], bytes: 0 }));
    const value = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
    share.records.push({ key, value, timestamp: String(toMillis(timeOf(event))) });
    share.at.push(index);
    share.bytes += encoded.length;
  });
  for (const { topic, partition, records, bytes } of shares.values())
    if (bytes > MAX_SHARE_BYTES || records.length > MAX_SHARE_RECORDS)
      throw new LadderlogError(
        'LOG_RECORD_TOO_LARGE',
        `${records.length} records of ${bytes} bytes for ${topic}/${partition} in one append: ` +
          `at most ${MAX_SHARE_RECORDS} and ${MAX_SHARE_BYTES} can be written whole`,
        { details: { topic, partition, records: records.length, bytes } },
      );
  return [...shares.values()];
}
