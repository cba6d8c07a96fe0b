// Consumer groups on Kafka: their members in this process, and their committed offsets.

import type { Logger } from 'pino';
import type { Position } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import { asLogError, errorType } from './client.ts';
import type { Member } from './consumer.ts';
import { joinGroup } from './consumer.ts';
import type { KafkaLink } from './link.ts';
import { offsetsOf } from './offsets.ts';
import type { FetchedBatch } from './reader.ts';
import type { ConsumeRequest, EventLog, LogBatch } from '../log.ts';

export type GroupsSetup = {
  readonly link: KafkaLink;
  readonly sessionTimeoutMs: number;
  readonly toBatch: (fetched: FetchedBatch) => Promise<LogBatch>;
  readonly logger: Logger;
};

export function createGroups(setup: GroupsSetup): Pick<EventLog, 'consume' | 'committed' | 'commit'> {
  const { link, sessionTimeoutMs, toBatch, logger } = setup;
  const { ask, countOf, groupId, kafkaName, logicalName } = link;
  const members = new Map<string, Set<Member>>();

  const committed = async (group: string, topic: string): Promise<(number | null)[]> => {
    const partitions = Array.from({ length: countOf(topic) }, (_, partition) => ({
      partition,
      offset: '-1',
    }));
    const answer = await ask(`reading the offsets of ${group}`, async (cluster) => {
      const coordinator = await cluster.findGroupCoordinator({ groupId: groupId(group) });
      return coordinator.offsetFetch({
        groupId: groupId(group),
        topics: [{ topic: kafkaName(topic), partitions }],
      });
    });
    return partitions.map(({ partition }) => {
      const offset = Number(
        answer.responses[0]!.partitions.find((one) => one.partition === partition)!.offset,
      );
      return offset < 0 ? null : offset;
    });
  };

  async function commit(group: string, positions: readonly Position[]): Promise<void> {
    for (const { topic } of positions) countOf(topic);
    const rest = new Set(positions);
    for (const member of members.get(group) ?? []) {
      const own = [...rest].filter(({ topic, partition }) => member.owns(kafkaName(topic), partition));
      if (own.length === 0) continue;
      own.forEach((position) => rest.delete(position));
      try {
        await member.commit(own.map((position) => ({ ...position, topic: kafkaName(position.topic) })));
      } catch (error) {
        throw asLogError(error, `committing in ${group}`);
      }
    }
    if (rest.size > 0) await commitFromOutside(group, rest);
  }

  const commitFromOutside = (group: string, positions: Iterable<Position>): Promise<void> =>
    ask(`committing in ${group}`, async (cluster) => {
      const coordinator = await cluster.findGroupCoordinator({ groupId: groupId(group) });
      try {
        await coordinator.offsetCommit({
          groupId: groupId(group),
          groupGenerationId: -1,
          memberId: '',
          topics: [...Map.groupBy(positions, (position) => position.topic)].map(([topic, list]) => ({
            topic: kafkaName(topic),
            partitions: list.map(({ partition, offset }) => ({ partition, offset: String(offset) })),
          })),
        });
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

  async function startOf(request: ConsumeRequest, topic: string, partition: number): Promise<number> {
    const [wanted, offsets] = await Promise.all([
      request.onAssigned(topic, partition),
      offsetsOf(link, [topic]),
    ]);
    const { begin, end } = offsets.get(topic)![partition]!;
    const offset = wanted ?? (await committed(request.group, topic))[partition] ?? begin;
    if (offset > end)
      throw new LadderlogError(
        'LOG_OFFSET_OUT_OF_RANGE',
        `${topic}/${partition} ends at ${end}, before ${offset}`,
        { details: { topic, partition, offset, begin, end } },
      );
    if (offset < begin)
      logger.warn(
        { event: 'log.kafka.retention_passed', group: request.group, topic, partition, offset, begin },
        'records were removed before they were consumed',
      );
    return Math.max(offset, begin);
  }

  async function consume(request: ConsumeRequest): Promise<void> {
    link.refuseClosed();
    const counts = request.topics.map(countOf);
    const member = joinGroup({
      connection: link.connection,
      groupId: groupId(request.group),
      topics: request.topics.map(kafkaName),
      partitions: counts.reduce((sum, count) => sum + count, 0),
      sessionTimeoutMs,
      signal: AbortSignal.any([request.signal, link.closed]),
      start: (topic, partition) => startOf(request, logicalName(topic), partition),
      onBatch: async (fetched, isStale) => request.onBatch(await toBatch(fetched), { isStale }),
      onRevoked: (topic, partition) => request.onRevoked?.(logicalName(topic), partition),
      logger,
    });
    const group = members.get(request.group) ?? new Set();
    members.set(request.group, group.add(member));
    try {
      await link.tracked(member.ended);
    } finally {
      group.delete(member);
    }
  }

  return { consume, committed, commit };
}
