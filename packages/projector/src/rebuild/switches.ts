// Another generation is served: whoever follows it in this process hears that at once. Other processes ask from time to time.

import type { Store } from '@ladderlog/store';

const followers = new WeakMap<Store, Set<() => void>>();

/** Gives what ends it. */
export function onSwitch(store: Store, listener: () => void): () => void {
  const all = followers.get(store) ?? new Set();
  followers.set(store, all.add(listener));
  return () => all.delete(listener);
}

export async function switchTo(
  store: Store,
  generation: number,
  reason: 'rebuild' | 'rollback',
): Promise<void> {
  await store.switchGeneration(generation, reason);
  for (const listener of followers.get(store) ?? []) listener();
}
