// Consumer groups across processes, in three tables. A member holds a lease that it renews; the live members and the number of
// partitions decide who should own what (everybody computes the same); a claim says who does. A partition moves only when its
// owner has finished its batch and dropped the claim, or when the owner's lease has run out.

import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';
import type { ConsumeRequest } from './log.ts';
import { isBusy, toLogError, transaction } from './sqlite-file.ts';
import type { PartitionTable } from './sqlite-partitions.ts';
import type { Reader } from './sqlite-read.ts';
import type { Watch } from './sqlite-watch.ts';

export type GroupsOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly partitions: PartitionTable;
  readonly reader: Reader;
  readonly watch: Watch;
  readonly logger: Logger | undefined;
  readonly heartbeatMs: number;
  readonly sessionMs: number;
};

type MemberRow = { readonly member: string; readonly topics: string };
type ClaimRow = { readonly partitionId: number; readonly member: string };

export class Groups {
  private readonly options: GroupsOptions;
  private readonly sql: ReturnType<typeof statements>;
  private readonly members = new Set<Promise<void>>();

  constructor(options: GroupsOptions) {
    this.options = options;
    this.sql = statements(options.db);
  }

  committed(group: string, topic: string): (number | null)[] {
    return this.options.partitions.idsOf(topic).map((id) => this.committedOf(group, id));
  }

  commit(group: string, positions: readonly Position[]): void {
    const { db, partitions } = this.options;
    const rows = positions.map(
      ({ topic, partition, offset }) => [partitions.idOf(topic, partition), offset] as const,
    );
    transaction(db, () => {
      for (const [id, offset] of rows) this.sql.commit.run(group, id, offset);
    });
  }

  committedOf(group: string, partitionId: number): number | null {
    const row = this.sql.committed.get(group, partitionId) as { next: number } | undefined;
    return row?.next ?? null;
  }

  async consume(request: ConsumeRequest): Promise<void> {
    for (const topic of request.topics) this.options.partitions.idsOf(topic);
    const member = new Member(this, this.options, request).run();
    this.members.add(member);
    try {
      await member;
    } finally {
      this.members.delete(member);
    }
  }

  /** The caller has aborted them. */
  async close(): Promise<void> {
    await Promise.allSettled(this.members);
  }

  /**
   * Renews the lease, drops members that ran out, gives up what is finished, and claims what is free and ours.
   * Returns what this member should own and what it does.
   */
  beat(
    member: { readonly id: string; readonly group: string; readonly topics: readonly string[] },
    release: readonly number[],
  ): { readonly wanted: ReadonlySet<number>; readonly owned: ReadonlySet<number> } {
    const { db, sessionMs } = this.options;
    const { group, id } = member;
    return transaction(db, () => {
      const now = Date.now();
      this.sql.renew.run(group, id, JSON.stringify(member.topics), now + sessionMs);
      this.sql.expire.run(group, now);
      for (const partitionId of release) this.sql.release.run(group, id, partitionId);
      this.sql.orphans.run(group, group);
      const wanted = this.share(this.sql.members.all(group) as unknown as MemberRow[], id);
      const claims = this.sql.claims.all(group) as unknown as ClaimRow[];
      const owned = new Set(claims.filter((claim) => claim.member === id).map((claim) => claim.partitionId));
      const taken = new Set(claims.map((claim) => claim.partitionId));
      for (const partitionId of wanted) {
        if (taken.has(partitionId)) continue;
        this.sql.claim.run(group, partitionId, id);
        owned.add(partitionId);
      }
      return { wanted, owned };
    });
  }

  /** What the group looks like now; changes when a member comes or goes, or a claim does. */
  shape(group: string): string {
    return (this.sql.shape.get(group, group) as { shape: string }).shape;
  }

  leave(group: string, member: string): void {
    transaction(this.options.db, () => {
      this.sql.releaseAll.run(group, member);
      this.sql.remove.run(group, member);
    });
  }

  /** Partitions of all topics in turn to those members that want the topic. */
  private share(members: readonly MemberRow[], self: string): Set<number> {
    const wishes = members.map((row) => ({
      member: row.member,
      topics: new Set(JSON.parse(row.topics) as string[]),
    }));
    const mine = new Set<number>();
    let turn = 0;
    for (const topic of this.options.partitions.topics()) {
      const candidates = wishes.filter((wish) => wish.topics.has(topic));
      if (candidates.length === 0) continue;
      for (const partitionId of this.options.partitions.idsOf(topic))
        if (candidates[turn++ % candidates.length]!.member === self) mine.add(partitionId);
    }
    return mine;
  }
}

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

class Member {
  private readonly groups: Groups;
  private readonly options: GroupsOptions;
  private readonly request: ConsumeRequest;
  private readonly self: { id: string; group: string; topics: readonly string[] };
  private readonly tasks = new Map<number, Task>();
  /** Ends the member: the caller's abort, or a failure. */
  private readonly ending = new AbortController();
  /** Wakes the member's loop: a task has ended. */
  private stirred = new AbortController();
  private leaseUntil = 0;
  private failure: { readonly error: unknown } | null = null;

  constructor(groups: Groups, options: GroupsOptions, request: ConsumeRequest) {
    this.groups = groups;
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
    const { watch, heartbeatMs } = this.options;
    const due = performance.now() + heartbeatMs;
    const shape = this.groups.shape(this.request.group);
    const signal = AbortSignal.any([this.ending.signal, this.stirred.signal]);
    while (!signal.aborted && performance.now() < due) {
      await watch.wait(signal, Math.max(1, due - performance.now()));
      if (signal.aborted || this.groups.shape(this.request.group) !== shape) break;
    }
    this.stirred = new AbortController();
  }

  private rebalance(): void {
    const finished = [...this.tasks.values()].filter((task) => task.ended);
    const started = performance.now();
    let result: ReturnType<Groups['beat']>;
    try {
      result = this.groups.beat(
        this.self,
        finished.map((task) => task.partitionId),
      );
    } catch (error) {
      // The file is busy: the lease holds for a while yet, and the next beat is near.
      if (isBusy(error)) return;
      throw error;
    }
    this.leaseUntil = started + this.options.sessionMs;
    for (const task of finished) this.drop(task);
    for (const task of this.tasks.values()) {
      if (!result.owned.has(task.partitionId)) {
        // Our lease ran out (a suspended process) and another took it: stop at once.
        task.lost = true;
        task.abort.abort();
      } else if (!result.wanted.has(task.partitionId)) task.abort.abort();
    }
    for (const partitionId of result.owned)
      if (result.wanted.has(partitionId) && !this.tasks.has(partitionId)) this.begin(partitionId);
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
        this.stirred.abort();
      });
  }

  private async follow(task: Task): Promise<void> {
    const { reader, partitions, logger } = this.options;
    const { topic, partition, partitionId } = task;
    const signal = AbortSignal.any([task.abort.signal, this.ending.signal]);
    const asked = await this.request.onAssigned(topic, partition);
    const { begin } = partitions.row(partitionId);
    let offset = asked ?? this.groups.committedOf(this.request.group, partitionId) ?? begin;
    if (offset < begin) {
      logger?.warn(
        { event: 'log.skipped', group: this.request.group, topic, partition, from: offset, to: begin },
        'the records the group would read next were removed by retention',
      );
      offset = begin;
    }
    const request = { from: [{ topic, partition, offset }], follow: true, signal };
    const control = { isStale: () => task.lost || performance.now() > this.leaseUntil };
    for await (const batch of reader.read(reader.plan(request), request)) {
      if (control.isStale()) return;
      await this.request.onBatch(batch, control);
    }
  }

  private async leave(): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt++) {
      try {
        this.groups.leave(this.request.group, this.self.id);
        this.options.watch.notify();
        return;
      } catch (error) {
        if (!isBusy(error)) {
          this.failure ??= { error: toLogError(error, this.options.path) };
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    // The lease runs out by itself.
    this.failure ??= {
      error: new LadderlogError('LOG_UNAVAILABLE', 'could not leave the group', { retryable: true }),
    };
  }
}

const statements = (db: DatabaseSync) => ({
  committed: db.prepare(
    'SELECT next_offset AS next FROM group_offsets WHERE group_id = ? AND partition_id = ?',
  ),
  commit: db.prepare(
    `INSERT INTO group_offsets (group_id, partition_id, next_offset) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET next_offset = excluded.next_offset`,
  ),
  renew: db.prepare(
    `INSERT INTO group_members (group_id, member, topics, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at`,
  ),
  expire: db.prepare('DELETE FROM group_members WHERE group_id = ? AND expires_at < ?'),
  release: db.prepare('DELETE FROM group_claims WHERE group_id = ? AND member = ? AND partition_id = ?'),
  releaseAll: db.prepare('DELETE FROM group_claims WHERE group_id = ? AND member = ?'),
  remove: db.prepare('DELETE FROM group_members WHERE group_id = ? AND member = ?'),
  orphans: db.prepare(
    `DELETE FROM group_claims WHERE group_id = ?
     AND member NOT IN (SELECT member FROM group_members WHERE group_id = ?)`,
  ),
  members: db.prepare('SELECT member, topics FROM group_members WHERE group_id = ? ORDER BY member'),
  claims: db.prepare('SELECT partition_id AS partitionId, member FROM group_claims WHERE group_id = ?'),
  claim: db.prepare('INSERT INTO group_claims (group_id, partition_id, member) VALUES (?, ?, ?)'),
  shape: db.prepare(
    `SELECT (SELECT group_concat(member) FROM group_members WHERE group_id = ?) || '/' ||
       (SELECT coalesce(group_concat(partition_id || member), '') FROM group_claims WHERE group_id = ?) AS shape`,
  ),
});
