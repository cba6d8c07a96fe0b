// What a partition remembers of appends that were reported as failed although their records are, or may be, in the log.
// Should the caller repeat them, equal bytes are answered with the offsets they have instead of being written again.

import type { Logger } from 'pino';

export type OutRecord = { readonly key: string; readonly value: Buffer; readonly timestamp: string };
export type Records = readonly OutRecord[];

/** In the log at `base`; null: in the batch of which it is not known whether it was written. */
type FailedAppend = { readonly records: Records; readonly bytes: number; readonly base: number | null };

// Callers that give up instead of repeating must not fill the memory. More than the largest append, so one is always kept.
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export const bytesOf = (records: Records): number =>
  records.reduce((sum, record) => sum + record.value.length + 64, 0);

export class FailedAppends {
  private readonly place: { readonly topic: string; readonly partition: number };
  private readonly logger: Logger;
  private kept: FailedAppend[] = [];

  constructor(place: { readonly topic: string; readonly partition: number }, logger: Logger) {
    this.place = place;
    this.logger = logger;
  }

  keep(records: Records, base: number | null): void {
    this.kept.push({ records, bytes: bytesOf(records), base });
    let bytes = this.kept.reduce((sum, append) => sum + append.bytes, 0);
    while (bytes > MAX_KEPT_BYTES) {
      // Of the batch of unknown fate nothing may be forgotten; it is one batch, and bounded itself.
      const oldest = this.kept.find((append) => append.base !== null);
      if (!oldest) return;
      this.forget(oldest);
      bytes -= oldest.bytes;
      this.logger.warn(
        {
          event: 'log.kafka.repeat_forgotten',
          ...this.place,
          base: oldest.base,
          count: oldest.records.length,
        },
        'a failed append was not repeated for long; should it be now, it is stored twice',
      );
    }
  }

  /** The batch of unknown fate is in the log: its parts stand one after another from `base` on. */
  foundAt(parts: readonly Records[], base: number): void {
    let at = base;
    for (const part of parts) {
      this.kept = this.kept.map((append) => (append.records === part ? { ...append, base: at } : append));
      at += part.length;
    }
  }

  /** The batch of unknown fate is not in the log and never will be. */
  notWritten(): void {
    this.kept = this.kept.filter((append) => append.base !== null);
  }

  /** Where these records are already; then they are forgotten. */
  take(records: Records): number | null {
    const known = this.kept.find(
      (append) =>
        append.base !== null &&
        append.records.length === records.length &&
        standsAt(append.records, records, 0),
    );
    if (!known) return null;
    this.forget(known);
    return known.base;
  }

  /** A repeat may come with others, and with newer records behind it: the parts that are known, in order, and the rest. */
  divide(records: Records): Records[] {
    const parts: Records[] = [];
    const unused = new Set(this.kept);
    let at = 0;
    for (;;) {
      const known = [...unused].find((append) => standsAt(append.records, records, at));
      if (!known) break;
      unused.delete(known);
      parts.push(records.slice(at, at + known.records.length));
      at += known.records.length;
    }
    if (at < records.length) parts.push(at === 0 ? records : records.slice(at));
    return parts;
  }

  private forget(append: FailedAppend): void {
    this.kept = this.kept.filter((one) => one !== append);
  }
}

/** Whether all of `part` stands in `records` from `at` on. */
const standsAt = (part: Records, records: Records, at: number): boolean =>
  at + part.length <= records.length &&
  part.every((record, index) => {
    const other = records[at + index]!;
    return record === other || (record.key === other.key && record.value.equals(other.value));
  });
