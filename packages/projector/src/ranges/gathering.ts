// Partitions whose records are gathered, cut and written together: one partition by itself, or all of them where one process
// has them all. What was begun before is repaired before anything else is begun.

import { LadderlogError, partitionName } from '@ladderlog/core';
import type { LogBatch, Turns } from '@ladderlog/log';

import type { Claim, OffsetRange } from './cursor.ts';
import type { WriteGate } from './gate.ts';
import type { Partition } from './log-bounds.ts';
import type { RangeInMaking } from './range-rows.ts';
import type { RangeToWrite, WriterContext } from './range-writer.ts';
import { writeRanges } from './range-writer.ts';
import { nameOfSet } from './tokens.ts';

export type PartitionStatus = Partition & {
  readonly hwm: number;
  readonly end: number;
  /** Records of the log that are not in the tables yet. */
  readonly lag: number;
};

export type GatheringContext = WriterContext & {
  /** Whether the log has a record of the partition in [first, end): what it passed over was not there any more. */
  readonly hasRecords: (at: Partition, first: number, end: number) => Promise<boolean>;
  readonly gate: WriteGate;
  readonly turns: Turns;
  /** An error outside accept(): it must end the projector. */
  readonly onFailure: (error: unknown) => void;
};

type Gathered = {
  readonly claim: Claim;
  hwm: number;
  /** End of the partition in the log, as last heard. */
  end: number;
  /** The offset that must come next. */
  next: number;
  making: RangeInMaking | null;
  repair: Repair | null;
};

/** Ranges that were begun together before a restart, and must be repeated together. */
type Repair = {
  readonly set: string | null;
  readonly missing: Set<Gathered>;
  readonly ranges: Map<Gathered, OffsetRange>;
  readonly done: PromiseWithResolvers<void>;
};

export class Gathering {
  private readonly context: GatheringContext;
  private readonly together: boolean;
  /** By partitionName, in the order of topics and partitions. */
  private readonly partitions: ReadonlyMap<string, Gathered>;
  private readonly repairs = new Set<Repair>();
  private records = 0;
  private bytes = 0;
  private timer: NodeJS.Timeout | null = null;
  private turn: Promise<void> = Promise.resolve();
  private writing: Promise<unknown> = Promise.resolve();
  private dead = false;

  /** `together` with more than one claim. */
  constructor(
    claims: readonly { readonly claim: Claim; readonly end: number }[],
    together: boolean,
    context: GatheringContext,
  ) {
    this.context = context;
    this.together = together;
    const all = claims.map(({ claim, end }): Gathered => {
      const { hwm } = claim.cursor;
      return { claim, hwm, end, next: hwm + 1, making: null, repair: null };
    });
    this.partitions = new Map(all.toSorted(byPlace).map((one) => [partitionName(one.claim.key), one]));
    this.planRepairs();
    context.signal.addEventListener('abort', () => this.release(), { once: true });
  }

  status(): PartitionStatus[] {
    return [...this.partitions.values()].map(({ claim, hwm, end }) => {
      const { topic, partition } = claim.key;
      return { topic, partition, hwm, end, lag: Math.max(0, end - hwm - 1) };
    });
  }

  /** Undefined where the partition is not one of these. */
  hwmOf(at: Partition): number | undefined {
    return this.partitions.get(partitionName(at))?.hwm;
  }

  heardEnds(ends: ReadonlyMap<string, number>): void {
    for (const [name, at] of this.partitions) at.end = Math.max(at.end, ends.get(name) ?? 0);
  }

  /** Resolves when the rows of the records are made, and whatever is ready is in the tables: that is the backpressure. */
  async accept(batch: LogBatch): Promise<void> {
    const { turns } = this.context;
    const at = this.partitions.get(partitionName(batch))!;
    at.end = Math.max(at.end, batch.end);
    for (const record of batch.records) {
      if (this.ended) return;
      if (record.offset < at.next) continue;
      if (record.offset > at.next) await this.passedOver(at, record.offset);
      const pending = at.repair?.ranges.get(at);
      if (pending && record.offset > pending.last) await this.isWhole(at, at.repair!);
      if (this.ended) return;
      (at.making ??= this.context.rows.begin(at.claim.key)).add(record);
      at.next = record.offset + 1;
      if (at.repair) {
        if (at.next > at.repair.ranges.get(at)!.last) await this.isWhole(at, at.repair);
      } else {
        this.records++;
        this.bytes += record.value.length;
        if (this.isFull) await this.flush(false);
      }
      if (turns.isOver) await turns.next();
    }
    this.armTimer();
  }

  /** hwm says that everything before it is in the tables, so a record that was never handed over would be lost without a trace. */
  private async passedOver(at: Gathered, end: number): Promise<void> {
    const { topic, partition } = at.claim.key;
    const first = at.next;
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

  /** The partitions are no longer ours. What is under way is fenced by the cursors. */
  drop(): void {
    this.dead = true;
    for (const at of this.partitions.values()) at.making = null;
    this.release();
  }

  /** Nobody waits any more. */
  private release(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    for (const { done } of this.repairs) done.resolve();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.turn;
  }

  /** Resolves when what is being written, if anything, is written. */
  async written(): Promise<void> {
    await this.writing;
  }

  private armTimer(): void {
    if (this.records === 0 || this.ended || this.repairs.size > 0) return;
    this.timer ??= setTimeout(() => this.hurry(), this.context.limits.maxWaitMs);
  }

  /** What was gathered is written now, however little it is. */
  hurry(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.records > 0) this.flush(true).catch(this.context.onFailure);
  }

  private exclusively(work: () => Promise<void>): Promise<void> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  private get isFull(): boolean {
    const { maxRecords, maxBytes } = this.context.limits;
    return this.records >= maxRecords || this.bytes >= maxBytes;
  }

  /** Writes what was gathered: all of it, or only when it is enough. */
  private async flush(all: boolean): Promise<void> {
    for (const { done } of this.repairs) await done.promise;
    await this.exclusively(async () => {
      await this.context.gate.passed();
      // Nothing is begun that would be left half written.
      if (this.ended || this.records === 0 || !(all || this.isFull)) return;
      const ranges = this.cut();
      const set = this.together ? nameOfSet(placesOf(ranges)) : null;
      await this.write(ranges, set, false);
    });
  }

  private cut(): RangeToWrite[] {
    this.records = 0;
    this.bytes = 0;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    return [...this.partitions.values()].flatMap((at) => {
      if (!at.making) return [];
      const { claim, making } = at;
      at.making = null;
      return [{ claim, range: making.range, made: making.finish() }];
    });
  }

  private async write(ranges: readonly RangeToWrite[], set: string | null, replayed: boolean): Promise<void> {
    const isDropped = (): boolean => this.dead;
    const writing = writeRanges(this.context, { ranges, set, replayed, isDropped });
    this.writing = writing.catch(() => undefined);
    if (!(await writing)) {
      this.drop();
      for (const { claim } of ranges) this.context.progress.fenced(claim);
      return;
    }
    for (const { claim, range } of ranges) this.partitions.get(partitionName(claim.key))!.hwm = range.last;
  }

  /** A set that is not whole any more, and what was begun alone, is repaired one by one: rows that are there are left. */
  private planRepairs(): void {
    const sets = Map.groupBy(
      [...this.partitions.values()].filter(({ claim }) => claim.cursor.pending !== null),
      ({ claim }) => claim.cursor.pending!.set,
    );
    for (const [set, members] of sets) {
      const ranges = members.map(({ claim }) => ({ key: claim.key, range: claim.cursor.pending! }));
      const isSet = this.together && set !== null && nameOfSet(ranges) === set;
      for (const group of isSet ? [members] : members.map((one) => [one]))
        this.planRepair(group, isSet ? set : null);
    }
  }

  private planRepair(members: readonly Gathered[], set: string | null): void {
    const ranges = new Map(members.map((at) => [at, at.claim.cursor.pending!]));
    const repair: Repair = { set, missing: new Set(members), ranges, done: Promise.withResolvers() };
    for (const at of members) at.repair = repair;
    this.repairs.add(repair);
  }

  /** All records of the partition's pending range are here. Resolves when the range is repaired. */
  private async isWhole(at: Gathered, repair: Repair): Promise<void> {
    repair.missing.delete(at);
    if (repair.missing.size > 0) return repair.done.promise;
    await this.exclusively(async () => {
      await this.context.gate.passed();
      if (this.ended) return;
      // A pending range keeps its recorded bounds: the tokens are made of them.
      const ranges = [...repair.ranges].map(([{ claim, making }, { first, last }]) => ({
        claim,
        range: { first, last },
        made: (making ?? this.context.rows.begin(claim.key)).finish(),
      }));
      for (const member of repair.ranges.keys()) member.making = member.repair = null;
      await this.write(ranges, repair.set, true);
      this.repairs.delete(repair);
      repair.done.resolve();
    });
    this.armTimer();
  }
}

const placesOf = (ranges: readonly RangeToWrite[]) =>
  ranges.map(({ claim, range }) => ({ key: claim.key, range }));

const byPlace = ({ claim: { key: a } }: Gathered, { claim: { key: b } }: Gathered): number =>
  a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : a.partition - b.partition;
