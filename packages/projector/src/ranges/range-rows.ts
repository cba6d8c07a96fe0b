// The rows of a range of one partition, made as its records come: of a record nothing else is kept, so that a range that waits
// for its time takes the memory of its rows, and no long work is left for the moment when it is written.

import type { Projection } from '@ladderlog/core';
import type { LogRecord } from '@ladderlog/log';
import type { RowEncoder } from '@ladderlog/store';
import { createRowEncoder } from '@ladderlog/store';

import type { OffsetRange } from './cursor.ts';
import type { Partition } from './log-bounds.ts';
import { createRangeProjections } from './range-projection.ts';

export type TableRows = { readonly bytes: Uint8Array; readonly rows: number };

/** `tables` has the rows of each projection, null where there are none. */
export type RowsOfRange = {
  readonly events: number;
  readonly poison: number;
  readonly tables: readonly (TableRows | null)[];
};

export type RangeInMaking = {
  add(record: LogRecord): void;
  /** From the first to the last that was added. */
  readonly range: OffsetRange;
  finish(): RowsOfRange;
};

export type RowMaker = {
  /** Column names of each projection's rows. */
  readonly columns: readonly (readonly string[])[];
  begin(of: Partition): RangeInMaking;
};

type Encoder = RowEncoder<never>;

export function createRowMaker(projections: readonly Projection[], generation: number): RowMaker {
  const project = createRangeProjections(projections);
  // Lent to ranges that have rows for the table: most have rows for few, and even an empty encoder takes memory.
  const free: Encoder[][] = projections.map(({ table }) => [createRowEncoder(table, generation) as Encoder]);
  const columns = free.map(([encoder]) => encoder!.columns);
  const lend = (at: number): Encoder =>
    free[at]!.pop() ?? (createRowEncoder(projections[at]!.table, generation) as Encoder);
  return {
    columns,
    begin({ topic, partition }) {
      const used: (Encoder | null)[] = projections.map(() => null);
      const sinks = projections.map((_, at) => ({
        add: (row: unknown) => (used[at] ??= lend(at)).add(row as never),
      }));
      const projected = project(topic, partition, sinks);
      let first = -1;
      let last = -1;
      let events = 0;
      const taken = (encoder: Encoder | null, at: number): TableRows | null => {
        if (!encoder) return null;
        const { rows } = encoder;
        const bytes = encoder.take();
        free[at]!.push(encoder);
        return rows === 0 ? null : { bytes, rows };
      };
      return {
        add(record) {
          projected.add(record);
          if (events++ === 0) first = record.offset;
          last = record.offset;
        },
        get range() {
          return { first, last };
        },
        finish() {
          projected.finish();
          return { events, poison: projected.poison, tables: used.map(taken) };
        },
      };
    },
  };
}
