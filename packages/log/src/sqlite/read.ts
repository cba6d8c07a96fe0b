// Reading by offset. A statement never stays open across an await, so readers hold no snapshot and block nobody. A reader has
// one piece in memory: about a megabyte, or one batch.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Micros, Position } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';
import { outOfRange } from '../errors.ts';
import type { LogBatch, ReadRequest, TimeSpan } from '../log.ts';
import { offsetOf } from '../log.ts';
import type { EventCodec } from '../record.ts';
import { LogRecord } from '../record.ts';
import type { UnpackedRecord } from './batch-format.ts';
import { salvage, unpack } from './batch-format.ts';
import { readingTurns } from '../turns.ts';
import { isCorrupt, retryWhileBusy, toLogError } from './errors.ts';
import type { PartitionTable } from './partitions.ts';
import type { Watch } from './watch.ts';

const PIECE_RECORDS = 2_000;
const PIECE_BYTES = 1024 * 1024;
const SPANS_AT_ONCE = 10_000;

type BatchRow = {
  readonly first: number;
  readonly last: number;
  readonly minTime: Micros;
  readonly rawBytes: number;
  readonly body: Uint8Array | null;
};
type Times = NonNullable<ReadRequest['times']>;
const ALWAYS: Times = { from: -Number.MAX_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** One partition being read: from `next` up to `to`. */
type Cursor = {
  readonly id: number;
  readonly topic: string;
  readonly partition: number;
  next: number;
  to: number;
};

export type ReaderOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly codec: EventCodec;
  readonly partitions: PartitionTable;
  readonly watch: Watch;
  readonly logger: Logger | undefined;
};

export class Reader {
  private readonly options: ReaderOptions;
  private readonly after: StatementSync;
  private readonly afterByIndex: StatementSync;
  private readonly atTime: StatementSync;
  private readonly spansAfter: StatementSync;

  constructor(options: ReaderOptions) {
    this.options = options;
    const { db } = options;
    const select = (columns: string, where: string): StatementSync =>
      db.prepare(
        `SELECT first_offset AS first, last_offset AS last, min_time AS minTime, ${columns}
         FROM batches INDEXED BY batches_by_offset
         WHERE partition_id = ? AND last_offset >= ? AND ${where}`,
      );
    const within = 'first_offset < ? AND max_time >= ? AND min_time < ? ORDER BY last_offset';
    this.after = select('raw_bytes AS rawBytes, body', within);
    // The same from the index alone, for when the row itself cannot be read.
    this.afterByIndex = select('0 AS rawBytes, NULL AS body', `${within} LIMIT 1`);
    this.spansAfter = select('max_time AS maxTime', `${within} LIMIT ?`);
    this.atTime = select('raw_bytes AS rawBytes, body', 'max_time >= ? ORDER BY last_offset LIMIT 1');
  }

  /** Of the index alone. */
  async *spans(from: Position, end: number, times: Times): AsyncGenerator<TimeSpan[]> {
    const id = this.options.partitions.idOf(from.topic, from.partition);
    let next = from.offset;
    for (;;) {
      const spans = this.spansAfter.all(id, next, end, times.from, times.to, SPANS_AT_ONCE) as TimeSpan[];
      if (spans.length > 0) yield spans;
      if (spans.length < SPANS_AT_ONCE) return;
      next = spans.at(-1)!.last + 1;
    }
  }

  /** Checks the request now, so that "the end" is the end at the time of the call. */
  plan(request: ReadRequest): Cursor[] {
    return request.from.map((position) => {
      const id = this.options.partitions.idOf(position.topic, position.partition);
      const { begin, end } = this.options.partitions.row(id);
      if (position.offset < begin || position.offset > end) throw outOfRange(position, begin, end);
      const to = request.follow ? Infinity : Math.min(offsetOf(request.to, position) ?? end, end);
      return { id, topic: position.topic, partition: position.partition, next: position.offset, to };
    });
  }

  /** Pieces of the partitions in turn; ends when all are read, on abort, and never while following. */
  async *read(cursors: readonly Cursor[], request: ReadRequest): AsyncGenerator<LogBatch> {
    const { signal } = request;
    const times = request.times ?? ALWAYS;
    let open = [...cursors];
    let hasRead = false;
    while (open.length > 0) {
      if (signal?.aborted) return;
      let idle = true;
      const since = this.options.watch.changes;
      for (const cursor of request.follow ? await this.grown(open) : open) {
        // To read a piece takes about a slice.
        if (hasRead && !request.follow) await readingTurns.next();
        hasRead = false;
        if (signal?.aborted) return;
        const batch = await this.piece(cursor, times);
        if (signal?.aborted) return;
        if (!batch) continue;
        idle = false;
        hasRead = true;
        yield batch;
      }
      if (signal?.aborted) return;
      if (!request.follow) open = open.filter((cursor) => cursor.next < cursor.to);
      else if (idle) await this.options.watch.wait(signal, since);
    }
  }

  /** Those with something to read: one question for all of them, since mostly one or two have grown. */
  private async grown(cursors: readonly Cursor[]): Promise<Cursor[]> {
    if (cursors.length === 1) return [...cursors];
    const ends = new Map(
      (await this.ask(() => this.options.partitions.rows())).map(({ id, end }) => [id, end]),
    );
    return cursors.filter((cursor) => cursor.next < ends.get(cursor.id)!);
  }

  /** The next records of a partition, or null when there are none now. Moves the cursor on. */
  private async piece(cursor: Cursor, times: Times): Promise<LogBatch | null> {
    // In one turn: the file may be closed at any await.
    const { end, to, rows } = await this.ask(() => {
      const { end } = this.options.partitions.row(cursor.id);
      const to = Math.min(cursor.to, end);
      return { end, to, rows: cursor.next < to ? this.rows(cursor, to, times) : null };
    });
    if (rows === null) return null;
    if (rows.length === 0) {
      // Passed over by their times, or removed by retention.
      cursor.next = to;
      return null;
    }
    const from = cursor.next;
    const records: LogRecord[] = [];
    for (const row of rows)
      for (const record of await this.recordsOf(cursor, row))
        if (record.offset >= from && record.offset < to) records.push(record);
    cursor.next = Math.min(rows.at(-1)!.last + 1, to);
    return records.length === 0 ? null : { topic: cursor.topic, partition: cursor.partition, records, end };
  }

  private async ask<T>(work: () => T): Promise<T> {
    try {
      return await retryWhileBusy(work);
    } catch (error) {
      throw toLogError(error, this.options.path);
    }
  }

  private rows(cursor: Cursor, to: number, times: Times): BatchRow[] {
    const rows: BatchRow[] = [];
    const parameters = [cursor.id, cursor.next, to, times.from, times.to] as const;
    try {
      let records = 0;
      let bytes = 0;
      for (const row of this.after.iterate(...parameters) as Iterable<BatchRow>) {
        rows.push(row);
        records += row.last - row.first + 1;
        bytes += row.rawBytes;
        if (records >= PIECE_RECORDS || bytes >= PIECE_BYTES) break;
      }
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      // What was read before the damage first; next time the damaged row comes first, and is given as faults.
      if (rows.length === 0) rows.push(this.damagedRow(cursor, parameters, error));
    }
    return rows;
  }

  private damagedRow(
    cursor: Cursor,
    parameters: readonly [number, number, number, number, number],
    cause: unknown,
  ): BatchRow {
    try {
      const row = this.afterByIndex.get(...parameters) as BatchRow | undefined;
      if (row) return row;
    } catch {
      // The index is damaged too.
    }
    const { topic, partition, next: offset } = cursor;
    throw new LadderlogError('LOG_CORRUPT', `${topic}/${partition} cannot be read from offset ${offset} on`, {
      cause,
      details: { topic, partition, offset },
    });
  }

  private async recordsOf({ topic, partition }: Cursor, row: BatchRow): Promise<LogRecord[]> {
    const count = row.last - row.first + 1;
    let unpacked: UnpackedRecord[];
    let reason = 'its checksum does not hold';
    try {
      if (row.body === null) throw new TypeError('its row in the file is damaged');
      unpacked = unpack(row.body, row.rawBytes);
      if (unpacked.length !== count)
        throw new TypeError(`the batch has ${unpacked.length} records of ${count}`);
    } catch (error) {
      reason = (error as Error).message;
      unpacked = row.body === null ? [] : await salvage(row.body);
    }
    const { codec } = this.options;
    let faults = 0;
    const records = Array.from({ length: count }, (_, index): LogRecord => {
      const offset = row.first + index;
      const record = unpacked[index];
      if (record?.whole)
        return new LogRecord(codec, {
          offset,
          key: record.key,
          time: record.time,
          value: record.value,
          fault: null,
        });
      faults++;
      const fault = new LadderlogError(
        'LOG_CORRUPT',
        `${topic}/${partition}/${offset} is damaged: ${reason}`,
        {
          details: { topic, partition, offset },
        },
      );
      return new LogRecord(codec, { offset, key: '', time: row.minTime, value: new Uint8Array(0), fault });
    });
    if (faults > 0)
      this.options.logger?.error(
        { event: 'log.corrupt', topic, partition, first: row.first, last: row.last, faults },
        'records of the log are damaged',
      );
    return records;
  }

  /** First offset whose record is at or after the time; the end when there is none. */
  async offsetAt(partitionId: number, at: Micros): Promise<number> {
    const { topic, partition, begin, end } = this.options.partitions.row(partitionId);
    const cursor: Cursor = { id: partitionId, topic, partition, next: begin, to: end };
    while (cursor.next < end) {
      const row = await retryWhileBusy(
        () => this.atTime.get(partitionId, cursor.next, at) as BatchRow | undefined,
      );
      if (!row) return end;
      const found = (await this.recordsOf(cursor, row)).find((record) => !record.fault && record.time >= at);
      if (found) return found.offset;
      cursor.next = row.last + 1;
    }
    return end;
  }
}
