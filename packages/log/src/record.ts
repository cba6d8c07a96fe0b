// A record read back from a log. Several readers may share it (API, feed, tables), so it decodes its event once, when the first
// of them asks. The event is shared too: nobody may change it. It lives as long as the record does, and so keeps the garbage
// collector busy: a reader that may be the only one peeks, and an event can go as soon as it was looked at.

import type { EventType, LadderEvent, LadderlogError, Micros } from '@ladderlog/core';

export type Decoded =
  { readonly ok: true; readonly event: LadderEvent } | { readonly ok: false; readonly error: LadderlogError };

export type EventCodec = {
  /** Confluent wire format. */
  encode(event: LadderEvent): Uint8Array;
  /** Never throws: foreign or corrupt bytes are a typed error with the position of the fault. */
  decode(bytes: Uint8Array): Decoded;
  /** What the bytes claim to be, from the schema id alone; null when unknown. */
  typeOf(bytes: Uint8Array): EventType | null;
};

export type RecordFields = {
  readonly offset: number;
  readonly key: string;
  /** timeOf(event): our clock at observation, not at append. */
  readonly time: Micros;
  /** Confluent wire format (0, schema id, Avro); empty when `fault` is set. */
  readonly value: Uint8Array;
  /** Why the storage could not give the value; null where it could. */
  readonly fault: LadderlogError | null;
};

export class LogRecord implements RecordFields {
  readonly offset: number;
  readonly key: string;
  readonly time: Micros;
  readonly value: Uint8Array;
  readonly fault: LadderlogError | null;
  private readonly codec: EventCodec;
  private answer: Decoded | null = null;

  constructor(codec: EventCodec, stored: RecordFields) {
    this.codec = codec;
    this.offset = stored.offset;
    this.key = stored.key;
    this.time = stored.time;
    this.value = stored.value;
    this.fault = stored.fault;
  }

  /** From the schema id alone, without decoding; null when it cannot be told. */
  get type(): EventType | null {
    return this.fault ? null : this.codec.typeOf(this.value);
  }

  /** The event, or why there is none: the fault of the storage or of the bytes. */
  get decoded(): Decoded {
    return (this.answer ??= this.peek());
  }

  /** The same, but not kept where nobody asked for it before. */
  peek(): Decoded {
    return this.answer ?? (this.fault ? { ok: false, error: this.fault } : this.codec.decode(this.value));
  }
}
