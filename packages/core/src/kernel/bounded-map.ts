/** Sets a key of a map that keeps at most so many; what was set longest ago goes, and is returned. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): [K, V] | null {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return null;
  const oldest = map.entries().next().value!;
  map.delete(oldest[0]);
  return oldest;
}
