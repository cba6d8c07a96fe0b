// Where a projector is in one partition: everything up to `hwm` is in the tables, and `pending` may be, wholly or in part.
// The cursor, not the consumer group's offset, decides where to go on; its epoch decides who may write.

/** Offsets, both inclusive. */
export type OffsetRange = { readonly first: number; readonly last: number };

/** A range that was begun. `set` names the ranges that were begun with it (nameOfSet); null: it was begun alone. */
export type Pending = OffsetRange & { readonly set: string | null };

export type CursorKey = {
  readonly generation: number;
  readonly topic: string;
  readonly partition: number;
};

export type Cursor = {
  /** Raised by each claim: a writer with a lower one is fenced. */
  readonly epoch: number;
  /** Last offset that is in every table; −1 (or the offset before the first wanted) at the start. */
  readonly hwm: number;
  /** Recorded before the first insert of a range, so that a restart repeats exactly that range under the same tokens. */
  readonly pending: Pending | null;
  /** fingerprintOf the projections that made the rows of this generation. */
  readonly fingerprint: string;
};

export type Claim = { readonly key: CursorKey; readonly cursor: Cursor; readonly fresh: boolean };

export type ClaimedRange = { readonly claim: Claim; readonly range: OffsetRange };

/** The same steps for several partitions of a generation at once, in one transaction: all or none. */
export type CursorSets = {
  claim(
    keys: readonly (CursorKey & { readonly begin: number })[],
    fingerprint: string,
  ): Promise<readonly Claim[]>;
  intend(ranges: readonly ClaimedRange[], set: string): Promise<boolean>;
  advance(ranges: readonly ClaimedRange[]): Promise<boolean>;
  owns(claims: readonly Claim[]): Promise<boolean>;
};

/** Two implementations (SQLite, ClickHouse) and one contract suite: test/ranges/cursor-contract.ts. All state survives a SIGKILL. */
export type CursorStore = {
  /**
   * Takes the partition over from whoever had it. `fresh` when there was no cursor: it is then created with `hwm` = begin − 1
   * and this fingerprint. An existing one keeps its own.
   */
  claim(key: CursorKey, begin: number, fingerprint: string): Promise<Claim>;
  /** Records the range about to be inserted. False: fenced, and nothing was recorded. */
  intend(claim: Claim, range: OffsetRange): Promise<boolean>;
  /** The pending range is in all tables: hwm = its last. False: fenced. */
  advance(claim: Claim, hwm: number): Promise<boolean>;
  /** Whether nobody claimed the partition since. */
  owns(claim: Claim): Promise<boolean>;
  list(generation: number): Promise<(CursorKey & Cursor)[]>;
  /** Every number ever used, dropped ones too, ascending: a number is never used again, since its tokens are spent. */
  generations(): Promise<number[]>;
  /** Forgets where a generation is; its writers are fenced. */
  drop(generation: number): Promise<void>;
  /** Absent where there are no transactions. */
  readonly sets?: CursorSets;
  close(): Promise<void>;
};

/** A cursor as both implementations store it. */
export type StoredCursor = {
  readonly epoch: number;
  readonly hwm: number;
  readonly pending_first: number | null;
  readonly pending_last: number | null;
  readonly pending_set?: string | null;
  readonly fingerprint: string;
};

export const toCursor = (row: StoredCursor): Cursor => ({
  epoch: row.epoch,
  hwm: row.hwm,
  pending:
    row.pending_first === null || row.pending_last === null
      ? null
      : { first: row.pending_first, last: row.pending_last, set: row.pending_set ?? null },
  fingerprint: row.fingerprint,
});
