// Kafka's own partitioner (murmur2, as the Java client and kafkajs), so that a key has the same partition number in both logs.

const SEED = 0x9747b28c | 0;
const M = 0x5bd1e995 | 0;

/** 32-bit murmur2 as in org.apache.kafka.common.utils.Utils; a signed integer. */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length;
  let hash = SEED ^ length;
  const words = length >>> 2;
  for (let word = 0; word < words; word++) {
    const at = word << 2;
    let k = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    k = Math.imul(k, M);
    hash = Math.imul(hash, M) ^ k;
  }
  const rest = words << 2;
  const left = length & 3;
  if (left === 3) hash ^= bytes[rest + 2]! << 16;
  if (left >= 2) hash ^= bytes[rest + 1]! << 8;
  if (left >= 1) {
    hash ^= bytes[rest]!;
    hash = Math.imul(hash, M);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return hash ^ (hash >>> 15);
}

export const partitionFor = (key: string, partitions: number): number =>
  (murmur2(Buffer.from(key, 'utf8')) & 0x7fffffff) % partitions;
