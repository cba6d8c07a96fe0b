// Questions about offsets: where partitions begin and end, and where a time is.

import type { Cluster } from 'kafkajs';
import { LadderlogError } from '@ladderlog/core';
import type { KafkaLink } from './link.ts';

export type Offsets = { readonly begin: number; readonly end: number };

/** Begin and end of every partition, by logical topic. */
export function offsetsOf(link: KafkaLink, topics: readonly string[]): Promise<Map<string, Offsets[]>> {
  return link.ask('listing offsets', async (cluster) => {
    const list = (fromBeginning: boolean) =>
      cluster.fetchTopicsOffset(
        topics.map((topic) => ({
          topic: link.kafkaName(topic),
          partitions: partitionsOf(link, topic),
          fromBeginning,
        })),
      );
    const [begins, ends] = await Promise.all([list(true), list(false)]);
    return new Map(
      topics.map((topic) => [
        topic,
        partitionsOf(link, topic).map(({ partition }) => ({
          begin: offsetIn(begins, link.kafkaName(topic), partition),
          end: offsetIn(ends, link.kafkaName(topic), partition),
        })),
      ]),
    );
  });
}

/** Per partition, the first offset whose millisecond is `ms` or later; the end when there is none. */
export async function firstFrom(link: KafkaLink, topic: string, ms: number): Promise<number[]> {
  const name = link.kafkaName(topic);
  const partitions = partitionsOf(link, topic);
  const [answers, offsets] = await Promise.all([
    link.ask(`finding offsets of ${topic}`, (cluster) =>
      cluster.fetchTopicsOffset([{ topic: name, partitions, fromTimestamp: Math.max(0, ms) }]),
    ),
    offsetsOf(link, [topic]),
  ]);
  return offsets.get(topic)!.map(({ end }, partition) => {
    const found = offsetIn(answers, name, partition);
    return found < 0 ? end : found;
  });
}

export const partitionsOf = (link: KafkaLink, topic: string): { partition: number }[] =>
  Array.from({ length: link.countOf(topic) }, (_, partition) => ({ partition }));

function offsetIn(
  answers: Awaited<ReturnType<Cluster['fetchTopicsOffset']>>,
  topic: string,
  partition: number,
): number {
  const found = answers
    .find((answer) => answer.topic === topic)
    ?.partitions.find((one) => one.partition === partition);
  if (!found) throw new LadderlogError('INTERNAL', `no offset of ${topic}/${partition} in the answer`);
  return Number(found.offset);
}
