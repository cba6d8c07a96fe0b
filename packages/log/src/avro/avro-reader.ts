// Avro's primitives out of bounded bytes. Written by hand for the same reason as the writer.

/** What is wrong with the bytes, and where. Internal: the codec turns it into a LadderlogError. */
export class ByteFault extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Also under `__proto__`, which an assignment would take for the prototype. */
function put<T>(values: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(values, key, { value, enumerable: true, configurable: true, writable: true });
  else values[key] = value;
}

// An integer is held as its lowest 27 bits, which zigzag makes 28, and the rest.
const LOW = 2 ** 27;

/** Every read is checked against `end`: bytes that lie about a length give a fault, not a large allocation. */
export class AvroReader {
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

  float(): number {
    return this.buffer.readFloatLE(this.skip(4));
  }

  double(): number {
    return this.buffer.readDoubleLE(this.skip(8));
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

  bytes(): Uint8Array {
    return this.take(this.length('bytes'));
  }

  /** A copy: a frame that is kept must not keep its whole batch in memory. */
  take(size: number): Uint8Array {
    const start = this.skip(size);
    const out = new Uint8Array(size);
    out.set(this.buffer.subarray(start, this.at));
    return out;
  }

  /** Where the skipped bytes began. */
  private skip(size: number): number {
    const start = this.at;
    if (this.end - start < size) this.fault('bytes end early');
    this.at = start + size;
    return start;
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
      // Up to seven bytes inline, in small integers; longer ones, the last bytes and every fault in long().
      for (let left = count; left > 0; left--) {
        if (at < stop) {
          let byte = buffer[at++]!;
          let low = byte & 0x7f;
          if (byte > 0x7f) low |= ((byte = buffer[at++]!) & 0x7f) << 7;
          if (byte > 0x7f) low |= ((byte = buffer[at++]!) & 0x7f) << 14;
          if (byte > 0x7f) low |= ((byte = buffer[at++]!) & 0x7f) << 21;
          if (byte <= 0x7f) {
            values[filled++] = (low >>> 1) ^ -(low & 1);
            continue;
          }
          let high = (byte = buffer[at++]!) & 0x7f;
          if (byte > 0x7f) high |= ((byte = buffer[at++]!) & 0x7f) << 7;
          if (byte > 0x7f) high |= ((byte = buffer[at++]!) & 0x7f) << 14;
          if (byte <= 0x7f) {
            const magnitude = high * LOW + (low >>> 1);
            values[filled++] = (low & 1) === 1 ? -magnitude - 1 : magnitude;
            continue;
          }
          at -= 7;
        }
        this.at = at;
        values[filled++] = this.long();
        at = this.at;
      }
      this.at = at;
    }
    return values;
  }

  /** `smallest`: the fewest bytes that an item takes. */
  array<T>(smallest: number, read: (reader: AvroReader) => T): T[] {
    const values: T[] = [];
    for (let count = this.block(smallest); count > 0; count = this.block(smallest))
      for (let left = count; left > 0; left--) values.push(read(this));
    return values;
  }

  /** `smallest`: the fewest bytes that a key and its value take. */
  map<T>(smallest: number, read: (reader: AvroReader) => T): Record<string, T> {
    const values: Record<string, T> = {};
    for (let count = this.block(smallest); count > 0; count = this.block(smallest))
      for (let left = count; left > 0; left--) {
        const key = this.string();
        put(values, key, read(this));
      }
    return values;
  }
}
