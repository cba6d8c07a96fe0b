// One partition: gathers records into ranges and carries each range through intent, inserts and cursor. Everything that makes
// a range appear exactly once is in `write`.

import type { Projection } from '@ladderlog/core';
import { LadderlogError, isLadderlogError } from '@ladderlog/core';
import type { LogBatch, LogRecord } from '@ladderlog/log';
import type { RowEncoder, Store } from '@ladderlog/store';

import type { Claim, CursorStore, OffsetRange } from './cursor.ts';
import type { WriteGate } from './gate.ts';
import type { ProjectorLimits } from './limits.ts';
import type { Partition } from './log-bounds.ts';
import type { Progress, RangeDone } from './progress.ts';
import type { TableInsert } from './range-insert.ts';
import { insertAgain, send } from './range-insert.ts';
import { tokenOf } from './range-projection.ts';
import type { RangeProjector } from './range-projection.ts';
import { retryUntilDone } from './retry.ts';

export type PartitionStatus = Partition & {
  readonly hwm: number;
  readonly end: number;
  /** Records of the log that are not in the tables yet. */
  readonly lag: number;
};

export type PartitionContext = {
  readonly projections: readonly Projection[];
  /** One per projection; shared by all partitions, since projecting a range is synchronous. */
  readonly encoders: readonly RowEncoder<never>[];
  readonly project: RangeProjector;
  readonly store: Pick<Store, 'insertRowBinary' | 'query'>;
  readonly cursors: CursorStore;
  readonly limits: ProjectorLimits;
  readonly signal: AbortSignal;
  /** Whether the log has a record of the partition in [first, end): what it passed over was not there any more. */
  readonly hasRecords: (at: Partition, first: number, end: number) => Promise<boolean>;
  readonly gate: WriteGate;
  readonly progress: Progress;
  readonly onDone: (done: RangeDone) => void;
  /** An error outside accept(): it must end the projector. */
  readonly onFailure: (error: unknown) => void;
};

export class PartitionProjector {
  /** End of the partition in the log, as last heard. */
  end: number;
  private readonly claim: Claim;
  private readonly context: PartitionContext;
  private hwm: number;
  private pending: OffsetRange | null;
  private buffer: LogRecord[] = [];
  private bufferedBytes = 0;
  private timer: NodeJS.Timeout | null = null;
  private turn: Promise<void> = Promise.resolve();
  private writing: Promise<void> = Promise.resolve();
  private dead = false;
  private repeats = 0;

  constructor(claim: Claim, end: number, context: PartitionContext) {
    this.claim = claim;
    this.hwm = claim.cursor.hwm;
    this.pending = claim.cursor.pending;
    this.end = end;
    this.context = context;
  }

  status(): PartitionStatus {
    const { hwm, end } = this;
    const { topic, partition } = this.claim.key;
    return { topic, partition, hwm, end, lag: Math.max(0, end - hwm - 1) };
  }

  /** Resolves when the records are buffered, and whatever is ready is in the tables: that is the backpressure. */
  async accept(batch: LogBatch): Promise<void> {
    await this.exclusively(async () => {
      if (this.ended) return;
      this.end = Math.max(this.end, batch.end);
      for (const record of batch.records) {
        const next = (this.buffer.at(-1)?.offset ?? this.hwm) + 1;
        if (record.offset < next) continue;
        if (record.offset > next) await this.passedOver(next, record.offset);
        this.buffer.push(record);
        this.bufferedBytes += record.value.length;
      }
      for (let ready = this.cut(false); ready; ready = this.cut(false)) {
        await this.write(ready);
        if (this.ended) return;
      }
    });
    if (this.buffer.length > 0 && !this.ended) this.armTimer();
  }

  /** hwm says that everything before it is in the tables, so a record that was never handed over would be lost without a trace. */
  private async passedOver(first: number, end: number): Promise<void> {
    const { topic, partition } = this.claim.key;
    if (await this.context.hasRecords({ topic, partition }, first, end))
      throw new LadderlogError(
        'INTERNAL',
        `the log handed over ${topic}/${partition}/${end} and not the records from ${first} on: begin again at the cursor`,
        { details: { topic, partition, first, end } },
      );
  }

  /** No longer ours, or no longer running: what is still handed over is for whoever comes next. */
  private get ended(): boolean {
    return this.dead || this.context.signal.aborted;
  }

  /** The partition is no longer ours. What is under way is fenced by the cursor. */
  drop(): void {
    this.dead = true;
    this.buffer = [];
    this.bufferedBytes = 0;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.turn.catch(() => undefined);
  }

  private armTimer(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.exclusively(async () => {
        const ready = this.ended ? null : this.cut(true);
        if (ready) await this.write(ready);
      }).catch(this.context.onFailure);
    }, this.context.limits.maxWaitMs);
  }

  private exclusively(work: () => Promise<void>): Promise<void> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  /** The next range: exactly the pending one after a restart, else what the limits allow; null when it is not yet whole. */
  private cut(all: boolean): LogRecord[] | null {
    const { buffer, pending } = this;
    if (pending) {
      const last = buffer.at(-1);
      if (!last || last.offset < pending.last) return null;
      return this.take(buffer.findIndex(({ offset }) => offset > pending.last));
    }
    const { maxRecords, maxBytes } = this.context.limits;
    if (buffer.length < maxRecords && this.bufferedBytes < maxBytes && !all) return null;
    if (buffer.length === 0) return null;
    let count = 0;
    for (let bytes = 0; count < buffer.length && count < maxRecords;) {
      bytes += buffer[count++]!.value.length;
      if (bytes >= maxBytes) break;
    }
    return this.take(count);
  }

  private take(count: number): LogRecord[] {
    const taken = this.buffer.splice(0, count < 0 ? this.buffer.length : count);
    for (const record of taken) this.bufferedBytes -= record.value.length;
    return taken;
  }

  /** Resolves when the range being written, if any, is written. */
  written(): Promise<void> {
    return this.writing;
  }

  private async write(records: readonly LogRecord[]): Promise<void> {
    await this.context.gate.passed();
    // Nothing is begun that would be left half written.
    if (this.ended) return;
    const writing = this.writeRange(records);
    this.writing = writing.catch(() => undefined);
    await writing;
  }

  private async writeRange(records: readonly LogRecord[]): Promise<void> {
    const { context, claim } = this;
    const { cursors } = context;
    const begun = performance.now();
    // A pending range keeps its recorded bounds: the tokens are made of them.
    const replayed = this.pending !== null;
    const range = this.pending ?? { first: records[0]!.offset, last: records.at(-1)!.offset };
    const { inserts, events, poison } = this.project(records, range);
    try {
      if (inserts.length > 0) {
        this.held(await this.retried('cursor', () => cursors.intend(claim, range)));
        this.pending = range;
        let confirmed = performance.now();
        for (const insert of inserts) {
          let doubtful = replayed;
          await this.retried('insert', async () => {
            if (performance.now() - confirmed > context.limits.recheckMs) {
              this.held(await cursors.owns(claim));
              confirmed = performance.now();
            }
            const again = doubtful;
            doubtful = true;
            await (again ? this.sendAgain(insert, records, range) : send(context, insert));
          });
        }
      }
      this.held(await this.retried('cursor', () => cursors.advance(claim, range.last)));
    } catch (error) {
      if (!isLadderlogError(error, 'PROJECTOR_FENCED')) throw error;
      this.drop();
      context.progress.fenced(claim);
      return;
    }
    this.hwm = range.last;
    this.pending = null;
    const { topic, partition } = claim.key;
    const rows = Object.fromEntries(inserts.map((insert) => [insert.table, insert.rows]));
    context.onDone({ topic, partition, range, events, poison, rows, ms: performance.now() - begun });
  }

  private sendAgain(insert: TableInsert, records: readonly LogRecord[], range: OffsetRange): Promise<void> {
    const { context, claim } = this;
    const { key, cursor } = claim;
    const projection = context.projections.find(({ table }) => table === insert.table)!;
    // The engine keeps one of equal rows there. Under a token of its own the answer is proof; sent twice it is harmless.
    if (projection.newestBy || projection.merging)
      return send(context, { ...insert, token: `${insert.token}:again:${cursor.epoch}:${++this.repeats}` });
    return insertAgain(context, insert, {
      key,
      range,
      without: (present) =>
        this.project(
          records.filter(({ offset }) => !present.has(offset)),
          range,
        ).inserts.find(({ table }) => table === insert.table) ?? null,
      confirm: async () => this.held(await context.cursors.owns(claim)),
    });
  }

  private project(records: readonly LogRecord[], range: OffsetRange) {
    const { projections, encoders, project } = this.context;
    const { topic, partition, generation } = this.claim.key;
    for (const encoder of encoders) encoder.take();
    const { events, poison } = project(topic, partition, records, encoders);
    const inserts: TableInsert[] = [];
    encoders.forEach((encoder, at) => {
      const { rows } = encoder;
      if (rows === 0) return;
      const projection = projections[at]!;
      const token = tokenOf(projection, generation, topic, partition, range);
      inserts.push({ table: projection.table, columns: encoder.columns, bytes: encoder.take(), rows, token });
    });
    return { inserts, events, poison };
  }

  private held(ours: boolean): void {
    if (!ours || this.dead) {
      const { topic, partition } = this.claim.key;
      throw new LadderlogError('PROJECTOR_FENCED', `${topic}/${partition} went to another projector`);
    }
  }

  private retried<T>(step: 'cursor' | 'insert', attempt: () => Promise<T>): Promise<T> {
    const { limits, signal, progress } = this.context;
    return retryUntilDone(attempt, limits, signal, (error, attempts) =>
      progress.retried(error, attempts, step, this.claim.key),
    );
  }
}
