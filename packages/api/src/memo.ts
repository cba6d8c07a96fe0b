// Answers of the store kept for a moment, and shared by requests that ask at the same time. Bounded; a failure is not kept.

export type Memo = <T>(key: string, read: () => Promise<T>) => Promise<T>;

export function createMemo(ttlMs: number, maxEntries = 10_000): Memo {
  const entries = new Map<string, { readonly until: number; readonly value: Promise<unknown> }>();
  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const now = performance.now();
    const kept = entries.get(key);
    if (kept && kept.until > now) return kept.value as Promise<T>;
    const value = read();
    if (ttlMs > 0) {
      entries.delete(key);
      entries.set(key, { until: now + ttlMs, value });
      value.catch(() => entries.delete(key));
      if (entries.size > maxEntries) {
        const oldest = entries.keys().next().value;
        if (oldest !== undefined) entries.delete(oldest);
      }
    }
    return value;
  };
}
