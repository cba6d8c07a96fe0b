// Packing and retention, in the background. Packing replaces a run of small batches by one over the same offsets, in one
// transaction: a reader sees the old ones or the new one. Reading and compressing happen outside of it, in short turns.

import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Micros } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';
import { BatchBuilder, unpack } from './batch-format.ts';
import { TARGET_BYTES, TARGET_RECORDS } from './append.ts';
import { isBusy, isCorrupt, transaction } from './file.ts';
import type { PartitionRow, PartitionTable } from './partitions.ts';

/** What is older, or beyond the size, is removed a batch at a time. Age counts from the append. Bytes are as stored. */
export type Retention = { readonly maxAgeMicros?: Micros; readonly maxBytes?: number };

/** A real ladder takes 17 bytes at level 6 and 20 at levels 1 to 3; higher ones gain nothing. Off the event loop. */
const PACK_LEVEL = 6;
/** Longest turn on the event loop. */
const TURN_MS = 5;
const LOOSE_LIMIT = 4_096;
const RETAIN_EVERY = 16;
const FREE_PAGES = 1_024;
/** Batches removed at once; the next pass goes on. */
const REMOVE_LIMIT = 1_000;

type LooseRow = {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly rawBytes: number;
  readonly appendedAt: Micros;
};

export type UpkeepOptions = {
  readonly db: DatabaseSync;
  readonly partitions: PartitionTable;
  readonly clock: Clock;
  readonly retention: Readonly<Record<string, Retention>>;
  readonly everyMs: number;
  readonly logger: Logger | undefined;
};

export class Upkeep {
  private readonly options: UpkeepOptions;
  private readonly sql: ReturnType<typeof statements>;
  private readonly timer: NodeJS.Timeout | null;
  private running: Promise<void> | null = null;
  private closed = false;
  private passes = 0;
  /** Per partition, the offset up to which everything is packed: no need to look there again. */
  private readonly settled = new Map<number, number>();
  /** Batches whose row cannot even be marked. */
  private readonly damaged = new Set<number>();

  constructor(options: UpkeepOptions) {
    this.options = options;
    for (const topic of Object.keys(options.retention)) options.partitions.idsOf(topic);
    this.sql = statements(options.db);
    this.timer = options.everyMs > 0 ? setInterval(() => void this.due(), options.everyMs) : null;
    this.timer?.unref();
  }

  run(retain = true): Promise<void> {
    return (this.running ??= this.pass(retain).finally(() => {
      this.running = null;
    }));
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearInterval(this.timer);
    await this.running?.catch(() => undefined);
  }

  private async due(): Promise<void> {
    try {
      // Sizes and ages change slowly, and looking at them reads every batch's row.
      await this.run(this.passes++ % RETAIN_EVERY === 0);
    } catch (error) {
      // A busy file or a full disk: packing is never urgent.
      this.options.logger?.warn(
        { event: 'log.upkeep_failed', err: error },
        'packing or retention will be tried again',
      );
    }
  }

  private async pass(retain: boolean): Promise<void> {
    const failures: unknown[] = [];
    for (const partition of this.options.partitions.rows()) {
      if (this.closed) return;
      try {
        await this.pack(partition);
        if (retain && !this.closed) this.retain(partition);
      } catch (error) {
        // Damage in one partition must not hold up the others.
        failures.push(error);
      }
    }
    if (!this.closed) this.giveBack();
    if (failures.length > 0) throw failures[0];
  }

  /** Pages freed by packing are used again; only a pile of them (after an import) goes back to the disk, a piece at a time. */
  private giveBack(): void {
    const { freelist_count: free } = this.sql.free.get() as { freelist_count: number };
    if (free > FREE_PAGES) this.options.db.exec(`PRAGMA incremental_vacuum(${FREE_PAGES / 2})`);
  }

  private async pack(partition: PartitionRow): Promise<void> {
    const settled = this.settled.get(partition.id) ?? partition.begin;
    const found = this.sql.loose.all(partition.id, settled, LOOSE_LIMIT) as unknown as LooseRow[];
    const loose = found.filter((row) => !this.damaged.has(row.id));
    this.settled.set(partition.id, loose[0]?.first ?? partition.end);
    for (const run of runsOf(loose)) {
      if (this.closed) return;
      if (run.rows.length < 2) continue;
      if (run.full || this.isFollowed(partition.id, run.rows)) await this.packRun(partition, run.rows);
    }
  }

  /** A run behind which a packed batch lies will never grow: it is packed as it is. */
  private isFollowed(partitionId: number, run: readonly LooseRow[]): boolean {
    const next = this.sql.next.get(partitionId, run.at(-1)!.last) as { packed: number } | undefined;
    return next?.packed === 1;
  }

  private async packRun(partition: PartitionRow, run: readonly LooseRow[]): Promise<void> {
    const builder = new BatchBuilder();
    let turn = performance.now();
    for (const row of run) {
      const body = this.bodyOf(row);
      // Another process packed it meanwhile.
      if (body === undefined) return;
      if (body === null || !this.addTo(builder, row, body)) return this.leave(partition, row);
      if (performance.now() - turn > TURN_MS) {
        await new Promise(setImmediate);
        if (this.closed) return;
        turn = performance.now();
      }
    }
    const body = await builder.packAside(PACK_LEVEL);
    if (this.closed) return;
    this.replace(partition, run, builder, body);
  }

  /** Null when a page of it is damaged. */
  private bodyOf(row: LooseRow): Uint8Array | null | undefined {
    try {
      return (this.sql.body.get(row.id) as { body: Uint8Array } | undefined)?.body;
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return null;
    }
  }

  private addTo(builder: BatchBuilder, row: LooseRow, body: Uint8Array): boolean {
    try {
      const records = unpack(body, row.rawBytes);
      if (records.length !== row.count || records.some((record) => !record.whole)) return false;
      for (const record of records) builder.add(record.key, record.time, record.value);
      return true;
    } catch {
      return false;
    }
  }

  /** A damaged batch stays as it is, for whoever wants to look; it is not tried again. */
  private leave(partition: PartitionRow, row: LooseRow): void {
    try {
      this.sql.markPacked.run(row.id);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.damaged.add(row.id);
    }
    this.options.logger?.error(
      {
        event: 'log.corrupt',
        topic: partition.topic,
        partition: partition.partition,
        first: row.first,
        last: row.last,
      },
      'a damaged batch was left out of packing',
    );
  }

  private replace(
    partition: PartitionRow,
    run: readonly LooseRow[],
    builder: BatchBuilder,
    body: Uint8Array,
  ): void {
    const { db, logger } = this.options;
    const [first, last] = [run[0]!, run.at(-1)!];
    try {
      transaction(db, () => {
        const { changes } = this.sql.remove.run(partition.id, first.last, last.last);
        if (Number(changes) !== run.length)
          throw new LadderlogError('LOG_UNAVAILABLE', 'packed by another process');
        this.sql.insert.run(
          partition.id,
          first.first,
          last.last,
          builder.count,
          builder.minTime,
          builder.maxTime,
          run.reduce((newest, row) => Math.max(newest, row.appendedAt), 0),
          builder.bytes,
          body.length,
          1,
          body,
        );
      });
    } catch (error) {
      if (isBusy(error) || (error instanceof LadderlogError && error.code === 'LOG_UNAVAILABLE')) return;
      throw error;
    }
    logger?.debug(
      {
        event: 'log.packed',
        topic: partition.topic,
        partition: partition.partition,
        batches: run.length,
        records: builder.count,
        bytes: body.length,
      },
      'small batches packed into one',
    );
  }

  private retain(partition: PartitionRow): void {
    const rule = this.options.retention[partition.topic];
    if (!rule) return;
    const cut = this.cutOf(partition, rule);
    if (cut === null) return;
    const { db, logger } = this.options;
    transaction(db, () => {
      this.sql.removeUpTo.run(partition.id, cut);
      this.sql.begin.run(cut + 1, partition.id);
    });
    logger?.info(
      { event: 'log.retained', topic: partition.topic, partition: partition.partition, begin: cut + 1 },
      'old records were removed, as the retention of the topic says',
    );
  }

  /** Last offset to remove, or null. */
  private cutOf(partition: PartitionRow, rule: Retention): number | null {
    let cut: number | null = null;
    let removed = 0;
    const oldest = rule.maxAgeMicros === undefined ? -Infinity : this.options.clock() - rule.maxAgeMicros;
    let excess =
      rule.maxBytes === undefined
        ? 0
        : ((this.sql.size.get(partition.id) as { bytes: number | null }).bytes ?? 0) - rule.maxBytes;
    for (const row of this.sql.oldest.iterate(partition.id) as Iterable<{
      last: number;
      bytes: number;
      appendedAt: Micros;
    }>) {
      if ((row.appendedAt >= oldest && excess <= 0) || removed++ >= REMOVE_LIMIT) break;
      cut = row.last;
      excess -= row.bytes;
    }
    return cut;
  }
}

type Run = { readonly rows: LooseRow[]; readonly full: boolean };

/** Consecutive loose batches, cut at the target size. One before a gap will never grow: it is as good as full. */
function runsOf(loose: readonly LooseRow[]): Run[] {
  const runs: Run[] = [];
  let rows: LooseRow[] = [];
  let records = 0;
  let bytes = 0;
  const cut = (full: boolean): void => {
    if (rows.length > 0) runs.push({ rows, full });
    rows = [];
    records = 0;
    bytes = 0;
  };
  for (const row of loose) {
    if (rows.length > 0 && row.first !== rows.at(-1)!.last + 1) cut(true);
    rows.push(row);
    records += row.count;
    bytes += row.rawBytes;
    if (records >= TARGET_RECORDS || bytes >= TARGET_BYTES) cut(true);
  }
  cut(loose.length >= LOOSE_LIMIT);
  return runs;
}

const statements = (db: DatabaseSync) => ({
  loose: db.prepare(
    `SELECT id, first_offset AS first, last_offset AS last, count, raw_bytes AS rawBytes, appended_at AS appendedAt
     FROM batches INDEXED BY batches_by_offset
     WHERE partition_id = ? AND last_offset >= ? AND packed = 0 ORDER BY last_offset LIMIT ?`,
  ),
  next: db.prepare(
    `SELECT packed FROM batches INDEXED BY batches_by_offset
     WHERE partition_id = ? AND last_offset > ? ORDER BY last_offset LIMIT 1`,
  ),
  body: db.prepare('SELECT body FROM batches WHERE id = ?'),
  markPacked: db.prepare('UPDATE batches SET packed = 1 WHERE id = ?'),
  remove: db.prepare(
    'DELETE FROM batches WHERE partition_id = ? AND last_offset BETWEEN ? AND ? AND packed = 0',
  ),
  insert: db.prepare(
    `INSERT INTO batches (partition_id, first_offset, last_offset, count, min_time, max_time, appended_at, raw_bytes,
       bytes, packed, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  removeUpTo: db.prepare('DELETE FROM batches WHERE partition_id = ? AND last_offset <= ?'),
  free: db.prepare('PRAGMA freelist_count'),
  begin: db.prepare('UPDATE partitions SET begin_offset = ? WHERE id = ?'),
  size: db.prepare('SELECT sum(bytes) AS bytes FROM batches WHERE partition_id = ?'),
  oldest: db.prepare(
    `SELECT last_offset AS last, bytes, appended_at AS appendedAt FROM batches INDEXED BY batches_by_offset
     WHERE partition_id = ? ORDER BY last_offset`,
  ),
});
