// Answers of the store, shared by requests that ask at the same time and kept: for a moment, or, where the caller can name the
// version of what they rest on, until that changes. Bounded; a failure is not kept.

export type Memo = <T>(key: string, read: () => Promise<T>, version?: string | null) => Promise<T>;

export type MemoLimits = {
  /** How long an answer is kept without a version; 0 keeps nothing at all. */
  readonly ttlMs: number;
  /** And with one: a bound for the case that the version is not kept current. */
  readonly versionedMs?: number;
  readonly maxEntries?: number;
};

type Entry = {
  readonly readAt: number;
  readonly version: string | null;
  readonly value: Promise<unknown>;
};

export function createMemo({ ttlMs, versionedMs = 60_000, maxEntries = 10_000 }: MemoLimits): Memo {
  const entries = new Map<string, Entry>();
  const holds = (entry: Entry, version: string | null): boolean => {
    const age = performance.now() - entry.readAt;
    // Never under another version, however young: what names a version must be what it says.
    return version === null ? age < ttlMs : entry.version === version && age < versionedMs;
  };
  return <T>(key: string, read: () => Promise<T>, version: string | null = null): Promise<T> => {
    const kept = entries.get(key);
    if (kept && holds(kept, version)) return kept.value as Promise<T>;
    const value = read();
    if (ttlMs > 0) {
      const entry: Entry = { readAt: performance.now(), version, value };
      entries.delete(key);
      entries.set(key, entry);
      value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      if (entries.size > maxEntries) {
        const oldest = entries.keys().next().value;
        if (oldest !== undefined) entries.delete(oldest);
      }
    }
    return value;
  };
}
