// A batch of records as one blob: two bytes of header (format, compression), then columns: lengths, keys (each once), times
// less what the values state (mostly one number for all), a CRC-32 per record, and the values one after another, which is what
// makes zstd find the ladder before in the ladder after. Offsets are not inside: the row of the batch says them, so re-packing
// never rewrites a record.

import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Micros } from '@ladderlog/core';
import { setBounded } from '@ladderlog/core';
import { AvroReader } from '../avro/avro-reader.ts';
import { AvroWriter } from '../avro/avro-writer.ts';

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
/** An append below this is stored as it is: packing will compress it, and a compressor costs more than four pages do. */
const SMALL_APPEND = 16 * 1024;
/** One record may be MAX_RECORD_BYTES; nothing that was written unpacks to more than this. */
const MAX_UNPACKED = 64 * 1024 * 1024;

const compress = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);

/** Collects records of one partition. Values are copied in; `clear` keeps the memory. */
export class BatchBuilder {
  private readonly values = new AvroWriter(64 * 1024);
  private readonly lengths: number[] = [];
  private readonly keyIndexes: number[] = [];
  private readonly keys = new Map<string, number>();
  private readonly times: Micros[] = [];
  /** Record time less what its value states of it: the same number for every event of a venue. */
  private readonly shifts: number[] = [];
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
    this.shifts.push(time - statedTime(value));
    this.checksums.push(checksum(key, time, value));
  }

  clear(): void {
    this.values.reset();
    this.keys.clear();
    for (const column of [this.lengths, this.keyIndexes, this.times, this.shifts, this.checksums])
      column.length = 0;
  }

  /** The blob, at once: for appends, whose level costs a millisecond for 2,000 ladders. */
  pack(level: number): Uint8Array {
    const body = this.body(shared);
    return wrap(body, body.length < SMALL_APPEND ? null : zlib.zstdCompressSync(body, compression(level)));
  }

  /** The blob, compressed off the event loop: for levels that take longer. */
  async packAside(level: number): Promise<Uint8Array> {
    const body = this.body(new AvroWriter(this.values.at + this.lengths.length * 40 + 1_024));
    return wrap(body, body.length < SMALL ? null : await compress(body, compression(level)));
  }

  private body(out: AvroWriter): Buffer {
    out.reset();
    out.long(this.lengths.length);
    for (const length of this.lengths) out.long(length);
    out.long(this.keys.size);
    for (const key of this.keys.keys()) out.string(key);
    for (const index of this.keyIndexes) out.long(index);
    for (const shift of this.shifts) out.long(shift);
    for (const sum of this.checksums) out.uint32(sum);
    out.raw(this.values.buffer.subarray(0, this.values.at));
    return out.buffer.subarray(0, out.at);
  }
}

/** Used up before anything else can run. */
const shared = new AvroWriter(256 * 1024);

const compression = (level: number): zlib.ZstdOptions => ({
  params: { [zlib.constants.ZSTD_c_compressionLevel]: level, [zlib.constants.ZSTD_c_checksumFlag]: 0 },
});

const wrap = (body: Uint8Array, compressed: Uint8Array | null): Uint8Array =>
  Buffer.concat([Buffer.from([FORMAT, compressed ? ZSTD : PLAIN]), compressed ?? body]);

function checksum(key: string, time: Micros, value: Uint8Array): number {
  const low = time % 0x1_0000_0000;
  const seed = (keyChecksum(key) ^ low ^ ((time - low) / 0x1_0000_0000)) >>> 0;
  return zlib.crc32(value, seed);
}

// Keys repeat, and there are few at a time.
const keyChecksums = new Map<string, number>();
function keyChecksum(key: string): number {
  let sum = keyChecksums.get(key);
  if (sum === undefined) setBounded(keyChecksums, key, (sum = zlib.crc32(key)), 10_000);
  return sum;
}

/**
 * The low 48 bits of the time that every event of a venue states after the wire header, an enum and a string. Whatever else
 * the bytes are, some number comes out, the same at packing and unpacking: this function is part of the format.
 */
function statedTime(value: Uint8Array): number {
  let at = 6;
  let length = 0;
  let scale = 1;
  for (let byte = value[at++]; byte !== undefined; byte = value[at++]) {
    length += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80 || scale > 2 ** 21) break;
  }
  at += length >>> 1;
  let time = 0;
  scale = 0.5;
  for (let byte = value[at++]; byte !== undefined; byte = value[at++]) {
    time += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80 || scale > 2 ** 46) break;
  }
  return Math.floor(time);
}

/** The records of a blob; throws when it cannot be taken apart at all. Values are views of one buffer. */
export function unpack(blob: Uint8Array, rawBytes: number): UnpackedRecord[] {
  if (!inspect(blob)) return split(blob.subarray(HEADER));
  // One output buffer of about the right size halves the time; a wrong guess costs only that.
  const chunkSize = Math.min(rawBytes + rawBytes / 8 + 4_096, MAX_UNPACKED) | 0;
  return split(zlib.zstdDecompressSync(blob.subarray(HEADER), { maxOutputLength: MAX_UNPACKED, chunkSize }));
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
  const reader = new AvroReader();
  reader.open(body, 0);
  const count = reader.block(1);
  const lengths = Array.from({ length: count }, () => reader.long());
  const keys = Array.from({ length: reader.block(1) }, () => reader.string());
  const keyOf = Array.from({ length: count }, () => keys[reader.index(keys.length, 'key')]!);
  const shifts = Array.from({ length: count }, () => reader.long());
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
    const time = statedTime(value) + shifts[index]!;
    const whole = checksum(key, time, value) === buffer.readUInt32BE(sums + index * 4);
    records.push({ key, time, value, whole });
    at += length;
  }
  return records;
}
