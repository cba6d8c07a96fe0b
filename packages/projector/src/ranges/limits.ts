export type ProjectorLimits = {
  /** A range is cut when it has this many records, or bytes of records, or when its oldest has waited this long. */
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

/** Up to 12 partitions at 3 venues buffer this much each; small enough for one process, large enough for few parts. */
export const DEFAULT_LIMITS: ProjectorLimits = {
  maxRecords: 20_000,
  maxBytes: 16 * 1024 * 1024,
  // Each range is an insert a table: waiting longer makes fewer, larger parts. The newest book is served from memory.
  maxWaitMs: 2_000,
  minBackoffMs: 50,
  maxBackoffMs: 5_000,
  insertTimeoutMs: 60_000,
  recheckMs: 1_000,
  repairDelayMs: 1_000,
};
