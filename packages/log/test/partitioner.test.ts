import * as fc from 'fast-check';
import kafkajs from 'kafkajs';
import { expect, test } from 'vitest';
import { murmur2, partitionFor } from '../src/partitioner.ts';

// From org.apache.kafka.common.utils.UtilsTest.
test.each([
  ['21', -973_932_308],
  ['foobar', -790_332_482],
  ['a-little-bit-long-string', -985_981_536],
  ['a-little-bit-longer-string', -1_486_304_829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
  ['abc', 479_470_107],
])('murmur2 of %s is what Kafka computes', (text, hash) => {
  expect(murmur2(Buffer.from(text))).toBe(hash);
});

test('every key has the partition kafkajs gives it', () => {
  const partitioner = kafkajs.Partitioners.DefaultPartitioner();
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.integer({ min: 1, max: 64 }),
      (key, partitions) => {
        const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
          partitionId,
          partitionErrorCode: 0,
          leader: 0,
          replicas: [],
          isr: [],
        }));
        const theirs = partitioner({ topic: 't', partitionMetadata, message: { key, value: null } });
        expect(partitionFor(key, partitions)).toBe(theirs);
      },
    ),
  );
});
