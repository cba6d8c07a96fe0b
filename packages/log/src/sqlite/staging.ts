// Events on their way to the file, encoded: one buffer of values and one of numbers for an append, so that a whole append can be
// handed to another thread without a copy.

import type { LadderEvent, Micros, Position } from '@ladderlog/core';
import { keyOf, timeOf, topicOf } from '@ladderlog/core';
import { AvroWriter } from '../avro/avro-writer.ts';
import type { WritingCodec } from '../avro/codec.ts';
import { recordTooLarge } from '../errors.ts';
import { MAX_RECORD_BYTES } from '../log.ts';
import type { PartitionTable } from './partitions.ts';

/** An append without its events. */
export type StagedAppend = {
  /** The values, one after another; the buffer may be larger than they are. */
  readonly values: Buffer | Uint8Array;
  readonly bytes: number;
  /** Per record: id of its partition, its time, where its value ends, which of the keys it has. */
  readonly index: Float64Array;
  readonly keys: readonly string[];
  readonly appendedAt: Micros;
};
export const FIELDS = 4;

/** Where the records of one append went: id of a partition, offset of the first of its records there, and so on in pairs. */
export type FirstOffsets = readonly number[];

/** Buffers are kept for the next append, but not those of the largest ones. */
const SPARE_BUFFERS = 4;
const LARGEST_SPARE = 8 * 1024 * 1024;

export class Staging {
  private readonly codec: WritingCodec;
  private readonly partitions: PartitionTable;
  private readonly spare: Buffer[] = [];

  constructor(codec: WritingCodec, partitions: PartitionTable) {
    this.codec = codec;
    this.partitions = partitions;
  }

  /** Throws before anything is taken when one of the events cannot be: an append is refused whole. */
  stage(events: readonly LadderEvent[], appendedAt: Micros): StagedAppend {
    const writer = new AvroWriter(0);
    writer.buffer = this.spare.pop() ?? Buffer.allocUnsafeSlow(64 * 1024);
    try {
      const index = new Float64Array(events.length * FIELDS);
      const keys = new Map<string, number>();
      let at = 0;
      for (const event of events) {
        const [topic, key] = [topicOf(event), keyOf(event)];
        const start = writer.at;
        this.codec.write(writer, event);
        if (writer.at - start > MAX_RECORD_BYTES) throw recordTooLarge(event.type, key, writer.at - start);
        let keyIndex = keys.get(key);
        if (keyIndex === undefined) keys.set(key, (keyIndex = keys.size));
        index[at++] = this.partitions.idOf(topic, this.partitions.partitionOf(topic, key));
        index[at++] = timeOf(event);
        index[at++] = writer.at;
        index[at++] = keyIndex;
      }
      return { values: writer.buffer, bytes: writer.at, index, keys: [...keys.keys()], appendedAt };
    } catch (error) {
      this.release(writer.buffer);
      throw error;
    }
  }

  /** The buffer of an append that is written. */
  release(values: Uint8Array): void {
    if (this.spare.length < SPARE_BUFFERS && values.length <= LARGEST_SPARE)
      this.spare.push(Buffer.from(values.buffer, values.byteOffset, values.length));
  }

  /** The positions of an append's records, in order. */
  positionsOf(index: Float64Array, firsts: FirstOffsets): Position[] {
    const next = new Map<number, number>();
    for (let at = 0; at < firsts.length; at += 2) next.set(firsts[at]!, firsts[at + 1]!);
    const places = new Map([...next.keys()].map((id) => [id, this.partitions.placeOf(id)]));
    const positions: Position[] = [];
    for (let at = 0; at < index.length; at += FIELDS) {
      const id = index[at]!;
      const offset = next.get(id)!;
      next.set(id, offset + 1);
      positions.push({ ...places.get(id)!, offset });
    }
    return positions;
  }
}
