export type ProjectorLimits = {
  /** A range (a set: all of it) is cut when it has so many records, or bytes of records, or when its oldest has waited so long. */
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  /** Waits between attempts while the store or the cursors fail: doubled from the first to the last. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** An insert that takes longer counts as failed and is repeated under its token. */
  readonly insertTimeoutMs: number;
  /** After this long between intent and insert, ownership is asked for again: a paused process must not write when it wakes. */
  readonly recheckMs: number;
  /** Rows of a repeated insert that are still missing after this long are sent again. */
  readonly repairDelayMs: number;
};

/**
 * Rows take about twice the bytes of their records, and while one range is written the next is gathered. Where every partition
 * is cut by itself, each takes that much.
 */
export const DEFAULT_LIMITS: ProjectorLimits = {
  maxRecords: 20_000,
  maxBytes: 6 * 1024 * 1024,
  // Each range is an insert a table: waiting longer makes fewer, larger parts. The newest book is served from memory.
  maxWaitMs: 2_000,
  minBackoffMs: 50,
  maxBackoffMs: 5_000,
  insertTimeoutMs: 60_000,
  recheckMs: 1_000,
  repairDelayMs: 1_000,
};

/** Where one set is cut for all partitions. At rest the tables are this far behind, and well below five seconds. */
export const SET_LIMITS: Partial<ProjectorLimits> = { maxBytes: 6 * 1024 * 1024, maxWaitMs: 4_000 };
