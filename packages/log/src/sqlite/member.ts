// A member of a consumer group: reads the partitions that it owns, and takes and gives them up as the group changes.

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ConsumeRequest } from '../log.ts';
import { isBusy, retryWhileBusy, toLogError } from './errors.ts';
import type { Assignment, GroupTables, MemberIdentity } from './group-tables.ts';
import type { PartitionTable } from './partitions.ts';
import type { Reader } from './read.ts';

export type MemberOptions = {
  readonly path: string;
  readonly groups: GroupTables;
  readonly partitions: PartitionTable;
  readonly reader: Reader;
  readonly heartbeatMs: number;
  readonly sessionMs: number;
  readonly logger: Logger | undefined;
};

/** One partition that this member reads. */
type Task = {
  readonly partitionId: number;
  readonly topic: string;
  readonly partition: number;
  readonly abort: AbortController;
  /** Set when the claim is gone, or is about to be: nothing may be written for it any more. */
  lost: boolean;
  ended: boolean;
  done: Promise<void>;
};

export class GroupMember {
  private readonly options: MemberOptions;
  private readonly request: ConsumeRequest;
  private readonly self: MemberIdentity;
  private readonly tasks = new Map<number, Task>();
  /** Ends the member: the caller's abort, or a failure. */
  private readonly ending = new AbortController();
  /** Wakes the member's loop: a task has ended. */
  private wake = new AbortController();
  private leaseUntil = 0;
  /** That the lease cannot be renewed was said already. */
  private warned = false;
  private failure: { readonly error: unknown } | null = null;

  constructor(options: MemberOptions, request: ConsumeRequest) {
    this.options = options;
    this.request = request;
    this.self = { id: randomUUID(), group: request.group, topics: request.topics };
  }

  async run(): Promise<void> {
    const end = (): void => this.ending.abort();
    this.request.signal.addEventListener('abort', end, { once: true });
    if (this.request.signal.aborted) end();
    try {
      while (!this.ending.signal.aborted) {
        this.rebalance();
        await this.pause();
      }
    } catch (error) {
      this.failure ??= { error: toLogError(error, this.options.path) };
    }
    this.request.signal.removeEventListener('abort', end);
    this.ending.abort();
    for (const task of this.tasks.values()) task.abort.abort();
    await Promise.all([...this.tasks.values()].map((task) => task.done));
    for (const task of this.tasks.values()) task.lost = true;
    await this.leave();
    if (this.failure) throw this.failure.error;
  }

  /** Until the next heartbeat is due, or the group looks different, or a partition was given up. */
  private async pause(): Promise<void> {
    const { groups, heartbeatMs } = this.options;
    const due = performance.now() + heartbeatMs;
    let since = groups.watch.changes;
    const shape = groups.shape(this.request.group);
    const signal = AbortSignal.any([this.ending.signal, this.wake.signal]);
    while (!signal.aborted && performance.now() < due) {
      await groups.watch.wait(signal, since, Math.max(1, due - performance.now()));
      since = groups.watch.changes;
      if (signal.aborted || groups.shape(this.request.group) !== shape) break;
    }
    this.wake = new AbortController();
  }

  private rebalance(): void {
    const finished = [...this.tasks.values()].filter((task) => task.ended);
    const started = performance.now();
    let assignment: Assignment;
    try {
      assignment = this.options.groups.renew(
        this.self,
        finished.map((task) => task.partitionId),
      );
    } catch (error) {
      return this.tolerate(error);
    }
    this.warned = false;
    this.leaseUntil = started + this.options.sessionMs;
    for (const task of finished) this.drop(task);
    for (const task of this.tasks.values()) {
      if (!assignment.owned.has(task.partitionId)) {
        // Our lease ran out (a suspended process) and another took it: stop at once.
        task.lost = true;
        task.abort.abort();
      } else if (!assignment.wanted.has(task.partitionId)) task.abort.abort();
    }
    for (const partitionId of assignment.owned)
      if (assignment.wanted.has(partitionId) && !this.tasks.has(partitionId)) this.begin(partitionId);
  }

  /** The file is busy or the disk full: the lease holds for a while yet, and is renewed again soon. */
  private tolerate(error: unknown): void {
    const reason = toLogError(error, this.options.path);
    if (!reason.retryable) throw reason;
    if (this.warned || isBusy(error)) return;
    this.warned = true;
    this.options.logger?.warn(
      { event: 'log.beat_failed', group: this.request.group, err: reason },
      'the lease cannot be renewed now; trying again',
    );
  }

  private drop(task: Task): void {
    task.lost = true;
    this.tasks.delete(task.partitionId);
    this.options.logger?.info(
      { event: 'log.revoked', group: this.request.group, topic: task.topic, partition: task.partition },
      'partition given up',
    );
    this.request.onRevoked?.(task.topic, task.partition);
  }

  private begin(partitionId: number): void {
    const { topic, partition } = this.options.partitions.row(partitionId);
    const task: Task = {
      partitionId,
      topic,
      partition,
      abort: new AbortController(),
      lost: false,
      ended: false,
      done: Promise.resolve(),
    };
    this.tasks.set(partitionId, task);
    this.options.logger?.info(
      { event: 'log.assigned', group: this.request.group, topic, partition },
      'partition assigned',
    );
    task.done = this.follow(task)
      .catch((error: unknown) => {
        this.failure ??= { error };
        this.ending.abort();
      })
      .finally(() => {
        task.ended = true;
        this.wake.abort();
      });
  }

  private async follow(task: Task): Promise<void> {
    const { groups, reader, partitions, logger } = this.options;
    const { topic, partition, partitionId } = task;
    const signal = AbortSignal.any([task.abort.signal, this.ending.signal]);
    const asked = await this.request.onAssigned(topic, partition);
    const { begin, end } = partitions.row(partitionId);
    const committed = groups.committedOf(this.request.group, partitionId) ?? begin;
    // Beyond the end it is of another log, which lay here before.
    let offset = asked ?? (committed > end ? begin : committed);
    if (offset < begin) {
      logger?.warn(
        { event: 'log.skipped', group: this.request.group, topic, partition, from: offset, to: begin },
        'the records the group would read next were removed by retention',
      );
      offset = begin;
    }
    const request = { from: [{ topic, partition, offset }], follow: true, signal };
    // For good: a reader that left out one batch must not be given the next.
    const control = { isStale: () => (task.lost ||= performance.now() > this.leaseUntil) };
    for await (const batch of reader.read(reader.plan(request), request)) {
      if (control.isStale()) return;
      await this.request.onBatch(batch, control);
    }
  }

  private async leave(): Promise<void> {
    const { group } = this.request;
    try {
      await retryWhileBusy(() => this.options.groups.leave(group, this.self.id));
    } catch (error) {
      const reason = toLogError(error, this.options.path);
      if (!reason.retryable) this.failure ??= { error: reason };
      // The lease runs out by itself.
      else
        this.options.logger?.warn(
          { event: 'log.leave_failed', group, err: reason },
          'the group was not left',
        );
    }
  }
}
