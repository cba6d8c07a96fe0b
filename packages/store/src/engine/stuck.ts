// Some functions of the engine never look at the time (editDistance of long texts ran for minutes), and chDB cannot be told to
// stop. Such a statement is known by running on long after its own limit; only the end of the process ends it.

/** Told what runs on, and for how long it was allowed to. */
export type OnStuck = (sql: string, allowedMs: number) => void;

/** Past its own limit. A busy machine may be late, and a restart ends all the others too. */
export const STUCK_MS = 60_000;

export async function watched<T>(
  sql: string,
  allowedMs: number | null,
  onStuck: OnStuck | undefined,
  work: () => Promise<T>,
  stuckMs = STUCK_MS,
): Promise<T> {
  if (allowedMs === null || onStuck === undefined) return work();
  const timer = setTimeout(() => onStuck(sql, allowedMs), allowedMs + stuckMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
