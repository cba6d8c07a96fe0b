// A copy of a log in use, as it was at one moment, in a file of its own. It is read in short steps: between any two of them
// nothing is held, so the write-ahead log of the original is reset as ever. What one step has read may be packed with its
// neighbours before the next: a batch then reaches over the edge of what is wanted, and is cut there.

import { fsyncSync, closeSync, openSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LadderlogError } from '@ladderlog/core';
import { BatchBuilder, unpack } from './batch-format.ts';
import { batchInserter } from './batches.ts';
import { retryWhileBusy, toLogError } from './errors.ts';
import { connect, connectToRead, createTables, transaction } from './file.ts';
import type { PartitionRow } from './partitions.ts';
import { PartitionTable } from './partitions.ts';

const STEP_BYTES = 4 * 1024 * 1024;
/** Of a batch that is cut: it is compressed anew, and packed when the log is used. */
const CUT_LEVEL = 1;

const COLUMNS = `partition_id, first_offset, last_offset, count, min_time, max_time, appended_at, raw_bytes, bytes, packed,
  body`;
type BatchRow = {
  readonly partition_id: number;
  readonly first_offset: number;
  readonly last_offset: number;
  readonly appended_at: number;
  readonly raw_bytes: number;
  readonly bytes: number;
  readonly body: Uint8Array;
};
type SchemaRow = {
  readonly id: number;
  readonly name: string;
  readonly sha256: string;
  readonly schema: string;
};

export type CopyOptions = {
  readonly signal?: AbortSignal;
  /** Between any two steps: others have their turn. */
  readonly pause?: () => Promise<unknown>;
  /** Events copied, of how many. */
  readonly onProgress?: (done: number, total: number) => void;
};

/** Rejects with LOG_CORRUPT where the original cannot be read; then, as after an abort, the copy is worth nothing. */
export async function copySqliteLog(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  try {
    const source = connectToRead(from);
    try {
      const target = connect(to, false);
      try {
        await new LogCopy(source, target, options).run();
      } finally {
        target.close();
      }
    } finally {
      source.close();
    }
  } catch (error) {
    throw options.signal?.aborted ? error : toLogError(error, from);
  }
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

class LogCopy {
  private readonly source: DatabaseSync;
  private readonly target: DatabaseSync;
  private readonly options: CopyOptions;
  private readonly after: StatementSync;
  private insert: StatementSync | null = null;
  private done = 0;
  private total = 0;

  constructor(source: DatabaseSync, target: DatabaseSync, options: CopyOptions) {
    this.source = source;
    this.target = target;
    this.options = options;
    this.after = source.prepare(
      `SELECT ${COLUMNS} FROM batches INDEXED BY batches_by_offset
       WHERE partition_id = ? AND last_offset >= ? AND first_offset < ? ORDER BY last_offset`,
    );
    // Nobody else uses it, and one that is not finished is thrown away.
    target.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  }

  async run(): Promise<void> {
    const partitions = await retryWhileBusy(() => this.begin());
    this.total = partitions.reduce((sum, { begin, end }) => sum + end - begin, 0);
    for (const partition of partitions) await this.copyPartition(partition);
  }

  /** The ends of all partitions at one moment: that of the copy. */
  private begin(): PartitionRow[] {
    this.source.exec('BEGIN');
    try {
      const partitions = new PartitionTable(this.source).rows();
      const schemas = this.source.prepare('SELECT id, name, sha256, schema FROM schemas').all();
      transaction(this.target, () => {
        createTables(this.target);
        const addSchema = this.target.prepare(
          'INSERT INTO schemas (id, name, sha256, schema) VALUES (?, ?, ?, ?)',
        );
        for (const { id, name, sha256, schema } of schemas as SchemaRow[])
          addSchema.run(id, name, sha256, schema);
        const add = this.target.prepare(
          'INSERT INTO partitions (id, topic, partition, begin_offset, end_offset) VALUES (?, ?, ?, ?, ?)',
        );
        for (const { id, topic, partition, begin, end } of partitions)
          add.run(id, topic, partition, begin, end);
      });
      return partitions;
    } finally {
      this.source.exec('COMMIT');
    }
  }

  private async copyPartition(partition: PartitionRow): Promise<void> {
    const { id, begin, end } = partition;
    let first: number | null = null;
    let next = begin;
    while (next < end) {
      this.options.signal?.throwIfAborted();
      const rows = await retryWhileBusy(() => this.step(id, next, end));
      if (rows.length === 0) break;
      first ??= Math.max(rows[0]!.first_offset, begin);
      const from = next;
      transaction(this.target, () => {
        for (const row of rows) this.add(partition, row, from);
      });
      next = Math.min(rows.at(-1)!.last_offset + 1, end);
      this.done += next - from;
      this.options.onProgress?.(this.done, this.total);
      await (this.options.pause ?? nextTurn)();
    }
    // Retention has removed what was there at the beginning.
    if (begin < end && first !== begin)
      this.target.prepare('UPDATE partitions SET begin_offset = ? WHERE id = ?').run(first ?? end, id);
  }

  private step(id: number, next: number, end: number): BatchRow[] {
    const rows: BatchRow[] = [];
    let bytes = 0;
    for (const row of this.after.iterate(id, next, end) as Iterable<BatchRow>) {
      rows.push(row);
      if ((bytes += row.bytes) >= STEP_BYTES) break;
    }
    return rows;
  }

  private add(partition: PartitionRow, row: BatchRow, from: number): void {
    if (row.first_offset >= from && row.last_offset < partition.end) {
      const places = COLUMNS.split(',').map(() => '?');
      this.insert ??= this.target.prepare(`INSERT INTO batches (${COLUMNS}) VALUES (${places.join(', ')})`);
      this.insert.run(...(Object.values(row) as (number | Uint8Array)[]));
      return;
    }
    const builder = cut(
      partition,
      row,
      Math.max(row.first_offset, from),
      Math.min(row.last_offset + 1, partition.end),
    );
    batchInserter(this.target)({
      partitionId: partition.id,
      first: Math.max(row.first_offset, from),
      builder,
      appendedAt: row.appended_at,
      packed: false,
      body: builder.pack(CUT_LEVEL),
    });
  }
}

/** The records from one offset up to another. */
function cut({ topic, partition }: PartitionRow, row: BatchRow, from: number, to: number): BatchBuilder {
  const builder = new BatchBuilder();
  const records = unpack(row.body, row.raw_bytes).slice(from - row.first_offset, to - row.first_offset);
  const damaged = records.findIndex((record) => !record.whole);
  if (records.length !== to - from || damaged >= 0) {
    const offset = from + Math.max(damaged, 0);
    throw new LadderlogError('LOG_CORRUPT', `${topic}/${partition}/${offset} is damaged`, {
      details: { topic, partition, offset },
    });
  }
  for (const record of records) builder.add(record.key, record.time, record.value);
  return builder;
}
