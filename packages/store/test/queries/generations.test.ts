import { expect, test } from 'vitest';
import { dropPartition, partitionsOfGeneration } from '@ladderlog/store';

const single = { database: 'll', cluster: null, table: 'gaps' } as const;
const cluster = { ...single, cluster: 'main' } as const;

test('on one engine the table itself is asked and altered', () => {
  const { sql, params } = partitionsOfGeneration(single, 7);
  expect(sql).toContain('FROM system.parts\n');
  expect(params).toEqual({ database: 'll', table: 'gaps', generation: 7 });
  expect(dropPartition(single, '7-202611')).toBe("ALTER TABLE ll.gaps DROP PARTITION ID '7-202611'");
});

test('on a cluster the tables of the shards are, on all of it', () => {
  const { sql, params } = partitionsOfGeneration(cluster, 7);
  expect(sql).toContain('FROM clusterAllReplicas(main, system.parts)\n');
  expect(params).toEqual({ database: 'll', table: 'gaps_local', generation: 7 });
  expect(dropPartition(cluster, '7')).toBe("ALTER TABLE ll.gaps_local ON CLUSTER main DROP PARTITION ID '7'");
});

test('names cannot break out', () => {
  expect(() => dropPartition({ ...cluster, cluster: 'a b' }, '7')).toThrow('cannot be');
  expect(dropPartition(single, "7' OR '")).toContain("'7\\' OR \\''");
});
