// Consumer groups on Kafka: their members in this process, and their committed offsets.

import type { Logger } from 'pino';
import type { Position } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import { outOfRange } from '../errors.ts';
import type { ConsumeRequest, LogBatch } from '../log.ts';
import { errorType, toLogError } from './errors.ts';
import type { KafkaLink } from './link.ts';
import { GroupMember } from './member.ts';
import { offsetsOf, partitionsOf } from './offsets.ts';
import type { FetchedBatch } from './reader.ts';

export type GroupsSetup = {
  readonly link: KafkaLink;
  readonly sessionTimeoutMs: number;
  readonly toBatch: (fetched: FetchedBatch) => Promise<LogBatch>;
  readonly logger: Logger;
};

export class KafkaGroups {
  private readonly setup: GroupsSetup;
  private readonly members = new Map<string, Set<GroupMember>>();

  constructor(setup: GroupsSetup) {
    this.setup = setup;
  }

  async committed(group: string, topic: string): Promise<(number | null)[]> {
    const { link } = this.setup;
    const groupId = link.groupId(group);
    const partitions = partitionsOf(link, topic).map((one) => ({ ...one, offset: '-1' }));
    const answer = await link.ask(`reading the offsets of ${group}`, async (cluster) => {
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      return coordinator.offsetFetch({ groupId, topics: [{ topic: link.kafkaName(topic), partitions }] });
    });
    const found = answer.responses[0]!.partitions;
    return partitions.map(({ partition }) => {
      const offset = Number(found.find((one) => one.partition === partition)!.offset);
      return offset < 0 ? null : offset;
    });
  }

  async commit(group: string, positions: readonly Position[]): Promise<void> {
    const { link } = this.setup;
    for (const { topic } of positions) link.countOf(topic);
    const rest = new Set(positions);
    for (const member of this.members.get(group) ?? []) {
      const own = [...rest].filter(({ topic, partition }) => member.owns(link.kafkaName(topic), partition));
      if (own.length === 0) continue;
      own.forEach((position) => rest.delete(position));
      try {
        await member.commit(own.map((position) => ({ ...position, topic: link.kafkaName(position.topic) })));
      } catch (error) {
        throw toLogError(error, `committing in ${group}`);
      }
    }
    if (rest.size > 0) await this.commitFromOutside(group, rest);
  }

  private commitFromOutside(group: string, positions: Iterable<Position>): Promise<void> {
    const { link } = this.setup;
    const groupId = link.groupId(group);
    const topics = [...Map.groupBy(positions, (position) => position.topic)].map(([topic, list]) => ({
      topic: link.kafkaName(topic),
      partitions: list.map(({ partition, offset }) => ({ partition, offset: String(offset) })),
    }));
    return link.ask(`committing in ${group}`, async (cluster) => {
      const coordinator = await cluster.findGroupCoordinator({ groupId });
      try {
        await coordinator.offsetCommit({ groupId, groupGenerationId: -1, memberId: '', topics });
      } catch (error) {
        // Kafka takes commits from outside only while a group has no members.
        if (errorType(error) === 'UNKNOWN_MEMBER_ID')
          throw new LadderlogError('LOG_UNAVAILABLE', `${group} has members, and they alone may commit now`, {
            retryable: true,
            cause: error,
          });
        throw error;
      }
    });
  }

  async consume(request: ConsumeRequest): Promise<void> {
    const { link, sessionTimeoutMs, toBatch, logger } = this.setup;
    link.refuseClosed();
    const counts = request.topics.map((topic) => link.countOf(topic));
    const member = new GroupMember({
      connection: link.connection,
      groupId: link.groupId(request.group),
      topics: request.topics.map((topic) => link.kafkaName(topic)),
      partitions: counts.reduce((sum, count) => sum + count, 0),
      sessionTimeoutMs,
      signal: AbortSignal.any([request.signal, link.closed]),
      start: (topic, partition) => this.startOf(request, link.logicalName(topic), partition),
      onBatch: async (fetched, isStale) => request.onBatch(await toBatch(fetched), { isStale }),
      onRevoked: (topic, partition) => request.onRevoked?.(link.logicalName(topic), partition),
      logger,
    });
    const group = this.members.get(request.group) ?? new Set();
    this.members.set(request.group, group.add(member));
    try {
      await link.tracked(member.run());
    } finally {
      group.delete(member);
    }
  }

  private async startOf(request: ConsumeRequest, topic: string, partition: number): Promise<number> {
    const { link, logger } = this.setup;
    const [wanted, offsets] = await Promise.all([
      request.onAssigned(topic, partition),
      offsetsOf(link, [topic]),
    ]);
    const { begin, end } = offsets.get(topic)![partition]!;
    const offset = wanted ?? (await this.committed(request.group, topic))[partition] ?? begin;
    if (offset > end) throw outOfRange({ topic, partition, offset }, begin, end);
    if (offset < begin)
      logger.warn(
        { event: 'log.kafka.retention_passed', group: request.group, topic, partition, offset, begin },
        'records were removed before they were consumed',
      );
    return Math.max(offset, begin);
  }
}
