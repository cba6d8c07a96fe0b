import { expect, test } from 'vitest';
import { thinTopics } from '../../src/kafka/topics.ts';

const topic = (name: string, ...copies: number[]) => ({
  name,
  partitions: copies.map((count) => ({ replicas: Array.from({ length: count }, (_, broker) => broker) })),
});

test('three copies are wanted, or as many as there are brokers, or as many as were asked for', () => {
  const topics = [topic('whole', 3, 3), topic('partly', 3, 2), topic('single', 1, 1)];
  const thin = (...args: [brokers: number, wanted?: number]) =>
    thinTopics(topics, ...args).map(({ topic: name, copies, wanted }) => `${name} ${copies} of ${wanted}`);
  expect(thin(5)).toEqual(['partly 2 of 3', 'single 1 of 3']);
  expect(thin(2)).toEqual(['single 1 of 2']);
  expect(thin(1)).toEqual([]);
  expect(thin(3, 1)).toEqual([]);
});
