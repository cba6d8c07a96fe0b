// What a partition remembers of appends that were reported as failed although their records are, or may be, in the log.
// Should the caller repeat them, equal bytes are answered with the positions they have instead of being written again.

import type { Logger } from 'pino';

export type OutRecord = { readonly key: string; readonly value: Buffer; readonly timestamp: string };
export type Records = readonly OutRecord[];

/** In the log at `base`; null: in the batch whose fate is open. */
type Remnant = { readonly records: Records; readonly bytes: number; readonly base: number | null };

export type Repeats = {
  keep(records: Records, base: number | null): void;
  /** The open batch is in the log: its parts stand one after another from `base` on. */
  settle(parts: readonly Records[], base: number): void;
  /** The open batch is not in the log and never will be. */
  drop(): void;
  /** Where these records are already; then they are forgotten. */
  take(records: Records): number | null;
  /** A repeat may come with others, and with newer records behind it: the parts that are known, in order, and the rest. */
  divide(records: Records): Records[];
};

// Callers that give up instead of repeating must not fill the memory. More than the largest append, so one is always kept.
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export const bytesOf = (records: Records): number =>
  records.reduce((sum, record) => sum + record.value.length + 64, 0);

export function createRepeats(
  place: { readonly topic: string; readonly partition: number },
  logger: Logger,
): Repeats {
  let remnants: Remnant[] = [];
  let bytes = 0;

  function replace(next: Remnant[]): void {
    remnants = next;
    bytes = next.reduce((sum, remnant) => sum + remnant.bytes, 0);
  }

  return {
    keep(records, base) {
      const kept = { records, bytes: bytesOf(records), base };
      remnants.push(kept);
      bytes += kept.bytes;
      while (bytes > MAX_KEPT_BYTES) {
        // Of the open batch nothing may be forgotten; it is one batch, and bounded itself.
        const oldest = remnants.find((remnant) => remnant.base !== null);
        if (!oldest) break;
        replace(remnants.filter((remnant) => remnant !== oldest));
        logger.warn(
          { event: 'log.kafka.repeat_forgotten', ...place, base: oldest.base, count: oldest.records.length },
          'a failed append was not repeated for long; should it be now, it is stored twice',
        );
      }
    },
    settle(parts, base) {
      const bases = new Map<Records, number>();
      let at = base;
      for (const part of parts) {
        bases.set(part, at);
        at += part.length;
      }
      replace(
        remnants.map((remnant) => ({ ...remnant, base: remnant.base ?? bases.get(remnant.records) ?? null })),
      );
    },
    drop() {
      replace(remnants.filter((remnant) => remnant.base !== null));
    },
    take(records) {
      const known = remnants.find(
        (remnant) =>
          remnant.base !== null &&
          remnant.records.length === records.length &&
          sameRecords(remnant.records, records, 0),
      );
      if (!known) return null;
      replace(remnants.filter((remnant) => remnant !== known));
      return known.base;
    },
    divide(records) {
      const parts: Records[] = [];
      const left = new Set(remnants);
      let at = 0;
      for (;;) {
        const known = [...left].find((remnant) => sameRecords(remnant.records, records, at));
        if (!known) break;
        left.delete(known);
        parts.push(records.slice(at, at + known.records.length));
        at += known.records.length;
      }
      if (at < records.length) parts.push(at === 0 ? records : records.slice(at));
      return parts;
    },
  };
}

/** Whether all of `part` stands in `records` from `at` on. */
const sameRecords = (part: Records, records: Records, at: number): boolean =>
  at + part.length <= records.length &&
  part.every((record, index) => {
    const other = records[at + index]!;
    return record === other || (record.key === other.key && record.value.equals(other.value));
  });
