// The port of the store: ClickHouse, in process (openChdbStore), in a process of its own (openEngineStore) or a server
// (openServerStore). The SQL is the same in all of them and one contract suite (test/contract/store.ts) says what every implementation must do.

import type { Readable } from 'node:stream';

export type QueryParams = Readonly<Record<string, unknown>>;

/** Text with `{name:Type}` in it, and what is bound to the names. Values never become part of the text. */
export type Query = { readonly sql: string; readonly params: QueryParams };

export type Settings = Readonly<Record<string, string | number>>;

/** Reads and writes wait apart, so a slow page never holds up the projector, nor the other way round. */
export type Lane = 'read' | 'write';

export type QueryOptions = {
  /** Who asks, for the engine's own log: a stable short name. */
  readonly name?: string;
  readonly lane?: Lane;
  /** Wait for a turn plus run time, in all. Past it: STORE_BUSY. Default 10 s. */
  readonly deadlineMs?: number;
  readonly settings?: Settings;
  /** Aborted when nobody wants the answer any more: a statement that has not begun is given up, with STORE_BUSY. */
  readonly signal?: AbortSignal | undefined;
};

export type InsertOptions = {
  /** A second insert with this token adds nothing. It must name exactly these rows. */
  readonly token: string;
  readonly deadlineMs?: number;
};

export type StoreHealth = {
  readonly ok: boolean;
  readonly kind: 'chdb' | 'server';
  readonly version: string | null;
  /** Why not ok. */
  readonly error: string | null;
};

/**
 * Rejections are LadderlogErrors: STORE_BUSY, STORE_UNAVAILABLE, STORE_DISK_FULL (all retryable with the same token) and
 * STORE_QUERY_FAILED. A rejected insert may or may not have added its rows; repeating it with its token never doubles them. But
 * an engine that was killed may have spent the token without keeping the rows: who repeats must look (docs/adr/0009).
 */
export type Store = {
  readonly kind: 'chdb' | 'server';
  readonly database: string;
  /** Name of the cluster whose shards hold the tables; null: one engine. */
  readonly cluster: string | null;
  /** Rows as objects: 64-bit integers as numbers, times as text. For small answers. */
  query<T = Record<string, unknown>>(query: Query | string, options?: QueryOptions): Promise<T[]>;
  /** The engine's own bytes in its format, unparsed. JSONEachRow: one record a line, no newline inside a record. */
  queryRaw(query: Query | string, format: string, options?: QueryOptions): Promise<Uint8Array>;
  /** As queryRaw in pieces; from a server before the whole answer is there. Holds its turn until it ends or is destroyed. */
  queryStream(query: Query | string, format: string, options?: QueryOptions): Promise<Readable>;
  /** A statement without an answer. With settings, if only `{}`, it has the limits of the lane: of `INSERT … SELECT`, not of DDL. */
  exec(sql: string, options?: QueryOptions): Promise<void>;
  insertRowBinary(
    table: string,
    columns: readonly string[],
    bytes: Uint8Array,
    options: InsertOptions,
  ): Promise<void>;
  /** Brings the tables up to date and proves that a repeated token adds no rows (STORE_NOT_DEDUPLICATING). */
  migrate(): Promise<MigrationReport>;
  /** The served generation. */
  generation(): Promise<number>;
  /** One row, so atomic: readers see the old generation or the new one. */
  switchGeneration(to: number, reason: 'rebuild' | 'rollback'): Promise<void>;
  health(): Promise<StoreHealth>;
  /** Waits for what runs, then frees the engine and the directory. */
  close(): Promise<void>;
};

export type MigrationReport = { readonly applied: readonly string[]; readonly version: number };

/** What differs between the two: how a statement reaches the engine. Used by createStore only. */
export type Engine = {
  readonly kind: 'chdb' | 'server';
  readonly database: string;
  /** `deadlineMs`: how long the statement may take, which its settings tell the engine as well. */
  answer(sql: string, params: QueryParams, format: string, lane: Lane, deadlineMs: number): Promise<Readable>;
  /** Null: no limit, as for DDL. */
  run(sql: string, deadlineMs: number | null): Promise<void>;
  /** `head` is `INSERT INTO t (…)`, `tail` the settings and format. */
  insert(head: string, tail: string, bytes: Uint8Array, deadlineMs: number): Promise<void>;
  close(): Promise<void>;
};
