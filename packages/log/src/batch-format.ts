// A batch of records as one blob: two bytes of header (format, compression), then columns: lengths, keys (each once), times
// as differences, a CRC-32 per record, and the values one after another, which is what makes zstd find the ladder before in
// the ladder after. Offsets are not inside: the row of the batch says them, so re-packing never rewrites a record.

import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Micros } from '@ladderlog/core';
import { ByteReader, ByteWriter } from './bytes.ts';

/** A record without its place. */
export type StoredRecord = { readonly key: string; readonly time: Micros; readonly value: Uint8Array };
/** `whole` is false when the checksum says that the record is not what was written. */
export type UnpackedRecord = StoredRecord & { readonly whole: boolean };

const FORMAT = 1;
const PLAIN = 0;
const ZSTD = 1;
const HEADER = 2;
/** Below this, compression gains less than its frame costs. */
const SMALL = 200;
/** From here on compression leaves the event loop. */
const LARGE = 256 * 1024;
/** One record may be MAX_RECORD_BYTES; nothing that was written unpacks to more than this. */
const MAX_UNPACKED = 64 * 1024 * 1024;

const compress = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);
const decompress = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

/** Collects records of one partition. Values are copied in; `clear` keeps the memory. */
export class BatchBuilder {
  private readonly values = new ByteWriter(64 * 1024);
  private readonly lengths: number[] = [];
  private readonly keyIndexes: number[] = [];
  private readonly keys = new Map<string, number>();
  private readonly times: Micros[] = [];
  private readonly checksums: number[] = [];

  get count(): number {
    return this.lengths.length;
  }

  get bytes(): number {
    return this.values.at;
  }

  get minTime(): Micros {
    return this.times.reduce((a, b) => Math.min(a, b));
  }

  get maxTime(): Micros {
    return this.times.reduce((a, b) => Math.max(a, b));
  }

  add(key: string, time: Micros, value: Uint8Array): void {
    let index = this.keys.get(key);
    if (index === undefined) this.keys.set(key, (index = this.keys.size));
    this.values.raw(value);
    this.lengths.push(value.length);
    this.keyIndexes.push(index);
    this.times.push(time);
    this.checksums.push(checksum(key, time, value));
  }

  clear(): void {
    this.values.reset();
    this.keys.clear();
    for (const column of [this.lengths, this.keyIndexes, this.times, this.checksums]) column.length = 0;
  }

  /** The blob. Sealed batches are worth a higher level; large ones are compressed off the event loop. */
  async pack(level: number): Promise<Uint8Array> {
    const body = this.body();
    if (body.length < SMALL) return Buffer.concat([Buffer.from([FORMAT, PLAIN]), body]);
    const options: zlib.ZstdOptions = {
      params: {
        [zlib.constants.ZSTD_c_compressionLevel]: level,
        [zlib.constants.ZSTD_c_checksumFlag]: 0,
      },
    };
    const packed = body.length < LARGE ? zlib.zstdCompressSync(body, options) : await compress(body, options);
    return Buffer.concat([Buffer.from([FORMAT, ZSTD]), packed]);
  }

  private body(): Buffer {
    const out = new ByteWriter(this.values.at + this.lengths.length * 16 + 1024);
    out.long(this.lengths.length);
    for (const length of this.lengths) out.long(length);
    out.long(this.keys.size);
    for (const key of this.keys.keys()) out.string(key);
    for (const index of this.keyIndexes) out.long(index);
    let before = 0;
    for (const time of this.times) {
      out.long(time - before);
      before = time;
    }
    for (const sum of this.checksums) out.uint32(sum);
    out.raw(this.values.buffer.subarray(0, this.values.at));
    return out.buffer.subarray(0, out.at);
  }
}

function checksum(key: string, time: Micros, value: Uint8Array): number {
  const low = time % 0x1_0000_0000;
  const seed = (keyChecksum(key) ^ low ^ ((time - low) / 0x1_0000_0000)) >>> 0;
  return zlib.crc32(value, seed);
}

// Keys repeat, and there are few at a time.
const keyChecksums = new Map<string, number>();
function keyChecksum(key: string): number {
  let sum = keyChecksums.get(key);
  if (sum === undefined) {
    if (keyChecksums.size > 10_000) keyChecksums.clear();
    keyChecksums.set(key, (sum = zlib.crc32(key)));
  }
  return sum;
}

/** The records of a blob; throws when it cannot be taken apart at all. Values are views of one buffer. */
export async function unpack(blob: Uint8Array, rawBytes: number): Promise<UnpackedRecord[]> {
  const compressed = inspect(blob);
  if (!compressed) return split(blob.subarray(HEADER));
  const options: zlib.ZstdOptions = { maxOutputLength: MAX_UNPACKED };
  const packed = blob.subarray(HEADER);
  return split(
    rawBytes < LARGE ? zlib.zstdDecompressSync(packed, options) : await decompress(packed, options),
  );
}

/** What can still be had of a blob that `unpack` refuses: the records before the damage, as far as their checksums hold. */
export async function salvage(blob: Uint8Array): Promise<UnpackedRecord[]> {
  try {
    return split(inspect(blob) ? await decompressPrefix(blob.subarray(HEADER)) : blob.subarray(HEADER), true);
  } catch {
    return [];
  }
}

/** Whether the blob is compressed; throws when it is not a batch. */
function inspect(blob: Uint8Array): boolean {
  if (blob.length <= HEADER || blob[0] !== FORMAT || (blob[1] !== PLAIN && blob[1] !== ZSTD))
    throw new TypeError('not a batch of records');
  return blob[1] === ZSTD;
}

function decompressPrefix(packed: Uint8Array): Promise<Buffer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const stream = zlib.createZstdDecompress();
    const end = (): void => resolve(Buffer.concat(parts));
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', end);
    stream.on('error', end);
    stream.end(packed);
  });
}

function split(body: Uint8Array, damaged = false): UnpackedRecord[] {
  const reader = new ByteReader();
  reader.open(body, 0);
  const count = reader.block(1);
  const lengths = Array.from({ length: count }, () => reader.long());
  const keys = Array.from({ length: reader.block(1) }, () => reader.string());
  const keyOf = Array.from({ length: count }, () => keys[reader.index(keys.length, 'key')]!);
  let time = 0;
  const times = Array.from({ length: count }, () => (time += reader.long()));
  const sums = reader.at;
  const buffer = reader.buffer;
  let at = sums + count * 4;
  if (at > reader.end) reader.fault('checksums end early');
  const records: UnpackedRecord[] = [];
  for (let index = 0; index < count; index++) {
    const length = lengths[index]!;
    if (length < 0 || length > reader.end - at) {
      if (damaged) break;
      reader.fault(`record of ${length} bytes, ${reader.end - at} left`, at);
    }
    const value = buffer.subarray(at, at + length);
    const key = keyOf[index]!;
    const whole = checksum(key, times[index]!, value) === buffer.readUInt32BE(sums + index * 4);
    records.push({ key, time: times[index]!, value, whole });
    at += length;
  }
  return records;
}
