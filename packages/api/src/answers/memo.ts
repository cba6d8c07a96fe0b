// Answers of the store, shared by requests that ask at the same time and kept: for a moment, or, where the caller can name the
// version of what they rest on, until that changes. Bounded; a failure is not kept.

import { setBounded } from '@ladderlog/core';

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
      setBounded(entries, key, entry, maxEntries);
      value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
    }
    return value;
  };
}

/** An answer is kept for this many times as long as it took to read, and for a minute at most. */
const KEPT_TIMES = 20;
const KEPT_MS = 60_000;

/** For what is slow to read and need not be new: however often it is asked for, the store has most of its time for others. */
export function readRarely<T>(
  read: () => Promise<T>,
  clock: () => number = () => performance.now(),
): () => Promise<T> {
  let kept: { readonly value: Promise<T>; until: number } | null = null;
  return () => {
    const began = clock();
    if (kept && began < kept.until) return kept.value;
    const now = { value: read(), until: Infinity };
    kept = now;
    now.value.then(
      () => {
        now.until = clock() + Math.min(KEPT_MS, KEPT_TIMES * (clock() - began));
      },
      () => {
        kept = null;
      },
    );
    return now.value;
  };
}
