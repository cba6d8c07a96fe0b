// Consumer groups across processes, in three tables of a file of their own (see groups-file.ts). A member holds a lease that it renews; the live members and the number of
// partitions decide who should own what (everybody computes the same); a claim says who does. A partition moves only when its
// owner has finished its batch and dropped the claim, or when the owner's lease has run out.

import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '@ladderlog/core';
import { bellOf, ring } from './bell.ts';
import { transaction } from './file.ts';
import type { PartitionTable } from './partitions.ts';
import { Watch } from './watch.ts';

type MemberRow = { readonly member: string; readonly topics: string };
type ClaimRow = { readonly partitionId: number; readonly member: string };

export type MemberIdentity = {
  readonly id: string;
  readonly group: string;
  readonly topics: readonly string[];
};
/** Ids of partitions: what a member should own, and what it does. */
export type Assignment = { readonly wanted: ReadonlySet<number>; readonly owned: ReadonlySet<number> };

export type GroupTablesOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly partitions: PartitionTable;
  readonly sessionMs: number;
  readonly pollMs: number;
};

export class GroupTables {
  private readonly db: DatabaseSync;
  private readonly bell: string;
  private readonly partitions: PartitionTable;
  private readonly sessionMs: number;
  private readonly sql: ReturnType<typeof statements>;
  /** Tells members that another came or went, or a claim did. */
  readonly watch: Watch;

  constructor({ db, path, partitions, sessionMs, pollMs }: GroupTablesOptions) {
    this.db = db;
    this.bell = bellOf(path);
    this.partitions = partitions;
    this.sessionMs = sessionMs;
    this.sql = statements(db);
    this.watch = new Watch({ db, path, pollMs });
  }

  close(): void {
    this.watch.close();
    this.db.close();
  }

  committed(group: string, topic: string): (number | null)[] {
    return this.partitions.idsOf(topic).map((id) => this.committedOf(group, id));
  }

  commit(group: string, positions: readonly Position[]): void {
    const rows = positions.map(
      ({ topic, partition, offset }) => [this.partitions.idOf(topic, partition), offset] as const,
    );
    transaction(this.db, () => {
      for (const [id, offset] of rows) this.sql.commit.run(group, id, offset);
    });
  }

  committedOf(group: string, partitionId: number): number | null {
    const row = this.sql.committed.get(group, partitionId) as { next: number } | undefined;
    return row?.next ?? null;
  }

  /** Renews the lease, drops members whose lease ran out, gives up what is finished, and claims what is free and ours. */
  renew({ group, id, topics }: MemberIdentity, finished: readonly number[]): Assignment {
    const before = this.shape(group);
    const assignment = transaction(this.db, () => {
      const now = Date.now();
      this.sql.renew.run(group, id, JSON.stringify(topics), now + this.sessionMs);
      // A lease that ends later than any can was given before the clock was set back.
      this.sql.expire.run(group, now, now + 2 * this.sessionMs);
      for (const partitionId of finished) this.sql.release.run(group, id, partitionId);
      this.sql.orphans.run(group, group);
      const wanted = this.shareOf(this.sql.members.all(group) as unknown as MemberRow[], id);
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
    if (this.shape(group) !== before) this.tell();
    return assignment;
  }

  /** What the group looks like now; changes when a member comes or goes, or a claim does. */
  shape(group: string): string {
    return (this.sql.shape.get(group, group) as { shape: string }).shape;
  }

  leave(group: string, member: string): void {
    transaction(this.db, () => {
      this.sql.releaseAll.run(group, member);
      this.sql.remove.run(group, member);
    });
    this.tell();
  }

  private tell(): void {
    this.watch.notify();
    ring(this.bell);
  }

  /** Partitions of all topics in turn to those members that want the topic. */
  private shareOf(members: readonly MemberRow[], self: string): Set<number> {
    const subscribers = members.map((row) => ({
      member: row.member,
      topics: new Set(JSON.parse(row.topics) as string[]),
    }));
    const mine = new Set<number>();
    let turn = 0;
    for (const topic of this.partitions.topics()) {
      const candidates = subscribers.filter(({ topics }) => topics.has(topic));
      if (candidates.length === 0) continue;
      for (const partitionId of this.partitions.idsOf(topic))
        if (candidates[turn++ % candidates.length]!.member === self) mine.add(partitionId);
    }
    return mine;
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
  expire: db.prepare('DELETE FROM group_members WHERE group_id = ? AND expires_at NOT BETWEEN ? AND ?'),
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
