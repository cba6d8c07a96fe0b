// Avro's primitives over a growing buffer and over bounded bytes. Written by hand because the ladders of a book are some four
// hundred integers: here they cost no call and no object each.

/** What is wrong with the bytes, and where. Internal: the codec turns it into a LadderlogError. */
export class ByteFault extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const LOW = 2 ** 27;

/** Zigzag varint of any safe integer; returns the position after it. `out` must have ten bytes left. */
function putLong(out: Uint8Array, position: number, value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError(`not a safe integer: ${value}`);
  const negative = value < 0;
  const magnitude = negative ? -value - 1 : value;
  let at = position;
  // 28 low bits (with the sign) as integers, the at most 26 bits above them likewise: no BigInt, no 64-bit arithmetic.
  let low = ((magnitude % LOW) << 1) | (negative ? 1 : 0);
  let high = Math.floor(magnitude / LOW);
  if (high === 0) {
    while (low > 0x7f) {
      out[at++] = (low & 0x7f) | 0x80;
      low >>>= 7;
    }
    out[at++] = low;
    return at;
  }
  out[at++] = (low & 0x7f) | 0x80;
  out[at++] = ((low >>> 7) & 0x7f) | 0x80;
  out[at++] = ((low >>> 14) & 0x7f) | 0x80;
  out[at++] = ((low >>> 21) & 0x7f) | 0x80;
  while (high > 0x7f) {
    out[at++] = (high & 0x7f) | 0x80;
    high >>>= 7;
  }
  out[at++] = high;
  return at;
}

/** Grows as needed and is reused: `reset` keeps the memory. */
export class ByteWriter {
  buffer: Buffer;
  at = 0;

  constructor(size = 16 * 1024) {
    this.buffer = Buffer.allocUnsafeSlow(size);
  }

  reset(): void {
    this.at = 0;
  }

  reserve(size: number): void {
    if (this.at + size <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.at + size));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.at++] = value;
  }

  boolean(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  uint32(value: number): void {
    this.reserve(4);
    this.at = this.buffer.writeUInt32BE(value, this.at);
  }

  long(value: number): void {
    this.reserve(10);
    this.at = putLong(this.buffer, this.at, value);
  }

  /** `["null", "long"]`. */
  optionalLong(value: number | null): void {
    if (value === null) this.byte(0);
    else {
      this.byte(2);
      this.long(value);
    }
  }

  /** `["null", "string"]`. */
  optionalString(value: string | null): void {
    if (value === null) this.byte(0);
    else {
      this.byte(2);
      this.string(value);
    }
  }

  string(value: string): void {
    if (typeof value !== 'string') throw new TypeError(`not a string: ${String(value)}`);
    const length = value.length;
    if (length < 64) {
      this.reserve(length * 3 + 10);
      const buffer = this.buffer;
      const at = this.at;
      // Lengths below 64 take one byte, so ASCII text can be written before it is known to be ASCII.
      let index = 0;
      for (; index < length; index++) {
        const code = value.charCodeAt(index);
        if (code > 0x7f) break;
        buffer[at + 1 + index] = code;
      }
      if (index === length) {
        buffer[at] = length << 1;
        this.at = at + 1 + length;
        return;
      }
    }
    const size = Buffer.byteLength(value);
    this.long(size);
    this.reserve(size);
    this.at += this.buffer.write(value, this.at, size, 'utf8');
  }

  bytes(value: Uint8Array): void {
    if (!(value instanceof Uint8Array)) throw new TypeError('not bytes');
    this.long(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.at);
    this.at += value.length;
  }

  /** An Avro array of longs: one block. */
  longs(values: readonly number[]): void {
    const count = values.length;
    this.reserve(count * 10 + 12);
    const buffer = this.buffer;
    let at = this.at;
    if (count > 0) {
      at = putLong(buffer, at, count);
      for (let index = 0; index < count; index++) {
        const value = values[index]!;
        // The common case in small integers: 0 … 2^30 − 1.
        if ((value & 0x3fffffff) === value) {
          let zigzag = value << 1;
          while (zigzag > 0x7f) {
            buffer[at++] = (zigzag & 0x7f) | 0x80;
            zigzag >>>= 7;
          }
          buffer[at++] = zigzag;
        } else at = putLong(buffer, at, value);
      }
    }
    buffer[at++] = 0;
    this.at = at;
  }

  strings(values: readonly string[]): void {
    if (values.length > 0) {
      this.long(values.length);
      for (const value of values) this.string(value);
    }
    this.byte(0);
  }

  /** An Avro map of strings. */
  stringMap(values: Readonly<Record<string, string>>): void {
    const keys = Object.keys(values);
    if (keys.length > 0) {
      this.long(keys.length);
      for (const key of keys) {
        this.string(key);
        this.string(values[key]!);
      }
    }
    this.byte(0);
  }

  /** A copy of what was written from `start` on. */
  copy(start = 0): Uint8Array {
    const out = new Uint8Array(this.at - start);
    out.set(this.buffer.subarray(start, this.at));
    return out;
  }
}

/** Every read is checked against `end`: bytes that lie about a length give a fault, not a large allocation. */
export class ByteReader {
  buffer: Buffer = Buffer.alloc(0);
  at = 0;
  end = 0;

  open(bytes: Uint8Array, at: number): void {
    this.buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
    this.end = bytes.length;
  }

  fault(message: string, at = this.at): never {
    throw new ByteFault(message, at);
  }

  byte(): number {
    if (this.at >= this.end) this.fault('bytes end early');
    return this.buffer[this.at++]!;
  }

  boolean(): boolean {
    const value = this.byte();
    if (value > 1) this.fault(`boolean of value ${value}`, this.at - 1);
    return value === 1;
  }

  long(): number {
    const buffer = this.buffer;
    const start = this.at;
    const stop = this.end;
    let at = start;
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      if (at >= stop) this.fault('bytes end early', start);
      const byte = buffer[at++]!;
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.at = at;
        return (low >>> 1) ^ -(low & 1);
      }
    }
    let high = 0;
    let scale = 1;
    for (;;) {
      if (at >= stop) this.fault('bytes end early', start);
      const byte = buffer[at++]!;
      high += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
      if (at - start >= 10) this.fault('integer of more than ten bytes', start);
    }
    const magnitude = high * LOW + (low >>> 1);
    if (magnitude > Number.MAX_SAFE_INTEGER) this.fault('integer beyond 2^53', start);
    this.at = at;
    return (low & 1) === 1 ? -magnitude - 1 : magnitude;
  }

  int(): number {
    const at = this.at;
    const value = this.long();
    if (value !== (value | 0)) this.fault('int beyond 32 bits', at);
    return value;
  }

  /** Index of an enum symbol or union branch. */
  index(count: number, what: string): number {
    const at = this.at;
    const value = this.long();
    if (value < 0 || value >= count) this.fault(`${what} ${value} of ${count}`, at);
    return value;
  }

  optionalLong(): number | null {
    return this.index(2, 'union branch') === 0 ? null : this.long();
  }

  optionalString(): string | null {
    return this.index(2, 'union branch') === 0 ? null : this.string();
  }

  length(what: string): number {
    const at = this.at;
    const length = this.long();
    if (length < 0 || length > this.end - this.at)
      this.fault(`${what} of ${length} bytes, ${this.end - this.at} left`, at);
    return length;
  }

  string(): string {
    const length = this.length('string');
    const start = this.at;
    this.at = start + length;
    if (length < 24) {
      // Short ASCII is most of what there is; a call into the runtime costs more than this loop.
      let text = '';
      const buffer = this.buffer;
      let index = start;
      for (; index < this.at; index++) {
        const code = buffer[index]!;
        if (code > 0x7f) break;
        text += String.fromCharCode(code);
      }
      if (index === this.at) return text;
    }
    return this.buffer.toString('utf8', start, this.at);
  }

  /** A copy: a frame that is kept must not keep its whole batch in memory. */
  bytes(): Uint8Array {
    const length = this.length('bytes');
    const out = new Uint8Array(length);
    out.set(this.buffer.subarray(this.at, this.at + length));
    this.at += length;
    return out;
  }

  /** Items of the next block of an array or map, 0 at its end. An item takes `smallest` bytes or more. */
  block(smallest: number): number {
    const at = this.at;
    let count = this.long();
    if (count < 0) {
      count = -count;
      this.length('block');
    }
    if (count > (smallest === 0 ? 1_000_000 : (this.end - this.at) / smallest))
      this.fault(`block of ${count} items, ${this.end - this.at} bytes left`, at);
    return count;
  }

  longs(): number[] {
    let values: number[] = [];
    let filled = 0;
    for (let count = this.block(1); count > 0; count = this.block(1)) {
      // Made to size: growing by push copies the ladder five times.
      // oxlint-disable-next-line unicorn/no-new-array
      if (filled === 0) values = new Array<number>(count);
      const buffer = this.buffer;
      const stop = this.end - 8;
      let at = this.at;
      for (let left = count; left > 0; left--) {
        // Up to eight bytes inline, in small integers; longer ones, the last bytes and every fault in long().
        if (at < stop) {
          let byte = buffer[at++]!;
          let low = byte & 0x7f;
          if (byte > 0x7f) {
            byte = buffer[at++]!;
            low |= (byte & 0x7f) << 7;
            if (byte > 0x7f) {
              byte = buffer[at++]!;
              low |= (byte & 0x7f) << 14;
              if (byte > 0x7f) {
                byte = buffer[at++]!;
                low |= (byte & 0x7f) << 21;
                if (byte > 0x7f) {
                  byte = buffer[at++]!;
                  let high = byte & 0x7f;
                  if (byte > 0x7f) {
                    byte = buffer[at++]!;
                    high |= (byte & 0x7f) << 7;
                    if (byte > 0x7f) {
                      byte = buffer[at++]!;
                      high |= (byte & 0x7f) << 14;
                      if (byte > 0x7f) {
                        this.at = at - 7;
                        values[filled++] = this.long();
                        at = this.at;
                        continue;
                      }
                    }
                  }
                  const magnitude = high * LOW + (low >>> 1);
                  values[filled++] = (low & 1) === 1 ? -magnitude - 1 : magnitude;
                  continue;
                }
              }
            }
          }
          values[filled++] = (low >>> 1) ^ -(low & 1);
        } else {
          this.at = at;
          values[filled++] = this.long();
          at = this.at;
        }
      }
      this.at = at;
    }
    return values;
  }

  strings(): string[] {
    const values: string[] = [];
    for (let count = this.block(1); count > 0; count = this.block(1))
      for (let left = count; left > 0; left--) values.push(this.string());
    return values;
  }

  stringMap(): Record<string, string> {
    const values: Record<string, string> = {};
    for (let count = this.block(2); count > 0; count = this.block(2))
      for (let left = count; left > 0; left--) {
        const key = this.string();
        values[key] = this.string();
      }
    return values;
  }
}
