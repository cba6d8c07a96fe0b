// Carries ranges through intent, inserts and cursor: one of one partition, or a set of several partitions as if it were one.
// Everything that makes a range appear exactly once is here and in range-insert.ts.

import type { Projection } from '@ladderlog/core';
import { LadderlogError, isLadderlogError } from '@ladderlog/core';
import type { LogRecord } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';

import type { ClaimedRange, CursorSets, CursorStore, OffsetRange } from './cursor.ts';
import type { ProjectorLimits } from './limits.ts';
import type { Partition } from './log-bounds.ts';
import type { Progress, RangesDone } from './progress.ts';
import type { TableInsert } from './range-insert.ts';
import { insertAgain, send } from './range-insert.ts';
import type { RowMaker, RowsOfRange, TableRows } from './range-rows.ts';
import { retryUntilDone } from './retry.ts';
import { nameOfRange, tokenOf } from './tokens.ts';

export type WriterContext = {
  readonly projections: readonly Projection[];
  readonly generation: number;
  readonly rows: RowMaker;
  readonly store: Pick<Store, 'insertRowBinary' | 'query'>;
  readonly cursors: CursorStore;
  readonly limits: ProjectorLimits;
  readonly signal: AbortSignal;
  /** What the log has of a range. */
  readonly read: (at: Partition, range: OffsetRange) => AsyncIterable<LogRecord>;
  readonly progress: Progress;
  readonly onDone: (done: RangesDone) => void;
};

export type RangeToWrite = ClaimedRange & { readonly made: RowsOfRange };

/** Ranges that are written together, ordered by topic and partition, so that a repeat gives the same bytes. */
export type RangesToWrite = {
  readonly ranges: readonly RangeToWrite[];
  /** nameOfSet; null for one range alone. */
  readonly set: string | null;
  /** They were begun before: some rows may be there. */
  readonly replayed: boolean;
  /** Whether the partitions are no longer ours. */
  readonly isDropped: () => boolean;
};

/** False when another projector has the partitions: nothing more was written then. */
export async function writeRanges(context: WriterContext, work: RangesToWrite): Promise<boolean> {
  try {
    await new RangeWriter(context, work).write();
    return true;
  } catch (error) {
    if (isLadderlogError(error, 'PROJECTOR_FENCED')) return false;
    throw error;
  }
}

class RangeWriter {
  private readonly context: WriterContext;
  private readonly work: RangesToWrite;
  private readonly steps: Steps;
  /** What the tokens name. */
  private readonly name: string;
  private repeats = 0;

  constructor(context: WriterContext, work: RangesToWrite) {
    this.context = context;
    this.work = work;
    this.steps = stepsOf(context.cursors, work);
    const { claim, range } = work.ranges[0]!;
    this.name = work.set ?? nameOfRange({ key: claim.key, range });
  }

  async write(): Promise<void> {
    const begun = performance.now();
    const rows = new Map<string, number>();
    if (this.work.ranges.some(({ made }) => made.tables.some((table) => table !== null))) {
      this.held(await this.retried('cursor', this.steps.intend));
      let confirmed = performance.now();
      const confirm = async (): Promise<void> => {
        if (performance.now() - confirmed <= this.context.limits.recheckMs) return;
        this.held(await this.steps.owns());
        confirmed = performance.now();
      };
      const made = this.work.ranges.map((range) => range.made);
      for (const at of inOrder(this.context.projections)) {
        const insert = this.insertOf(at, made);
        if (!insert) continue;
        await this.insert(insert, confirm);
        rows.set(insert.table, insert.rows);
      }
    }
    this.held(await this.retried('cursor', this.steps.advance));
    this.context.onDone(this.done(Object.fromEntries(rows), performance.now() - begun));
  }

  private async insert(insert: TableInsert, confirm: () => Promise<void>): Promise<void> {
    let doubtful = this.work.replayed;
    await this.retried('insert', async () => {
      await confirm();
      const again = doubtful;
      doubtful = true;
      await (again ? this.sendAgain(insert) : send(this.context, insert));
    });
  }

  private sendAgain(insert: TableInsert): Promise<void> {
    const { context, work } = this;
    const at = context.projections.findIndex(({ table }) => table === insert.table);
    const { newestBy, merging } = context.projections[at]!;
    // The engine keeps one of equal rows there. Under a token of its own the answer is proof; sent twice it is harmless.
    if (newestBy || merging) {
      const { epoch } = work.ranges[0]!.claim.cursor;
      return send(context, { ...insert, token: `${insert.token}:again:${epoch}:${++this.repeats}` });
    }
    return insertAgain(context, insert, {
      ranges: work.ranges,
      without: (present) => this.without(at, present),
      confirm: async () => this.held(await this.steps.owns()),
    });
  }

  /** Rows are not kept with the records they come from, so the log is read once more. */
  private async without(at: number, present: readonly ReadonlySet<number>[]): Promise<TableInsert | null> {
    const { rows, read } = this.context;
    const made: RowsOfRange[] = [];
    for (const [index, { claim, range }] of this.work.ranges.entries()) {
      const rest = rows.begin(claim.key);
      for await (const record of read(claim.key, range))
        if (!present[index]!.has(record.offset)) rest.add(record);
      made.push(rest.finish());
    }
    return this.insertOf(at, made);
  }

  private insertOf(at: number, made: readonly RowsOfRange[]): TableInsert | null {
    const { projections, generation, rows } = this.context;
    const parts = made.map(({ tables }) => tables[at]).filter((part): part is TableRows => !!part);
    if (parts.length === 0) return null;
    const projection = projections[at]!;
    return {
      table: projection.table,
      columns: rows.columns[at]!,
      bytes: parts.length === 1 ? parts[0]!.bytes : Buffer.concat(parts.map(({ bytes }) => bytes)),
      rows: parts.reduce((sum, part) => sum + part.rows, 0),
      token: tokenOf(projection, generation, this.name),
    };
  }

  private done(rows: RangesDone['rows'], ms: number): RangesDone {
    const { ranges } = this.work;
    return {
      ranges: ranges.map(({ claim, range }) => ({
        topic: claim.key.topic,
        partition: claim.key.partition,
        ...range,
      })),
      events: ranges.reduce((sum, { made }) => sum + made.events, 0),
      poison: ranges.reduce((sum, { made }) => sum + made.poison, 0),
      rows,
      ms,
    };
  }

  private held(ours: boolean): void {
    if (!ours || this.work.isDropped())
      throw new LadderlogError('PROJECTOR_FENCED', `${this.name} went to another projector`);
  }

  private retried<T>(step: 'cursor' | 'insert', attempt: () => Promise<T>): Promise<T> {
    const { limits, signal, progress, generation } = this.context;
    return retryUntilDone(attempt, limits, signal, (error, attempts) =>
      progress.retried(error, attempts, step, { generation, ranges: this.name }),
    );
  }
}

/** Metadata first: a book whose market the tables do not know yet would be answered without its names. */
function inOrder(projections: readonly Projection[]): number[] {
  const isMetadata = (at: number): boolean =>
    projections[at]!.handles.every((type) => type === 'MarketObserved');
  return [...projections.keys()].sort((a, b) => Number(isMetadata(b)) - Number(isMetadata(a)));
}

type Steps = Readonly<Record<'intend' | 'advance' | 'owns', () => Promise<boolean>>>;

function stepsOf(cursors: CursorStore, { ranges, set }: RangesToWrite): Steps {
  if (set !== null) {
    const sets: CursorSets = cursors.sets!;
    return {
      intend: () => sets.intend(ranges, set),
      advance: () => sets.advance(ranges),
      owns: () => sets.owns(ranges.map(({ claim }) => claim)),
    };
  }
  const { claim, range } = ranges[0]!;
  return {
    intend: () => cursors.intend(claim, range),
    advance: () => cursors.advance(claim, range.last),
    owns: () => cursors.owns(claim),
  };
}
