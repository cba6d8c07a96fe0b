// Avro's primitives into a growing buffer. Written by hand because the ladders of a book are some four hundred integers: here
// they cost no call and no object each.

// An integer is held as its lowest 27 bits, which zigzag makes 28, and the rest.
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
export class AvroWriter {
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
    if (typeof value !== 'boolean') throw new TypeError(`not a boolean: ${String(value)}`);
    this.byte(value ? 1 : 0);
  }

  uint32(value: number): void {
    this.reserve(4);
    this.at = this.buffer.writeUInt32BE(value, this.at);
  }

  int(value: number): void {
    if (value !== (value | 0)) throw new TypeError(`not an integer of 32 bits: ${value}`);
    this.long(value);
  }

  long(value: number): void {
    this.reserve(10);
    this.at = putLong(this.buffer, this.at, value);
  }

  /** The place of an enum's symbol. */
  symbol(symbols: readonly string[], value: string): void {
    const index = symbols.indexOf(value);
    if (index < 0) throw new TypeError(`"${value}" is none of ${symbols.join(', ')}`);
    if (index < 64) this.byte(index << 1);
    else this.long(index);
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

  array<T>(values: readonly T[], write: (writer: AvroWriter, value: T) => void): void {
    if (!Array.isArray(values)) throw new TypeError(`not a list: ${String(values)}`);
    if (values.length > 0) {
      this.long(values.length);
      for (const value of values) write(this, value as T);
    }
    this.byte(0);
  }

  map<T>(values: Readonly<Record<string, T>>, write: (writer: AvroWriter, value: T) => void): void {
    const keys = Object.keys(values);
    if (keys.length > 0) {
      this.long(keys.length);
      for (const key of keys) {
        this.string(key);
        write(this, values[key]!);
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
